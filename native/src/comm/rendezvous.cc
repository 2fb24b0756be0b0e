#include "comm/rendezvous.h"

#include <algorithm>
#include <set>

#include "comm/world.h"

namespace libra {
namespace {

std::string ranksText(const std::vector<int>& ranks) {
  return (ranks.size() > 1 ? "ranks " : "rank ") + joined(ranks);
}

void matchOperations(const Ticket& mine, const Ticket& theirs) {
  if (std::string_view(mine.operation) == theirs.operation) return;
  throw Error("MISMATCH",
              "Rank " + std::to_string(mine.globalRank()) + " calls " + mine.describe() +
                  " where rank " + std::to_string(theirs.globalRank()) + " calls " +
                  theirs.operation,
              Details()
                  .text("operation", mine.operation)
                  .text("peerOperation", theirs.operation)
                  .number("sequence", static_cast<double>(mine.sequence))
                  .text("stream", mine.streamName)
                  .number("rank", mine.globalRank())
                  .number("peer", theirs.globalRank())
                  .json());
}

}  // namespace

struct Slot {
  std::vector<std::shared_ptr<Ticket>> tickets;  // by rank in the communicator, null: not posted
  std::vector<int> reading;                      // readers that have not finished, by rank
  int posted = 0;
  int left = 0;
  Waiting waiting;
};

std::string Ticket::describe() const {
  return std::string(operation) + " #" + std::to_string(sequence) + " of ranks {" +
         joined(group->ranks) + "} on stream \"" + streamName + "\"";
}

Rendezvous::Rendezvous(World& world, int size, double timeoutMs)
    : world_(world), timeoutMs_(timeoutMs), returned_(size, false) {}

void Rendezvous::clear() {
  std::map<SlotKey, std::shared_ptr<Slot>> slots;  // dies after the lock
  std::lock_guard lock(mutex_);
  slots.swap(slots_);
  blocked_.clear();
  // Slots and tickets hold each other.
  for (auto& [key, slot] : slots) {
    for (auto& ticket : slot->tickets) {
      if (ticket) ticket->slot.reset();
    }
  }
}

int Rendezvous::nameId(const std::string& name) {
  std::lock_guard lock(mutex_);
  return names_.emplace(name, static_cast<int>(names_.size())).first->second;
}

std::shared_ptr<const Group> Rendezvous::group(const std::string& key, std::vector<int> ranks) {
  std::lock_guard lock(mutex_);
  auto& group = groups_[key];
  if (!group) {
    group = std::make_shared<Group>(Group{static_cast<int>(groups_.size()), std::move(ranks)});
  }
  return group;
}

uint64_t Rendezvous::nextSequence(const Group& group, int streamId, int globalRank) {
  std::lock_guard lock(mutex_);
  return enqueued_[{group.id, streamId, static_cast<uint64_t>(globalRank)}]++;
}

void Rendezvous::post(const std::shared_ptr<Ticket>& ticket) {
  std::lock_guard lock(mutex_);
  auto& slot = slots_[{ticket->group->id, ticket->streamId, ticket->sequence}];
  const size_t size = ticket->group->ranks.size();
  if (!slot) {
    slot = std::make_shared<Slot>();
    slot->tickets.resize(size);
    slot->reading.resize(size);
  }
  try {
    ticket->contribution->match(*ticket, *ticket);
    for (const auto& other : slot->tickets) {
      if (!other) continue;
      matchOperations(*ticket, *other);
      ticket->contribution->match(*ticket, *other);
    }
  } catch (const Error& error) {
    // Not posted: no peer may finish a call that does not fit.
    Fault fault = error.fault();
    std::vector<int> late;
    for (size_t rank = 0; rank < size; ++rank) {
      if (!slot->tickets[rank] && static_cast<int>(rank) != ticket->rank) {
        late.push_back(ticket->group->ranks[rank]);
      }
    }
    if (!late.empty()) fault.message += "; not arrived yet: " + ranksText(late);
    throw Error(std::move(fault));
  }
  ticket->slot = slot;
  slot->tickets[ticket->rank] = ticket;
  slot->reading[ticket->rank] = ticket->contribution->readers();
  ++slot->posted;
  slot->waiting.giveAll();
}

bool Rendezvous::ready(const std::shared_ptr<Ticket>& ticket, int need, const SignalRef& signal) {
  std::unique_lock lock(mutex_);
  Slot& slot = *ticket->slot;
  const int size = static_cast<int>(slot.tickets.size());
  const bool everyone = slot.posted == size;
  const bool can = need >= 0           ? slot.tickets[need] != nullptr
                   : need == allPosted ? everyone
                                       : everyone && slot.reading[ticket->rank] == 0;
  const Node node{ticket->globalRank(), ticket->streamId};
  if (can) {
    blocked_.erase(node);
    return true;
  }
  slot.waiting.add(signal);
  Blocked& blocked = blocked_[node];
  if (blocked.ticket != ticket || blocked.need != need) blocked = {ticket, need, clockMs_};
  auto fault = hopeless(*ticket);
  lock.unlock();
  if (fault) world_.fail(std::move(*fault));
  return false;
}

const Ticket& Rendezvous::posted(const Ticket& ticket, int rank) const {
  std::lock_guard lock(mutex_);
  return *ticket.slot->tickets[rank];
}

void Rendezvous::doneReading(const Ticket& ticket, int peer) {
  std::lock_guard lock(mutex_);
  if (--ticket.slot->reading[peer] == 0) ticket.slot->waiting.giveAll();
}

void Rendezvous::leave(Ticket& ticket) {
  std::shared_ptr<Slot> last;  // dies after the lock: its tickets hold storages
  std::lock_guard lock(mutex_);
  if (++ticket.slot->left < static_cast<int>(ticket.group->ranks.size())) {
    ticket.slot.reset();
    return;
  }
  last = std::move(ticket.slot);
  slots_.erase({ticket.group->id, ticket.streamId, ticket.sequence});
  for (auto& posted : last->tickets) posted->slot.reset();
}

std::vector<int> Rendezvous::absent(const Ticket& ticket) const {
  std::vector<int> ranks;
  for (size_t rank = 0; rank < ticket.group->ranks.size(); ++rank) {
    if (!ticket.slot || !ticket.slot->tickets[rank]) ranks.push_back(ticket.group->ranks[rank]);
  }
  return ranks;
}

std::string Rendezvous::missing(const Ticket& ticket) const {
  std::lock_guard lock(mutex_);
  if (!ticket.slot) return "";
  const std::vector<int> ranks = absent(ticket);
  return ranks.empty() ? "waits for its readers" : "waits for " + ranksText(ranks);
}

std::optional<Fault> Rendezvous::hopeless(const Ticket& ticket) const {
  for (const int rank : absent(ticket)) {
    const auto enqueued =
        enqueued_.find({ticket.group->id, ticket.streamId, static_cast<uint64_t>(rank)});
    const uint64_t calls = enqueued == enqueued_.end() ? 0 : enqueued->second;
    if (!returned_[rank] || ticket.sequence < calls) continue;
    return Fault{"RANK_FAILED",
                 "Rank " + std::to_string(rank) + " returned without joining " + ticket.describe() +
                     ", which rank " + std::to_string(ticket.globalRank()) + " waits in",
                 Details()
                     .number("rank", rank)
                     .text("reason", "returned")
                     .text("operation", ticket.operation)
                     .number("sequence", static_cast<double>(ticket.sequence))
                     .text("stream", ticket.streamName)
                     .number("peer", ticket.globalRank())
                     .json()};
  }
  return orderMismatch(ticket);
}

std::optional<Fault> Rendezvous::orderMismatch(const Ticket& ticket) const {
  const Node start{ticket.globalRank(), ticket.streamId};
  std::set<Node> seen{start};
  std::vector<Node> open{start};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const auto blocked = blocked_.find(node);
    if (blocked == blocked_.end()) continue;
    for (const int rank : absent(*blocked->second.ticket)) {
      const Node next{rank, node.stream};
      if (next == start) {
        const Ticket& other = *blocked->second.ticket;
        return Fault{"MISMATCH",
                     "Order mismatch at seq " + std::to_string(ticket.sequence) + ": rank " +
                         std::to_string(ticket.globalRank()) + " waits in " + ticket.describe() +
                         " while rank " + std::to_string(other.globalRank()) + " waits in " +
                         other.describe() + "; every member must enqueue them in the same order",
                     Details()
                         .number("rank", ticket.globalRank())
                         .number("peer", other.globalRank())
                         .text("operation", ticket.operation)
                         .text("peerOperation", other.operation)
                         .number("sequence", static_cast<double>(ticket.sequence))
                         .number("peerSequence", static_cast<double>(other.sequence))
                         .text("stream", ticket.streamName)
                         .json()};
      }
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return std::nullopt;
}

std::optional<Fault> Rendezvous::advance(double ms) {
  std::lock_guard lock(mutex_);
  clockMs_ += ms;
  const Blocked* longest = nullptr;
  for (const auto& [node, blocked] : blocked_) {
    if (longest == nullptr || blocked.since < longest->since) longest = &blocked;
  }
  if (longest == nullptr || clockMs_ - longest->since < timeoutMs_) return std::nullopt;
  const Ticket& ticket = *longest->ticket;
  const std::vector<int> ranks = absent(ticket);
  const std::string waited = std::to_string(static_cast<int64_t>(clockMs_ - longest->since));
  return Fault{"TIMEOUT",
               "Rank " + std::to_string(ticket.globalRank()) + " waited " + waited + " ms in " +
                   ticket.describe() +
                   (ranks.empty() ? "; all arrived, but not all finished reading"
                                  : "; never arrived: " + ranksText(ranks)),
               Details()
                   .number("rank", ticket.globalRank())
                   .text("operation", ticket.operation)
                   .number("sequence", static_cast<double>(ticket.sequence))
                   .text("stream", ticket.streamName)
                   .list("ranks", ticket.group->ranks)
                   .list("missing", ranks)
                   .number("waitedMs", clockMs_ - longest->since)
                   .json()};
}

std::optional<Fault> Rendezvous::returned(int globalRank) {
  std::lock_guard lock(mutex_);
  returned_.at(globalRank) = true;
  for (const auto& [node, blocked] : blocked_) {
    if (auto fault = hopeless(*blocked.ticket)) return fault;
  }
  return std::nullopt;
}

}  // namespace libra
