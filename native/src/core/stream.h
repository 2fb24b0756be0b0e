// A queue of operations that run one after another, on a thread of its own or, under schedule
// fuzzing, when the world's seeded scheduler picks it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/event.h"
#include "core/operation.h"

namespace libra {

class World;

/// What the operations of one kind have taken so far.
struct Timing {
  int64_t count = 0;
  double wallMs = 0;  // running
  double cpuMs = 0;   // CPU time of the busiest thread
  double waitMs = 0;  // at the front of the queue and not ready
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  /// nameId: the same for equal names on every rank.
  Stream(std::shared_ptr<World> world, int rank, std::string name, int nameId);
  /// Starts the thread; not called under schedule fuzzing.
  void start();

  /// Never blocks. Throws ABORTED or STATE once the world has been closed.
  void enqueue(std::unique_ptr<Operation> operation);
  std::shared_ptr<Event> record();
  void wait(std::shared_ptr<Event> event);
  /// Takes no more operations; the thread ends when the queue is empty.
  void close();

  std::map<std::string_view, Timing> timings() const;
  void resetTimings();

  /// Whether step() would run or skip something now.
  bool offers();
  /// Runs the front operation, which offers() said can run. True if JavaScript may go on.
  bool step();
  /// Wakes the thread to look at the world's fault.
  void wake() { signal_->give(); }

  /// What the front operation is and waits for; empty if the queue is.
  std::string front() const;
  /// Operations not yet run, without records, waits and completions.
  int queued() const;
  /// Whether the thread is running something, or could.
  bool moving() const;

  World& world() const { return *world_; }
  int rank() const { return rank_; }
  const std::string& name() const { return name_; }
  int nameId() const { return nameId_; }

 private:
  void loop();
  double awaitReady(Operation& operation);
  void perform(Operation& operation, double waitedMs);
  void fail(const Operation& operation, Fault fault);
  void pop();

  const std::shared_ptr<World> world_;
  const int rank_;
  const std::string name_;
  const int nameId_;
  const SignalRef signal_ = std::make_shared<Signal>();
  std::atomic<bool> blocked_{false};
  std::optional<Fault> fault_;  // touched by the running thread only

  mutable std::mutex mutex_;
  std::condition_variable queuedChanged_;
  std::deque<std::unique_ptr<Operation>> queue_;  // the front stays while it runs
  int work_ = 0;
  bool closed_ = false;
  std::map<std::string_view, Timing> timings_;
};

}  // namespace libra
