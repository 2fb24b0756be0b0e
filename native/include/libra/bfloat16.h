// The element type of half-width tensors.
#pragma once

#include <cstdint>

namespace libra {

/// A bfloat16: the upper half of a float's bits.
struct Bfloat16 {
  uint16_t bits;
};

}  // namespace libra
