// The ranks of one launchLocal: their streams, memory and compute threads, the first fault, and
// the clock that timeouts are measured by.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/rendezvous.h"
#include "core/allocator.h"
#include "core/fault.h"
#include "core/stream.h"
#include "libra/kernels.h"
#include "libra/workers.h"

namespace libra {

class Environment;

struct WorldOptions {
  int size = 1;
  double timeoutMs = 30000;
  int threads = 1;               // compute threads of each rank
  bool fuzz = false;             // no threads: drain() runs the operations
  uint64_t seed = 0;             // of the fuzzer's choices
  std::string instructionSet{};  // of the kernels; empty: the process's default
};

class World : public std::enable_shared_from_this<World> {
 public:
  static std::shared_ptr<World> create(const std::shared_ptr<Environment>& environment,
                                       const WorldOptions& options);

  /// A new stream of a rank.
  std::shared_ptr<Stream> stream(int rank, const std::string& name);
  Workers& workers(int rank) { return *ranks_.at(rank).workers; }
  Allocator& allocator(int rank) { return *ranks_.at(rank).allocator; }
  const Kernels& kernels() const { return kernels_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  const std::shared_ptr<Environment>& environment() const { return environment_; }
  int size() const { return options_.size; }
  int threads() const { return options_.threads; }
  bool fuzzed() const { return options_.fuzz; }

  /// Keeps the first fault and wakes every stream; later faults are its consequences.
  void fail(Fault fault);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::optional<Fault> fault() const;
  /// The fault as a rank that did not cause it sees it.
  Fault victim() const;
  /// What a call on a closed world gets.
  Fault afterClose() const;

  /// Moves the rendezvous clock on; called by a timer of the JavaScript thread, so that the clock
  /// stands still while that thread is busy and peers cannot enqueue. Raises timeouts.
  void beat();
  /// The rank enqueues nothing more: peers that wait for it are told.
  void returned(int rank);

  /// Fuzzing: runs operations of randomly picked streams until none is ready or JavaScript may go
  /// on. Returns how many ran.
  int drain();
  /// Fuzzing: every rank awaits, nothing is ready and operations are left.
  void raiseDeadlock();
  /// One line per stream with something in its queue.
  std::string fronts() const;

  int queued() const;
  bool moving() const;
  /// The streams' threads, so that the last one can tidy up after close().
  void threadStarted() { ++threadsRunning_; }
  void threadEnded();
  /// Takes no more operations. Threads end by themselves once their queues are empty.
  void close();

 private:
  World(const std::shared_ptr<Environment>& environment, const WorldOptions& options);
  std::vector<std::shared_ptr<Stream>> streams() const;

  struct RankState {
    std::unique_ptr<Workers> workers;
    std::shared_ptr<Allocator> allocator;
  };

  const std::shared_ptr<Environment> environment_;
  const WorldOptions options_;
  const Kernels& kernels_;
  std::vector<RankState> ranks_;
  Rendezvous rendezvous_;
  uint64_t random_;

  std::atomic<bool> failed_{false};
  std::atomic<int> threadsRunning_{1};  // one for the open world itself
  mutable std::mutex mutex_;            // of what follows
  std::optional<Fault> fault_;
  std::vector<std::shared_ptr<Stream>> streams_;
  double lastBeatMs_ = 0;
  bool closed_ = false;
};

}  // namespace libra
