#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core_check.h"
#include "libra/workers.h"

using libra::CriticalPath;
using libra::ThreadWorkers;

namespace {

void everyTaskRunsOnce() {
  for (const int threads : {1, 2, 5}) {
    ThreadWorkers workers(threads);
    CHECK(workers.threads() == threads);
    for (const int tasks : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> runs(tasks);
      workers.run(tasks, [&](int task, int thread) {
        CHECK(thread >= 0 && thread < threads);
        ++runs[task];
      });
      for (auto& count : runs) CHECK(count == 1);
    }
  }
}

void aNestedRunStaysOnItsThread() {
  ThreadWorkers workers(3);
  std::atomic<int> inner{0};
  workers.run(8, [&](int, int outerThread) {
    workers.run(4, [&](int, int thread) {
      CHECK(thread == outerThread);
      ++inner;
    });
  });
  CHECK(inner == 32);
}

void anExceptionReachesTheCaller() {
  ThreadWorkers workers(2);
  for (int round = 0; round < 20; ++round) {
    bool thrown = false;
    try {
      workers.run(10, [&](int task, int) {
        if (task == 7) throw std::runtime_error("seven");
      });
    } catch (const std::runtime_error& error) {
      thrown = std::string(error.what()) == "seven";
    }
    CHECK(thrown);
  }
  std::atomic<int> after{0};
  workers.run(10, [&](int, int) { ++after; });
  CHECK(after == 10);
}

void twoCallersTakeTurns() {
  ThreadWorkers workers(2);
  std::atomic<int> total{0};
  const auto caller = [&] {
    for (int round = 0; round < 200; ++round) workers.run(6, [&](int, int) { ++total; });
  };
  std::thread other(caller);
  caller();
  other.join();
  CHECK(total == 2400);
}

double spin(int rounds) {
  volatile double value = 1;
  for (int i = 0; i < rounds; ++i) value = value * 1.0000001;
  return value;
}

void theCriticalPathIsTheBusiestThread() {
  ThreadWorkers workers(2);
  CriticalPath path;
  const double before = libra::threadCpuMs();
  std::atomic<int> callers{0};
  workers.run(2, [&](int, int thread) {
    if (thread == 0) ++callers;
    spin(2000000);
  });
  const double own = libra::threadCpuMs() - before;
  CHECK(path.milliseconds() >= own);
  if (callers == 0) CHECK(path.milliseconds() > own);
}

}  // namespace

int main() {
  return libra::test::runAll(everyTaskRunsOnce, aNestedRunStaysOnItsThread,
                             anExceptionReachesTheCaller, twoCallersTakeTurns,
                             theCriticalPathIsTheBusiestThread);
}
