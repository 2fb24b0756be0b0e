// Worlds for tests: the streams of several ranks driven from one thread, as JavaScript does.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "comm/world.h"
#include "core/environment.h"
#include "core_check.h"

namespace libra::test {

/// An operation of a test's own.
class Work final : public Operation {
 public:
  explicit Work(std::function<void()> work) : Operation("work"), work_(std::move(work)) {}
  void run() override { work_(); }

 private:
  std::function<void()> work_;
};

class Launch {
 public:
  explicit Launch(WorldOptions options)
      : environment(std::make_shared<Environment>()), world(World::create(environment, options)) {
    std::vector<int> everyone(options.size);
    std::iota(everyone.begin(), everyone.end(), 0);
    for (int rank = 0; rank < options.size; ++rank) {
      streams.push_back(world->stream(rank, "comm"));
      everybody.emplace_back(world, "world", everyone, rank);
    }
  }
  ~Launch() {
    world->close();
    environment->close(1000);
  }
  Memory memory(int rank, const std::vector<float>& values) {
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(float));
    auto storage = world->allocator(rank).allocate(bytes);
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(storage->data()));
    char* data = storage->data();
    return {std::move(storage), data, bytes};
  }
  /// The fault of each rank's "comm" stream once all it has been given is done; code "" for none.
  std::vector<Fault> finish() {
    std::vector<std::promise<Fault>> promises(streams.size());
    for (size_t rank = 0; rank < streams.size(); ++rank) {
      streams[rank]->enqueue(
          std::make_unique<Completion>("done", [&promises, rank](const Fault* fault) {
            promises[rank].set_value(fault == nullptr ? Fault{} : *fault);
          }));
    }
    std::vector<Fault> faults;
    for (auto& promise : promises) {
      auto future = promise.get_future();
      while (future.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
        world->beat();
        if (world->fuzzed() && world->drain() == 0) world->raiseDeadlock();
      }
      faults.push_back(future.get());
    }
    return faults;
  }

  std::shared_ptr<Environment> environment;
  std::shared_ptr<World> world;
  std::vector<std::shared_ptr<Stream>> streams;
  std::vector<Communicator> everybody;
};

inline std::vector<float> floats(const Memory& memory) {
  const auto* begin = reinterpret_cast<const float*>(memory.data);
  return {begin, begin + memory.bytes / sizeof(float)};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace libra::test
