// Cases of operators that exist for float32 and for bfloat16: one struct, templated on the element.
#pragma once

#include <type_traits>

#include "case.h"
#include "halves.h"

namespace conformance {

template <class Element>
class TensorOf;

template <>
class TensorOf<float> : public Buffer {
 public:
  using Buffer::Buffer;
  Buffer& wide() { return *this; }
  void gather() {}
};

/// bfloat16 values and, after gather(), a float copy of what a kernel wrote.
template <>
class TensorOf<Bfloat16> {
 public:
  explicit TensorOf(int64_t count) : halves_(count), wide_(count) {}
  Bfloat16* data() { return halves_.data(); }
  int64_t size() const { return halves_.size(); }
  float operator[](int64_t i) { return halves_[i]; }
  std::vector<double> widened() { return halves_.widened(); }
  Buffer& wide() { return wide_; }
  /// Leaves garbage, so that what the next run does not write shows.
  void gather() {
    halves_.copyTo(wide_);
    for (int64_t i = 0; i < size(); ++i) data()[i].bits = 0xffff;
  }

 private:
  Halves halves_;
  Buffer wide_;
};

inline void fill(Random& random, TensorOf<float>& tensor, double scale = 1) {
  random.fill(tensor, scale);
}
/// The values of the float case, cut to bfloat16.
inline void fill(Random& random, TensorOf<Bfloat16>& tensor, double scale = 1) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const float value = random.normal(scale);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    tensor.data()[i].bits = static_cast<uint16_t>(bits >> 16);
  }
}

template <class Element>
inline constexpr bool narrow = std::is_same_v<Element, Bfloat16>;

template <class Element>
std::string named(const char* name) {
  return std::string(name) + (narrow<Element> ? "Bfloat16" : "");
}

/// The kernel for the element out of both.
template <class Element, class Wide, class Narrow>
auto pick(Wide wide, Narrow bfloat16) {
  if constexpr (narrow<Element>) {
    return bfloat16;
  } else {
    return wide;
  }
}

/// Of a result stored as Element; for bfloat16 half a unit of its 8 bits, 2^−8, and sums' errors.
template <class Element>
double toleranceOf(double wide = 2e-6) {
  return narrow<Element> ? 0x1p-8 + wide : wide;
}

}  // namespace conformance
