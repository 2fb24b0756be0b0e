#include "core/environment.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "comm/world.h"

namespace libra {

void Environment::add(const std::shared_ptr<World>& world) {
  std::lock_guard lock(mutex_);
  std::erase_if(worlds_, [](const auto& known) { return known.expired(); });
  worlds_.push_back(world);
}

std::vector<std::shared_ptr<World>> Environment::worlds() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<World>> living;
  for (const auto& known : worlds_) {
    if (auto world = known.lock()) living.push_back(std::move(world));
  }
  return living;
}

int Environment::queued() {
  int total = 0;
  for (const auto& world : worlds()) total += world->queued();
  return total;
}

int Environment::close(double drainMs) {
  using namespace std::chrono;
  const auto living = worlds();
  const auto until = steady_clock::now() + duration<double, std::milli>(drainMs);
  const auto moving = [&] {
    return std::any_of(living.begin(), living.end(), [](const auto& world) {
      return world->fuzzed() ? world->drain() > 0 : world->moving();
    });
  };
  // A stream can look idle for the instant between a signal and its thread waking up.
  for (int still = 0; still < 3 && steady_clock::now() < until;) {
    still = moving() ? 0 : still + 1;
    std::this_thread::sleep_for(milliseconds(1));
  }
  int dropped = 0;
  for (const auto& world : living) dropped += world->queued();
  for (const auto& world : living) {
    world->fail({"ABORTED", "The process is exiting"});
    world->close();
  }
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return threads_ == 0; });
  return dropped;
}

void Environment::threadStarted() {
  std::lock_guard lock(mutex_);
  ++threads_;
}

void Environment::threadEnded() {
  std::lock_guard lock(mutex_);
  if (--threads_ == 0) ended_.notify_all();
}

int Environment::threads() const {
  std::lock_guard lock(mutex_);
  return threads_;
}

}  // namespace libra
