#include "comm/communicator.h"

#include "comm/world.h"

namespace libra {

Communicator::Communicator(std::shared_ptr<World> world, const std::string& key,
                           std::vector<int> ranks, int rank)
    : world_(std::move(world)), rank_(rank) {
  std::vector<bool> seen(world_->size(), false);
  for (const int member : ranks) {
    if (member < 0 || member >= world_->size() || seen[member]) {
      throw Error("ARGUMENT", "Expected distinct ranks below " + std::to_string(world_->size()) +
                                  " for ranks but received [" + joined(ranks) + "]");
    }
    seen[member] = true;
  }
  if (rank < 0 || rank >= static_cast<int>(ranks.size())) {
    throw Error("ARGUMENT", "Expected a rank of the communicator for rank but received " +
                                std::to_string(rank));
  }
  group_ = world_->rendezvous().group(key, std::move(ranks));
}

std::shared_ptr<Ticket> Communicator::ticket(Stream& stream, const char* operation,
                                             std::unique_ptr<Contribution> contribution) const {
  const int globalRank = group_->ranks[rank_];
  if (&stream.world() != world_.get() || stream.rank() != globalRank) {
    throw Error("ARGUMENT", "Expected a stream of rank " + std::to_string(globalRank) +
                                " of the same launch for stream but received stream \"" +
                                stream.name() + "\" of rank " + std::to_string(stream.rank()));
  }
  auto ticket = std::make_shared<Ticket>();
  ticket->operation = operation;
  ticket->group = group_;
  ticket->rank = rank_;
  ticket->streamId = stream.nameId();
  ticket->streamName = stream.name();
  ticket->sequence = world_->rendezvous().nextSequence(*group_, stream.nameId(), globalRank);
  ticket->contribution = std::move(contribution);
  return ticket;
}

}  // namespace libra
