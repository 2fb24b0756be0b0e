// What this machine reaches right now: the rates that kernels are held against.
#pragma once

#include <cstdint>
#include <string_view>

#include "libra/workers.h"

namespace libra {

/// float32 multiply-adds of the instruction set ("avx512", "avx2", anything else: the oldest one's
/// multiplications and additions), all threads of `workers` together, in GFLOP/s.
double peakFloat(Workers& workers, std::string_view instructionSet);

/// bfloat16 dot products with float32 sums, in GFLOP/s; 0 where the machine has none.
double peakBfloat16(Workers& workers);

/// The C library's memcpy from one block of `bytes` to another, a part for each thread: bytes read
/// and written, in GB/s.
double copyBandwidth(Workers& workers, int64_t bytes);

}  // namespace libra
