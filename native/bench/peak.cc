#include "peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

// One loop for each set, in files compiled for it; each returns the number of operations it did.
double spinBase(int64_t rounds);
#ifdef LIBRA_X86
double spinAvx2(int64_t rounds);
double spinAvx512(int64_t rounds);
double spinBfloat16(int64_t rounds);
#endif

namespace {

using Clock = std::chrono::steady_clock;

/// Each thread spins for some 20 ms; its own rate counts, so that a late start does not.
double measure(libra::Workers& workers, double (*spin)(int64_t)) {
  const int threads = workers.threads();
  std::vector<double> rate(threads, 0);
  workers.run(threads, [&](int task, int) {
    for (int round = 0; round < 3; ++round) {
      const auto start = Clock::now();
      const double operations = spin(1 << 18);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      rate[task] = std::max(rate[task], operations / seconds / 1e9);
    }
  });
  double sum = 0;
  for (const double each : rate) sum += each;
  return sum;
}

}  // namespace

double peakFloat(libra::Workers& workers, [[maybe_unused]] const char* instructionSet) {
#ifdef LIBRA_X86
  const std::string_view set = instructionSet;
  if (set == "avx512") return measure(workers, spinAvx512);
  if (set == "avx2") return measure(workers, spinAvx2);
#endif
  return measure(workers, spinBase);
}

double peakBfloat16([[maybe_unused]] libra::Workers& workers) {
#ifdef LIBRA_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl")) {
    return measure(workers, spinBfloat16);
  }
#endif
  return 0;
}

}  // namespace bench
