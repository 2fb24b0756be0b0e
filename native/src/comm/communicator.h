// Collective calls among the ranks of a group, enqueued on the caller's stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/block-list.h"
#include "comm/rendezvous.h"
#include "core/allocator.h"
#include "core/element.h"
#include "core/stream.h"

namespace libra {

/// Bytes of a storage from `data` on; keeps the storage alive.
struct Memory {
  std::shared_ptr<Storage> storage;
  char* data = nullptr;
  int64_t bytes = 0;
};

/// One family of vectors of an exchange.
struct Transfer {
  std::shared_ptr<const BlockList> send;
  std::shared_ptr<const BlockList> receive;
  std::vector<Memory> sources;       // by BlockList buffer
  std::vector<Memory> destinations;  // by BlockList buffer
  int64_t vectorBytes = 0;
};

class Communicator {
 public:
  /// key: equal on all members; rank: in `ranks`, which are global.
  Communicator(std::shared_ptr<World> world, const std::string& key, std::vector<int> ranks,
               int rank);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(group_->ranks.size()); }

  /// Sum in rank order, in place, the same bits on every rank.
  void allReduce(Stream& stream, Memory tensor, ElementType type) const;
  /// output = this rank's part of the sum of the inputs, in rank order.
  void reduceScatter(Stream& stream, Memory input, Memory output, ElementType type) const;
  void allGather(Stream& stream, Memory input, Memory output) const;
  void broadcast(Stream& stream, Memory tensor, int root) const;
  void barrier(Stream& stream) const;
  void exchange(Stream& stream, std::vector<Transfer> transfers) const;

 private:
  std::shared_ptr<Ticket> ticket(Stream& stream, const char* operation,
                                 std::unique_ptr<Contribution> contribution) const;

  std::shared_ptr<World> world_;
  std::shared_ptr<const Group> group_;
  int rank_;
};

}  // namespace libra
