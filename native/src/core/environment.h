// All native state of one JavaScript environment (the main thread's or a worker thread's).
//
// Nothing is shared between environments, so that a worker that ends takes only its own streams
// along.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace libra {

class World;

class Environment : public std::enable_shared_from_this<Environment> {
 public:
  void add(const std::shared_ptr<World>& world);
  /// Lets queued work run while it can, at most drainMs, then stops the worlds that are left and
  /// waits for their threads. Returns the number of operations that were dropped.
  int close(double drainMs);
  /// Streams' threads, counted so that close() outlives them all.
  void threadStarted();
  void threadEnded();
  int threads() const;
  /// Operations in the queues of all worlds.
  int queued();

 private:
  std::vector<std::shared_ptr<World>> worlds();
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::weak_ptr<World>> worlds_;
  int threads_ = 0;
};

}  // namespace libra
