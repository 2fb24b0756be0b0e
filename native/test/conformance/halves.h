// bfloat16 tensors of the tests.
#pragma once

#include <cmath>

#include "buffer.h"
#include "libra/kernels.h"

namespace conformance {

using libra::Bfloat16;

/// bfloat16 values inside a guarded float buffer.
class Halves {
 public:
  explicit Halves(int64_t count) : storage_((count + 1) / 2), count_(count) {}
  Bfloat16* data() { return reinterpret_cast<Bfloat16*>(storage_.data()); }
  int64_t size() const { return count_; }
  bool intact() const { return storage_.intact(); }
  float operator[](int64_t i) {
    const uint32_t bits = static_cast<uint32_t>(data()[i].bits) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  std::vector<double> widened() {
    std::vector<double> values(count_);
    for (int64_t i = 0; i < count_; ++i) values[i] = (*this)[i];
    return values;
  }
  /// What the kernel wrote; NaN all over when it also wrote outside.
  void copyTo(Buffer& out) {
    const bool kept = intact();
    for (int64_t i = 0; i < count_; ++i) out[i] = kept ? (*this)[i] : NAN;
  }
  void fill(Random& random) {
    for (int64_t i = 0; i < count_; ++i) {
      const float value = random.normal();
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      data()[i].bits = static_cast<uint16_t>(bits >> 16);
    }
  }

 private:
  Buffer storage_;
  int64_t count_;
};

}  // namespace conformance
