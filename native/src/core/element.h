// Element types of tensors, and bfloat16 one number at a time.
//
// The kernels have their own conversions of whole vectors; these are for what runs outside them.
#pragma once

#include <bit>
#include <cstdint>

#include "libra/kernels.h"

namespace libra {

enum class ElementType { float32, int32, float64, bfloat16 };

/// "float32", …
const char* nameOf(ElementType type);

/// Bytes of an element in a tensor.
int64_t elementBytes(ElementType type);

inline float widened(Bfloat16 x) { return std::bit_cast<float>(uint32_t{x.bits} << 16); }

/// Rounds to nearest even and keeps NaN a NaN, as the kernels' narrow.
inline Bfloat16 narrowed(float x) {
  const auto word = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>(x == x ? rounded : (word >> 16) | 0x40)};
}

/// Elements from outside into a tensor's memory.
void takeIn(ElementType type, const void* from, char* to, int64_t count);

/// Elements of a tensor's memory to outside.
void giveOut(ElementType type, const char* from, void* to, int64_t count);

}  // namespace libra
