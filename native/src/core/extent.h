// How far the lists of libra.h reach into their tensors.
#pragma once

#include <cstdint>
#include <string>

#include "core/fault.h"

namespace libra::api {

inline void refuseNegative(int64_t value, const char* name, int64_t entry) {
  if (value >= 0) return;
  throw Error("ARGUMENT", std::string("Expected at least 0 for ") + name + "[" +
                              std::to_string(entry) + "] but received " + std::to_string(value));
}

/// One past the last vector of `rows` groups of `width`; 0 for none.
inline int64_t extentOf(int64_t offset, int64_t rows, int64_t stride, int64_t width) {
  return rows == 0 || width == 0 ? 0 : offset + (rows - 1) * stride + width;
}

}  // namespace libra::api
