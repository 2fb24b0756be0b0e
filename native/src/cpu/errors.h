// Errors of kernels that meet bad data.
#pragma once

#include <cstdint>

namespace libra::cpu {

/// Throws std::out_of_range: "Expected an id in [0, limit) for what[at] but received value".
[[noreturn]] void throwOutside(const char* what, int64_t at, int64_t value, int64_t limit);

}  // namespace libra::cpu
