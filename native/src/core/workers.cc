#include "libra/workers.h"

#include <time.h>

#include <algorithm>
#include <atomic>

namespace libra {
namespace {

thread_local int currentThread = -1;  // >= 0 inside a task: a nested run() stays on this thread
thread_local CriticalPath* currentPath = nullptr;

}  // namespace

double threadCpuMs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

CriticalPath::CriticalPath() : start_(threadCpuMs()), outer_(currentPath) { currentPath = this; }
CriticalPath::~CriticalPath() { currentPath = outer_; }
double CriticalPath::milliseconds() const { return threadCpuMs() - start_ + excess_; }
void CriticalPath::add(double excess) {
  for (CriticalPath* path = currentPath; path != nullptr; path = path->outer_) {
    path->excess_ += excess;
  }
}

struct ThreadWorkers::Shared {
  std::mutex callers;  // two streams of a rank take turns
  std::mutex mutex;
  std::condition_variable begin, end;
  uint64_t round = 0;
  bool stop = false;
  int tasks = 0;
  int active = 0;
  double busiest = 0;
  const Task* body = nullptr;
  std::atomic<int> next{0};
  std::exception_ptr error;

  void claim(int thread) {
    currentThread = thread;
    for (int task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      try {
        (*body)(task, thread);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next.store(tasks, std::memory_order_relaxed);
      }
    }
    currentThread = -1;
  }
};

ThreadWorkers::ThreadWorkers(int threads)
    : threads_(std::max(1, threads)), shared_(std::make_unique<Shared>()) {
  for (int thread = 1; thread < threads_; ++thread) {
    started_.emplace_back([this, thread] { work(thread); });
  }
}

ThreadWorkers::~ThreadWorkers() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->begin.notify_all();
  for (std::thread& thread : started_) thread.join();
}

void ThreadWorkers::work(int thread) {
  Shared& shared = *shared_;
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(shared.mutex);
      shared.begin.wait(lock, [&] { return shared.stop || shared.round != seen; });
      if (shared.stop) return;
      seen = shared.round;
    }
    const double before = threadCpuMs();
    shared.claim(thread);
    const double used = threadCpuMs() - before;
    std::lock_guard lock(shared.mutex);
    shared.busiest = std::max(shared.busiest, used);
    if (--shared.active == 0) shared.end.notify_one();
  }
}

void ThreadWorkers::run(int tasks, Task body) {
  if (tasks <= 0) return;
  if (currentThread >= 0 || threads_ == 1 || tasks == 1) {
    const int thread = std::max(0, currentThread);
    for (int task = 0; task < tasks; ++task) body(task, thread);
    return;
  }
  Shared& shared = *shared_;
  std::lock_guard caller(shared.callers);
  {
    std::lock_guard lock(shared.mutex);
    shared.tasks = tasks;
    shared.body = &body;
    shared.next.store(0, std::memory_order_relaxed);
    shared.error = nullptr;
    shared.busiest = 0;
    shared.active = threads_ - 1;
    ++shared.round;
  }
  shared.begin.notify_all();
  const double before = threadCpuMs();
  shared.claim(0);
  const double used = threadCpuMs() - before;
  std::unique_lock lock(shared.mutex);
  shared.end.wait(lock, [&] { return shared.active == 0; });
  if (shared.busiest > used) CriticalPath::add(shared.busiest - used);
  if (shared.error) std::rethrow_exception(std::exchange(shared.error, nullptr));
}

}  // namespace libra
