// Collectives on whole tensors. Sums go over the ranks in order, so that they are the same bits on
// every rank and in every run.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "comm/communicator.h"
#include "comm/steps.h"

namespace libra {
namespace {

class TensorContribution final : public Contribution {
 public:
  /// element: the type's name where the elements are summed.
  TensorContribution(Memory input, Memory output, int root, int readers, const char* element = "")
      : input(std::move(input)),
        output(std::move(output)),
        root(root),
        element(element),
        readers_(readers) {}

  void match(const Ticket& mine, const Ticket& theirs) const override {
    const auto& other = static_cast<const TensorContribution&>(*theirs.contribution);
    if (input.bytes == other.input.bytes && root == other.root && element == other.element) return;
    const bool roots = root != other.root;
    const auto value = [&](const TensorContribution& one) {
      return roots ? "root " + std::to_string(one.root)
                   : std::to_string(one.input.bytes) + " bytes" +
                         (one.element.empty() ? "" : " of " + std::string(one.element));
    };
    throw Error("MISMATCH",
                mine.describe() + ": rank " + std::to_string(mine.globalRank()) + " brings " +
                    value(*this) + ", rank " + std::to_string(theirs.globalRank()) + " brings " +
                    value(other),
                Details()
                    .text("operation", mine.operation)
                    .number("sequence", static_cast<double>(mine.sequence))
                    .text("stream", mine.streamName)
                    .number("rank", mine.globalRank())
                    .number("peer", theirs.globalRank())
                    .number("source", theirs.globalRank())
                    .number("destination", mine.globalRank())
                    .number("bytesExpected", static_cast<double>(input.bytes))
                    .number("bytesGot", static_cast<double>(other.input.bytes))
                    .json());
  }
  int readers() const override { return readers_; }

  const Memory input;
  const Memory output;
  const int root;
  const std::string_view element;

