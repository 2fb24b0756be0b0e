// Compute threads of one rank.
//
// A kernel cuts its work into tasks whose borders depend on shapes only (never on the number of
// threads) and hands them to Workers::run; the result is then the same for any thread count.
//
//   workers.run(blocks, [&](int task, int thread) { multiplyBlock(task, scratch[thread]); });
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace libra {

/// A borrowed callable: no allocation, valid only while the callable lives.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable,
            class = std::enable_if_t<!std::is_same_v<std::decay_t<Callable>, FunctionRef>>>
  FunctionRef(Callable&& callable)  // NOLINT: implicit by design, as a function parameter
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

using Task = FunctionRef<void(int task, int thread)>;

/// Parallel-for over a rank's compute threads.
class Workers {
 public:
  virtual ~Workers() = default;
  /// Number of threads; `thread` in a task is in [0, threads()).
  virtual int threads() const = 0;
  /// Runs body(task, thread) once for each task in [0, tasks) and returns when all have ended.
  /// Tasks are claimed in ascending order; one thread runs its tasks one after another. The first
  /// exception of a task is thrown here after all threads stopped. A call from inside a task runs
  /// its tasks on that task's own thread.
  virtual void run(int tasks, Task body) = 0;
};

/// Workers on threads of their own; the calling thread is one of them (thread 0).
class ThreadWorkers final : public Workers {
 public:
  /// threads >= 1: threads - 1 are started, the caller of run() is the other one.
  explicit ThreadWorkers(int threads);
  ~ThreadWorkers() override;
  ThreadWorkers(const ThreadWorkers&) = delete;
  ThreadWorkers& operator=(const ThreadWorkers&) = delete;
  int threads() const override { return threads_; }
  void run(int tasks, Task body) override;

 private:
  struct Shared;
  void work(int thread);
  int threads_;
  std::unique_ptr<Shared> shared_;
  std::vector<std::thread> started_;
};

/// CPU time of an operation's critical path: construct on the thread that runs the operation;
/// milliseconds() is that thread's own CPU time plus, for each run() inside, what the busiest
/// other thread used beyond the caller's own share of it.
class CriticalPath {
 public:
  CriticalPath();
  ~CriticalPath();
  CriticalPath(const CriticalPath&) = delete;
  CriticalPath& operator=(const CriticalPath&) = delete;
  double milliseconds() const;
  /// Called by Workers: the busiest thread of a run used `excess` ms more than the caller.
  static void add(double excess);

 private:
  double start_;
  double excess_ = 0;
  CriticalPath* outer_;
};

/// CPU time of the calling thread in milliseconds.
double threadCpuMs();

}  // namespace libra
