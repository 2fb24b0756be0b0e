// The unit of work in a stream's queue.
//
// An operation never blocks: it says whether it can run now and, when it cannot, leaves a signal
// that is given once something it depends on changed. A thread sleeps on that signal; the
// schedule fuzzer just asks again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/fault.h"

namespace libra {

class Signal {
 public:
  void give() {
    {
      std::lock_guard lock(mutex_);
      ++given_;
    }
    changed_.notify_all();
  }
  uint64_t given() const {
    std::lock_guard lock(mutex_);
    return given_;
  }
  /// Sleeps until the signal was given more than `seen` times.
  void await(uint64_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_ != seen; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t given_ = 0;
};

using SignalRef = std::shared_ptr<Signal>;

/// Signals left by operations that wait; the owner's lock guards it.
class Waiting {
 public:
  void add(const SignalRef& signal) {
    for (const SignalRef& known : signals_) {
      if (known == signal) return;
    }
    signals_.push_back(signal);
  }
  void giveAll() {
    for (const SignalRef& signal : signals_) signal->give();
    signals_.clear();
  }

 private:
  std::vector<SignalRef> signals_;
};

class Workers;

class Operation {
 public:
  /// kind: what timings are kept under. counted: false for the later steps of one operation.
  explicit Operation(const char* kind, bool counted = true) : kind_(kind), counted_(counted) {}
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// False leaves `signal` with what it waits for. May be asked any number of times before run().
  virtual bool ready(const SignalRef& signal) {
    (void)signal;
    return true;
  }
  virtual void run() = 0;
  /// In place of run() when the stream has failed.
  virtual void skip(const Fault& fault) { (void)fault; }
  /// Whether running it lets JavaScript go on: the fuzzer may then stop for a turn.
  virtual bool resumes() const { return false; }
  /// Whether a caller can notice that it was dropped.
  virtual bool isWork() const { return true; }
  virtual std::string describe() const { return kind_; }

  const char* kind() const { return kind_; }
  bool counted() const { return counted_; }

 private:
  const char* kind_;
  bool counted_;
};

/// Tells that a stream has come to this place, or with which fault it never will.
class Completion final : public Operation {
 public:
  using Callback = std::function<void(const Fault*)>;
  Completion(const char* kind, Callback callback, std::function<void()> work = nullptr)
      : Operation(kind), callback_(std::move(callback)), work_(std::move(work)) {}
  void run() override {
    if (work_) work_();
    work_ = nullptr;
    callback_(nullptr);
  }
  void skip(const Fault& fault) override {
    work_ = nullptr;
    callback_(&fault);
  }
  bool resumes() const override { return true; }
  bool isWork() const override { return false; }

 private:
  Callback callback_;
  std::function<void()> work_;
};

/// A kernel call on a rank's compute threads. The function holds the storages it touches.
class KernelCall final : public Operation {
 public:
  KernelCall(const char* kind, Workers& workers, std::function<void(Workers&)> kernel)
      : Operation(kind), workers_(workers), kernel_(std::move(kernel)) {}
  void run() override { kernel_(workers_); }

 private:
  Workers& workers_;
  std::function<void(Workers&)> kernel_;
};

}  // namespace libra
