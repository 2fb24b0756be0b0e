// The highest rate that this machine's multiply-add instructions reach right now.
#pragma once

#include "libra/workers.h"

namespace bench {

/// float32 multiply-adds of the instruction set ("avx512", "avx2", anything else: the base's
/// multiplications and additions), all threads of `workers` together, in GFLOP/s.
double peakFloat(libra::Workers& workers, const char* instructionSet);

/// bfloat16 dot products with float32 sums, in GFLOP/s; 0 where the machine has none.
double peakBfloat16(libra::Workers& workers);

}  // namespace bench
