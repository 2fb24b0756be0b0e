#include "core/stream.h"

#include <chrono>
#include <thread>

#include "comm/world.h"
#include "core/environment.h"
#include "libra/workers.h"

namespace libra {
namespace {

double nowMs() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Stream::Stream(std::shared_ptr<World> world, int rank, std::string name, int nameId)
    : world_(std::move(world)), rank_(rank), name_(std::move(name)), nameId_(nameId) {}

void Stream::start() {
  auto environment = world_->environment();
  environment->threadStarted();
  world_->threadStarted();
  // Detached: a stream may be closed from the JavaScript thread, which must not wait for a kernel.
  // Environment::close() waits for all of them.
  std::thread([self = shared_from_this(), environment]() mutable {
    self->loop();
    self->world_->threadEnded();
    self.reset();
    environment->threadEnded();
  }).detach();
}

void Stream::enqueue(std::unique_ptr<Operation> operation) {
  {
    std::lock_guard lock(mutex_);
    if (closed_) throw Error(world_->afterClose());
    if (operation->isWork()) ++work_;
    queue_.push_back(std::move(operation));
  }
  queuedChanged_.notify_one();
}

std::shared_ptr<Event> Stream::record() {
  auto event = std::make_shared<Event>(name_);
  enqueue(std::make_unique<RecordEvent>(event));
  return event;
}

void Stream::wait(std::shared_ptr<Event> event) {
  enqueue(std::make_unique<WaitEvent>(std::move(event)));
}

void Stream::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  queuedChanged_.notify_one();
}

void Stream::loop() {
  for (;;) {
    Operation* operation;
    {
      std::unique_lock lock(mutex_);
      queuedChanged_.wait(lock, [&] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      operation = queue_.front().get();
    }
    perform(*operation, awaitReady(*operation));
    pop();
  }
}

double Stream::awaitReady(Operation& operation) {
  double since = 0;
  for (;;) {
    const uint64_t seen = signal_->given();
    if (fault_ || world_->failed() || operation.ready(signal_)) break;
    if (since == 0) since = nowMs();
    blocked_ = true;
    signal_->await(seen);
    blocked_ = false;
  }
  return since == 0 ? 0 : nowMs() - since;
}

void Stream::perform(Operation& operation, double waitedMs) {
  if (!fault_ && world_->failed()) fault_ = world_->victim();
  if (fault_) {
    operation.skip(*fault_);
    return;
  }
  const double begin = nowMs();
  double cpuMs = 0;
  try {
    CriticalPath path;
    operation.run();
    cpuMs = path.milliseconds();
  } catch (const Error& error) {
    fail(operation, error.fault());
  } catch (const std::exception& error) {
    fail(operation, {"NATIVE", error.what()});
  }
  const double wallMs = nowMs() - begin;
  std::lock_guard lock(mutex_);
  Timing& timing = timings_[operation.kind()];
  if (operation.counted()) ++timing.count;
  timing.wallMs += wallMs;
  timing.cpuMs += cpuMs;
  timing.waitMs += waitedMs;
}

void Stream::fail(const Operation& operation, Fault fault) {
  const bool agreed = fault.code == "MISMATCH" || fault.code == "TIMEOUT" ||
                      fault.code == "ABORTED" || fault.code == "RANK_FAILED" ||
                      fault.code == "STATE";
  if (!agreed) {
    Details details;
    details.number("rank", rank_).text("stream", name_).text("operation", operation.kind());
    details.text("cause", fault.code);
    fault = {"RANK_FAILED",
             "Rank " + std::to_string(rank_) + " failed in " + operation.describe() +
                 " on stream \"" + name_ + "\": " + fault.message,
             details.json()};
  }
  fault_ = fault;
  world_->fail(std::move(fault));
}

void Stream::pop() {
  std::unique_ptr<Operation> ended;  // dies after the lock: it may give back large blocks
  std::lock_guard lock(mutex_);
  ended = std::move(queue_.front());
  queue_.pop_front();
  if (ended->isWork()) --work_;
}

bool Stream::offers() {
  Operation* operation;
  {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) return false;
    operation = queue_.front().get();
  }
  if (fault_ || world_->failed() || operation->ready(signal_)) return true;
  return world_->failed();
}

bool Stream::step() {
  Operation* operation;
  {
    std::lock_guard lock(mutex_);
    operation = queue_.front().get();
  }
  perform(*operation, 0);
  const bool resumes = operation->resumes();
  pop();
  return resumes;
}

std::string Stream::front() const {
  std::lock_guard lock(mutex_);
  return queue_.empty() ? "" : queue_.front()->describe();
}

int Stream::queued() const {
  std::lock_guard lock(mutex_);
  return work_;
}

bool Stream::moving() const {
  std::lock_guard lock(mutex_);
  return !queue_.empty() && !blocked_;
}

std::map<std::string_view, Timing> Stream::timings() const {
  std::lock_guard lock(mutex_);
  return timings_;
}

void Stream::resetTimings() {
  std::lock_guard lock(mutex_);
  timings_.clear();
}

}  // namespace libra
