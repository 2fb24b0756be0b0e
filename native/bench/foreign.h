// How much of the machine other processes take during a measurement.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <string>

namespace bench {

/// Starts at construction. Linux only: elsewhere cores() is 0.
class ForeignLoad {
 public:
  ForeignLoad() : time_(Clock::now()), busy_(busySeconds()), own_(ownSeconds()) {}
  /// Cores that others used since construction, from /proc/stat (10 ms ticks).
  double cores() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - time_).count();
    const double foreign = (busySeconds() - busy_) - (ownSeconds() - own_);
    return busy_ == 0 || foreign < 0 ? 0 : foreign / seconds;
  }

  /// CPU seconds of this process's threads since construction.
  double ownSince() const { return ownSeconds() - own_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double busySeconds() {
    std::ifstream file("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0;
    file >> cpu >> user >> nice >> system >> idle >> wait >> irq >> softirq;
    return (user + nice + system + irq + softirq) / 100;
  }
  static double ownSeconds() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  Clock::time_point time_;
  double busy_;
  double own_;
};

}  // namespace bench
