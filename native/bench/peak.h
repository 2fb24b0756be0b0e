// The machine's rates under the name that the benchmarks use.
#pragma once

#include "cpu/peak.h"

namespace bench {

using libra::peakBfloat16;
using libra::peakFloat;

}  // namespace bench
