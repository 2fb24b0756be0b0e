// The few lines that the core's tests need.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace libra::test {

inline int failures = 0;

inline void report(bool holds, const char* condition, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
}

/// Runs the named tests; the program's exit code.
template <class... Tests>
int runAll(Tests... tests) {
  try {
    (tests(), ...);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "uncaught: %s\n", error.what());
    return 1;
  }
  if (failures == 0) std::puts("ok");
  return failures == 0 ? 0 : 1;
}

}  // namespace libra::test

#define CHECK(condition) ::libra::test::report((condition), #condition, __FILE__, __LINE__)
