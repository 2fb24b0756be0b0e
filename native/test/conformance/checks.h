// Small helpers of the checks that are not cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace conformance {

/// Counts and prints failures of one set's checks.
class Checks {
 public:
  explicit Checks(const char* set) : set_(set) {}
  void near(const std::string& what, double actual, double expected, double tolerance) {
    const double allowed = tolerance * std::max(1.0, std::fabs(expected));
    if (std::isinf(expected) ? actual == expected : std::fabs(actual - expected) <= allowed) return;
    std::printf("FAIL %s %s: %.9g instead of %.9g\n", set_, what.c_str(), actual, expected);
    ++failures_;
  }
  void holds(const std::string& what, bool condition) {
    if (condition) return;
    std::printf("FAIL %s %s\n", set_, what.c_str());
    ++failures_;
  }
  int failures() const { return failures_; }

 private:
  const char* set_;
  int failures_ = 0;
};

}  // namespace conformance
