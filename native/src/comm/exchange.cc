// exchange: each rank reads the vectors it expects straight from its peers' tensors.
#include <utility>

#include "comm/communicator.h"
#include "comm/steps.h"

namespace libra {
namespace {

class ExchangeContribution final : public Contribution {
 public:
  ExchangeContribution(std::vector<Transfer> transfers, int rank)
      : transfers(std::move(transfers)), rank_(rank) {
    for (const Transfer& transfer : this->transfers) {
      auto& sources = sendBases.emplace_back();
      for (const Memory& memory : transfer.sources) sources.push_back(memory.data);
      auto& destinations = receiveBases.emplace_back();
      for (const Memory& memory : transfer.destinations) destinations.push_back(memory.data);
    }
  }

  void match(const Ticket& mine, const Ticket& theirs) const override {
    const auto& other = static_cast<const ExchangeContribution&>(*theirs.contribution);
    if (transfers.size() != other.transfers.size()) {
      throw Error("MISMATCH",
                  "Rank " + std::to_string(mine.globalRank()) + " brings " +
                      std::to_string(transfers.size()) + " transfers to " + mine.describe() +
                      ", rank " + std::to_string(theirs.globalRank()) + " brings " +
                      std::to_string(other.transfers.size()),
                  Details()
                      .text("operation", mine.operation)
                      .number("sequence", static_cast<double>(mine.sequence))
                      .number("rank", mine.globalRank())
                      .number("peer", theirs.globalRank())
                      .json());
    }
    for (size_t index = 0; index < transfers.size(); ++index) {
      meet(mine, *this, theirs, other, index);
      meet(theirs, other, mine, *this, index);
    }
  }

  int readers() const override {
    int count = 0;
    for (int peer = 0; peer < transfers.front().send->peers(); ++peer) {
      if (peer != rank_ && sendsTo(peer)) ++count;
    }
    return count;
  }

  bool sendsTo(int peer) const {
    for (const Transfer& transfer : transfers) {
      if (transfer.send->vectors(peer) > 0) return true;
    }
    return false;
  }

  bool receivesFrom(int peer) const {
    for (const Transfer& transfer : transfers) {
      if (transfer.receive->vectors(peer) > 0) return true;
    }
    return false;
  }

  const std::vector<Transfer> transfers;
  std::vector<std::vector<const char*>> sendBases;  // by transfer, buffer
  std::vector<std::vector<char*>> receiveBases;

 private:
  static void meet(const Ticket& from, const ExchangeContribution& sender, const Ticket& to,
                   const ExchangeContribution& receiver, size_t index) {
    const Transfer& sent = sender.transfers[index];
    const Transfer& expected = receiver.transfers[index];
    const int64_t sentBytes = sent.send->vectors(to.rank) * sent.vectorBytes;
    const int64_t expectedBytes = expected.receive->vectors(from.rank) * expected.vectorBytes;
    if (sentBytes == expectedBytes) return;
    throw Error("MISMATCH",
                to.describe() + ": rank " + std::to_string(from.globalRank()) + " sends " +
                    std::to_string(sentBytes) + " bytes to rank " +
                    std::to_string(to.globalRank()) + ", which expects " +
                    std::to_string(expectedBytes) + " (transfer " + std::to_string(index) + ")",
                Details()
                    .text("operation", to.operation)
                    .number("sequence", static_cast<double>(to.sequence))
                    .text("stream", to.streamName)
                    .number("rank", to.globalRank())
                    .number("peer", from.globalRank())
                    .number("source", from.globalRank())
                    .number("destination", to.globalRank())
                    .number("bytesExpected", static_cast<double>(expectedBytes))
                    .number("bytesGot", static_cast<double>(sentBytes))
                    .number("transfer", static_cast<double>(index))
                    .json());
  }

  const int rank_;
};

const ExchangeContribution& contributionOf(const Ticket& ticket) {
  return static_cast<const ExchangeContribution&>(*ticket.contribution);
}

void copyFrom(World& world, const Ticket& mine, int peer) {
  const Ticket& theirs = world.rendezvous().posted(mine, peer);
  const ExchangeContribution& receiver = contributionOf(mine);
  const ExchangeContribution& sender = contributionOf(theirs);
  for (size_t index = 0; index < receiver.transfers.size(); ++index) {
    copyVectors(*sender.transfers[index].send, mine.rank, sender.sendBases[index],
                *receiver.transfers[index].receive, peer, receiver.receiveBases[index],
                receiver.transfers[index].vectorBytes);
  }
}

void check(const BlockList& list, const std::vector<Memory>& memories, int peers,
           int64_t vectorBytes, const char* name) {
  if (list.peers() != peers) {
    throw Error("ARGUMENT", "Expected blocks for " + std::to_string(peers) +
                                " peers (the communicator's size) for " + name +
                                " but received blocks for " + std::to_string(list.peers()));
  }
  for (size_t buffer = 0; buffer < list.extents().size(); ++buffer) {
    const int64_t needed = list.extents()[buffer] * vectorBytes;
    const int64_t given = buffer < memories.size() ? memories[buffer].bytes : 0;
    if (needed <= given) continue;
    throw Error("ARGUMENT", "Expected a tensor of at least " + std::to_string(needed) +
                                " bytes for buffer " + std::to_string(buffer) + " of " + name +
                                " but received " + std::to_string(given));
  }
}

}  // namespace

void Communicator::exchange(Stream& stream, std::vector<Transfer> transfers) const {
  if (transfers.empty()) {
    throw Error("ARGUMENT", "Expected at least one transfer for transfers but received none");
  }
  for (const Transfer& transfer : transfers) {
    check(*transfer.send, transfer.sources, size(), transfer.vectorBytes, "send");
    check(*transfer.receive, transfer.destinations, size(), transfer.vectorBytes, "receive");
  }
  auto contribution = std::make_unique<ExchangeContribution>(std::move(transfers), rank_);
  const ExchangeContribution& mine = *contribution;
  auto call = ticket(stream, "exchange", std::move(contribution));
  World& world = *world_;
  stream.enqueue(std::make_unique<Post>(world, call));
  // Peers are taken in rotated order, so that not all read from the same rank at once.
  for (int turn = 0; turn < size(); ++turn) {
    const int peer = (rank_ + turn) % size();
    if (!mine.receivesFrom(peer)) continue;
    stream.enqueue(std::make_unique<Step>(
        world, call, peer, peer == rank_ ? std::vector<int>{} : std::vector<int>{peer},
        [&world, peer](const Ticket& ticket) { copyFrom(world, ticket, peer); }));
  }
  stream.enqueue(std::make_unique<Finish>(world, call));
}

}  // namespace libra
