// Small integer arithmetic. Not the standard library's: see isa.h.
#pragma once

#include <cstdint>

#include "isa.h"

namespace libra::cpu::LIBRA_SET {

LIBRA_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
LIBRA_INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
LIBRA_INLINE int64_t divideUp(int64_t x, int64_t unit) { return (x + unit - 1) / unit; }
LIBRA_INLINE int64_t roundUp(int64_t x, int64_t unit) { return divideUp(x, unit) * unit; }

}  // namespace libra::cpu::LIBRA_SET
