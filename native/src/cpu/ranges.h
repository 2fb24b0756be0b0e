// Cutting rows and elements into tasks whose borders depend on shapes only.
#pragma once

#include "isa.h"
#include "libra/workers.h"
#include "simd.h"

namespace libra::cpu::LIBRA_SET {

/// Elements that are worth one task: some 10 µs of streaming.
inline constexpr int64_t taskElements = int64_t{1} << 15;

/// Orders stores that passed the caches by before what follows a task.
LIBRA_INLINE void finishStores() {
#ifdef __SSE__
  _mm_sfence();
#endif
}

/// body(first, last) over [0, count) in pieces of `grain`.
template <class Body>
LIBRA_INLINE void forRanges(Workers& workers, int64_t count, int64_t grain, Body&& body) {
  // Task numbers are int: very long ranges get a larger grain.
  while (count / grain > (int64_t{1} << 30)) grain *= 2;
  const int64_t tasks = (count + grain - 1) / grain;
  workers.run(static_cast<int>(tasks), [&](int task, int) LIBRA_LAMBDA {
    const int64_t first = task * grain;
    const int64_t last = first + grain;
    body(first, last < count ? last : count);
    finishStores();
  });
}

/// Rows of `width` elements that make a task.
LIBRA_INLINE int64_t rowsOfTask(int64_t width) {
  return width >= taskElements ? 1 : taskElements / (width < 1 ? 1 : width);
}

}  // namespace libra::cpu::LIBRA_SET
