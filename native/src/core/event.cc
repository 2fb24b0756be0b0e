#include "core/event.h"

namespace libra {

void Event::complete(const Fault* fault) {
  std::lock_guard lock(mutex_);
  done_ = true;
  if (fault != nullptr) fault_ = *fault;
  waiting_.giveAll();
}

bool Event::done(const SignalRef& signal) {
  std::lock_guard lock(mutex_);
  if (!done_) waiting_.add(signal);
  return done_;
}

std::optional<Fault> Event::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

void WaitEvent::run() {
  if (const auto fault = event_->fault()) throw Error(*fault);
}

}  // namespace libra
