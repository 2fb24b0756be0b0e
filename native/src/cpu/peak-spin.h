// One loop of multiply-adds for each instruction set; each returns the operations it did.
#pragma once

#include <cstdint>

#include "isa.h"

namespace libra::cpu {

namespace LIBRA_BASE_SET {
double spin(int64_t rounds);
}
namespace avx2 {
double spin(int64_t rounds);
}
namespace avx512 {
double spin(int64_t rounds);
}
/// Dot products of bfloat16 pairs with float32 sums.
namespace avx512bf16 {
double spin(int64_t rounds);
}

}  // namespace libra::cpu
