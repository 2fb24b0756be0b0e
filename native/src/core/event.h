// A place in a stream's order, made afresh by every record().
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/operation.h"

namespace libra {

class Event {
 public:
  explicit Event(std::string stream) : stream_(std::move(stream)) {}
  /// The stream has come to the event, with its fault if it has failed.
  void complete(const Fault* fault);
  /// False leaves the signal.
  bool done(const SignalRef& signal);
  /// Meaningful once done.
  std::optional<Fault> fault() const;
  const std::string& stream() const { return stream_; }

 private:
  const std::string stream_;
  mutable std::mutex mutex_;
  bool done_ = false;
  std::optional<Fault> fault_;
  Waiting waiting_;
};

class RecordEvent final : public Operation {
 public:
  explicit RecordEvent(std::shared_ptr<Event> event)
      : Operation("record"), event_(std::move(event)) {}
  void run() override { event_->complete(nullptr); }
  void skip(const Fault& fault) override { event_->complete(&fault); }
  bool isWork() const override { return false; }

 private:
  std::shared_ptr<Event> event_;
};

class WaitEvent final : public Operation {
 public:
  explicit WaitEvent(std::shared_ptr<Event> event) : Operation("wait"), event_(std::move(event)) {}
  bool ready(const SignalRef& signal) override { return event_->done(signal); }
  void run() override;
  bool isWork() const override { return false; }
  std::string describe() const override {
    return "wait for an event of stream \"" + event_->stream() + "\"";
  }

 private:
  std::shared_ptr<Event> event_;
};

}  // namespace libra