 private:
  const int readers_;
};

const TensorContribution& contributionOf(const Ticket& ticket) {
  return static_cast<const TensorContribution&>(*ticket.contribution);
}

/// Elements summed at a time: stays in the first-level cache.
constexpr int64_t sumBlock = 1024;

/// How elements of a type are summed: as `Sum`, which each turns into and comes from.
template <class Element>
struct Summed {
  using Sum = Element;
  static Sum take(Element x) { return x; }
  static Element give(Sum x) { return x; }
};
/// In float32, rounded once at the end.
template <>
struct Summed<Bfloat16> {
  using Sum = float;
  static Sum take(Bfloat16 x) { return widened(x); }
  static Bfloat16 give(Sum x) { return narrowed(x); }
};

/// target(block begin, sums, bytes) takes the sums of elements [begin, end) over `inputs`.
template <class Element, class Target>
void sumInOrder(const std::vector<const char*>& inputs, int64_t begin, int64_t end, Target target) {
  using How = Summed<Element>;
  typename How::Sum sums[sumBlock];
  Element results[sumBlock];
  for (int64_t at = begin; at < end; at += sumBlock) {
    const int64_t count = std::min(sumBlock, end - at);
    for (size_t rank = 0; rank < inputs.size(); ++rank) {
      const auto* input = reinterpret_cast<const Element*>(inputs[rank]) + at;
      for (int64_t i = 0; i < count; ++i) {
        sums[i] = rank == 0 ? How::take(input[i]) : sums[i] + How::take(input[i]);
      }
    }
    for (int64_t i = 0; i < count; ++i) results[i] = How::give(sums[i]);
    target(at, reinterpret_cast<const char*>(results),
           count * static_cast<int64_t>(sizeof(Element)));
  }
}

template <class Target>
void sumInOrder(ElementType type, const std::vector<const char*>& inputs, int64_t begin,
                int64_t end, Target target) {
  switch (type) {
    case ElementType::float32:
      return sumInOrder<float>(inputs, begin, end, target);
    case ElementType::float64:
      return sumInOrder<double>(inputs, begin, end, target);
    case ElementType::int32:
      return sumInOrder<uint32_t>(inputs, begin, end, target);  // wraps instead of overflowing
    case ElementType::bfloat16:
      return sumInOrder<Bfloat16>(inputs, begin, end, target);
  }
}

std::vector<const char*> inputsOf(World& world, const Ticket& mine) {
  std::vector<const char*> inputs;
  for (int rank = 0; rank < static_cast<int>(mine.group->ranks.size()); ++rank) {
    inputs.push_back(contributionOf(world.rendezvous().posted(mine, rank)).input.data);
  }
  return inputs;
}

/// Every rank of the communicator but one.
std::vector<int> others(int size, int rank) {
  std::vector<int> ranks;
  for (int other = 0; other < size; ++other) {
    if (other != rank) ranks.push_back(other);
  }
  return ranks;
}

void expectBytes(const Memory& memory, int64_t bytes, const char* name) {
  if (memory.bytes == bytes) return;
  throw Error("ARGUMENT", "Expected " + std::to_string(bytes) + " bytes for " + name +
                              " but received " + std::to_string(memory.bytes));
}

}  // namespace

void Communicator::allReduce(Stream& stream, Memory tensor, ElementType type) const {
  const int64_t count = tensor.bytes / elementBytes(type);
  const int64_t begin = count * rank_ / size(), end = count * (rank_ + 1) / size();
  auto call =
      ticket(stream, "allReduce",
             std::make_unique<TensorContribution>(tensor, tensor, 0, size() - 1, nameOf(type)));
  World& world = *world_;
  stream.enqueue(std::make_unique<Post>(world, call));
  // Each rank sums its own part of everybody's tensor and writes the sum to all of them: nobody
  // else touches that part.
  stream.enqueue(std::make_unique<Step>(
      world, call, allPosted, others(size(), rank_),
      [&world, type, begin, end](const Ticket& mine) {
        const std::vector<const char*> inputs = inputsOf(world, mine);
        sumInOrder(type, inputs, begin, end, [&](int64_t at, const char* sums, int64_t bytes) {
          for (const char* input : inputs) {
            std::memcpy(const_cast<char*>(input) + at * elementBytes(type), sums, bytes);
          }
        });
      }));
  stream.enqueue(std::make_unique<Finish>(world, call));
}

void Communicator::reduceScatter(Stream& stream, Memory input, Memory output,
                                 ElementType type) const {
  expectBytes(input, output.bytes * size(), "input");
  const int64_t count = output.bytes / elementBytes(type);
  const int64_t begin = count * rank_;
  auto call =
      ticket(stream, "reduceScatter",
             std::make_unique<TensorContribution>(input, output, 0, size() - 1, nameOf(type)));
  World& world = *world_;
  stream.enqueue(std::make_unique<Post>(world, call));
  stream.enqueue(std::make_unique<Step>(
      world, call, allPosted, others(size(), rank_),
      [&world, type, begin, count](const Ticket& mine) {
        char* out = contributionOf(mine).output.data;
        sumInOrder(type, inputsOf(world, mine), begin, begin + count,
                   [&](int64_t at, const char* sums, int64_t bytes) {
                     std::memcpy(out + (at - begin) * elementBytes(type), sums, bytes);
                   });
      }));
  stream.enqueue(std::make_unique<Finish>(world, call));
}

void Communicator::allGather(Stream& stream, Memory input, Memory output) const {
  expectBytes(output, input.bytes * size(), "output");
  auto call = ticket(stream, "allGather",
                     std::make_unique<TensorContribution>(input, output, 0, size() - 1));
  World& world = *world_;
  stream.enqueue(std::make_unique<Post>(world, call));
  for (int turn = 0; turn < size(); ++turn) {
    const int peer = (rank_ + turn) % size();
    stream.enqueue(std::make_unique<Step>(
        world, call, peer, peer == rank_ ? std::vector<int>{} : std::vector<int>{peer},
        [&world, peer](const Ticket& mine) {
          const Memory& from = contributionOf(world.rendezvous().posted(mine, peer)).input;
          char* to = contributionOf(mine).output.data + peer * from.bytes;
          if (to != from.data) std::memmove(to, from.data, from.bytes);
        }));
  }
  stream.enqueue(std::make_unique<Finish>(world, call));
}

void Communicator::broadcast(Stream& stream, Memory tensor, int root) const {
  if (root < 0 || root >= size()) {
    throw Error("ARGUMENT", "Expected a rank below " + std::to_string(size()) +
                                " for root but received " + std::to_string(root));
  }
  auto call = ticket(
      stream, "broadcast",
      std::make_unique<TensorContribution>(tensor, tensor, root, rank_ == root ? size() - 1 : 0));
  World& world = *world_;
  stream.enqueue(std::make_unique<Post>(world, call));
  if (rank_ != root) {
    stream.enqueue(std::make_unique<Step>(
        world, call, root, std::vector<int>{root}, [&world, root](const Ticket& mine) {
          const Memory& from = contributionOf(world.rendezvous().posted(mine, root)).input;
          std::memcpy(contributionOf(mine).output.data, from.data, from.bytes);
        }));
  }
  stream.enqueue(std::make_unique<Finish>(world, call));
}

void Communicator::barrier(Stream& stream) const {
  auto call =
      ticket(stream, "barrier", std::make_unique<TensorContribution>(Memory{}, Memory{}, 0, 0));
  stream.enqueue(std::make_unique<Post>(*world_, call));
  stream.enqueue(std::make_unique<Finish>(*world_, call));
}

}  // namespace libra
