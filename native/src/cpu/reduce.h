// Sums over one row, in an order that depends on its length only.
#pragma once

#include "bfloat16.h"

namespace libra::cpu::LIBRA_SET {

/// Σ value(i), where value(i) gives a vector of elements i … i + lanes − 1 and tail(i) one element.
/// Four chains of vectors, then the lanes, then the rest.
template <class Value, class Tail>
LIBRA_INLINE float sumRow(int64_t count, Value&& value, Tail&& tail) {
  Floats sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    unroll<4>([&](auto j) LIBRA_LAMBDA { sums[j] = sums[j] + value(i + j * lanes); });
  }
  for (; i + lanes <= count; i += lanes) sums[0] = sums[0] + value(i);
  float sum = sumLanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < count; ++i) sum += tail(i);
  return sum;
}

/// Σ a · b over one row.
template <class Element>
LIBRA_INLINE float dotRow(const Element* a, const Element* b, int64_t count) {
  return sumRow(
      count, [&](int64_t i) LIBRA_LAMBDA { return load(a + i) * load(b + i); },
      [&](int64_t i) LIBRA_LAMBDA { return widened(a[i]) * widened(b[i]); });
}

}  // namespace libra::cpu::LIBRA_SET
