// What this machine reaches, behind libra.h.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "cpu/peak.h"
#include "libra/kernels.h"
#include "libra/libra.h"

using namespace libra;

extern "C" {

const char* libra_bfloat16_products(const char* instruction_set) {
  try {
    return kernels(instruction_set).bfloat16;
  } catch (const std::invalid_argument&) {
    return "";
  }
}

double libra_peak_float(int threads, const char* instruction_set) {
  ThreadWorkers workers(std::max(1, threads));
  return peakFloat(workers, instruction_set);
}

double libra_peak_bfloat16(int threads) {
  ThreadWorkers workers(std::max(1, threads));
  return peakBfloat16(workers);
}

double libra_copy_bandwidth(int threads, int64_t bytes) {
  try {
    ThreadWorkers workers(std::max(1, threads));
    return copyBandwidth(workers, std::max<int64_t>(1, bytes));
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // extern "C"
