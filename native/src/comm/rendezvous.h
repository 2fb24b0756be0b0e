// Where the ranks of a world meet: one slot per collective call.
//
// A call is a chain of operations on one stream: post (say what one sends, receives, expects),
// steps (copy or sum, once the peers needed have posted), finish (nobody reads from us any more).
// No operation blocks; each asks here whether it can run. Since streams are in order, a rank that
// is held up in one call cannot come to a later one on a stream of the same name: a ring of such
// waits is reported at once instead of hanging.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/operation.h"

namespace libra {

class World;

/// The members of a communicator.
struct Group {
  int id;                  // equal on all members
  std::vector<int> ranks;  // global, by rank in the communicator
};

struct Slot;
struct Ticket;

/// What a rank brings to a call; not changed after it is posted.
class Contribution {
 public:
  virtual ~Contribution() = default;
  /// Throws MISMATCH when the two cannot meet.
  virtual void match(const Ticket& mine, const Ticket& theirs) const = 0;
  /// Ranks of the communicator that read from this one's tensors; it cannot finish before.
  virtual int readers() const = 0;
};

/// One rank's place in one call.
struct Ticket {
  const char* operation;  // "exchange", …
  std::shared_ptr<const Group> group;
  int rank;  // in the communicator
  int streamId;
  std::string streamName;
  uint64_t sequence;  // in this communicator on streams of this name
  std::unique_ptr<Contribution> contribution;
  std::shared_ptr<Slot> slot;  // set by post

  int globalRank() const { return group->ranks[rank]; }
  /// `exchange #3 of ranks {0, 1} on stream "comm"`
  std::string describe() const;
};

/// What a step needs before it can run.
inline constexpr int allPosted = -1;
inline constexpr int allRead = -2;  // all have posted and nobody still reads from us

class Rendezvous {
 public:
  Rendezvous(World& world, int size, double timeoutMs);
  ~Rendezvous() { clear(); }

  int nameId(const std::string& name);
  /// key: equal on all members, different for different communicators.
  std::shared_ptr<const Group> group(const std::string& key, std::vector<int> ranks);
  /// Taken when a call is enqueued.
  uint64_t nextSequence(const Group& group, int streamId, int globalRank);

  void post(const std::shared_ptr<Ticket>& ticket);
  /// need: a rank of the communicator, allPosted or allRead.
  bool ready(const std::shared_ptr<Ticket>& ticket, int need, const SignalRef& signal);
  const Ticket& posted(const Ticket& ticket, int rank) const;
  /// This rank has read all it needs from the peer.
  void doneReading(const Ticket& ticket, int peer);
  void leave(Ticket& ticket);

  /// Lets go of calls that a fault cut short; no operation may use them any more.
  void clear();

  std::optional<Fault> advance(double ms);
  std::optional<Fault> returned(int globalRank);
  /// "waits for rank 2" of a call's step, for reports.
  std::string missing(const Ticket& ticket) const;

 private:
  struct SlotKey {
    int group;
    int stream;
    uint64_t sequence;
    auto operator<=>(const SlotKey&) const = default;
  };
  struct Node {
    int rank;
    int stream;
    auto operator<=>(const Node&) const = default;
  };
  struct Blocked {
    std::shared_ptr<Ticket> ticket;
    int need;
    double since;
  };
  std::vector<int> absent(const Ticket& ticket) const;
  std::optional<Fault> hopeless(const Ticket& ticket) const;
  std::optional<Fault> orderMismatch(const Ticket& ticket) const;

  World& world_;
  const double timeoutMs_;
  mutable std::mutex mutex_;
  double clockMs_ = 0;
  std::map<std::string, int> names_;
  std::map<std::string, std::shared_ptr<const Group>> groups_;
  std::map<SlotKey, std::shared_ptr<Slot>> slots_;
  std::map<SlotKey, uint64_t> enqueued_;  // key: group, stream, global rank
  std::map<Node, Blocked> blocked_;
  std::vector<bool> returned_;
};

}  // namespace libra
