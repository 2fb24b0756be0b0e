#include "peak.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "pages.h"
#include "peak-spin.h"

namespace libra {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Each thread spins for 20 ms, about a millisecond at a time. Its own best rate counts, so that
/// neither a late start nor a while of other work does.
double measure(Workers& workers, double (*spin)(int64_t)) {
  const int threads = workers.threads();
  std::vector<double> rate(threads, 0);
  workers.run(threads, [&](int task, int) {
    const auto begin = Clock::now();
    while (secondsSince(begin) < 0.02) {
      const auto start = Clock::now();
      const double operations = spin(1 << 18);
      rate[task] = std::max(rate[task], operations / secondsSince(start) / 1e9);
    }
  });
  double sum = 0;
  for (const double each : rate) sum += each;
  return sum;
}

}  // namespace

double peakFloat(Workers& workers, [[maybe_unused]] std::string_view instructionSet) {
#ifdef LIBRA_X86
  if (instructionSet == "avx512") return measure(workers, cpu::avx512::spin);
  if (instructionSet == "avx2") return measure(workers, cpu::avx2::spin);
#endif
  return measure(workers, cpu::LIBRA_BASE_SET::spin);
}

double peakBfloat16([[maybe_unused]] Workers& workers) {
#ifdef LIBRA_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl")) {
    return measure(workers, cpu::avx512bf16::spin);
  }
#endif
  return 0;
}

double copyBandwidth(Workers& workers, int64_t bytes) {
  const int threads = workers.threads();
  using Bytes = std::unique_ptr<char, void (*)(void*)>;
  const auto size = static_cast<size_t>(bytes);
  const Bytes from(static_cast<char*>(allocatePages(size)), std::free);
  const Bytes to(static_cast<char*>(allocatePages(size)), std::free);
  if (from == nullptr || to == nullptr) throw std::bad_alloc();
  std::memset(from.get(), 0, size);
  double best = 0;
  const auto begin = Clock::now();
  // The first round touches the target's pages.
  for (int round = 0; round < 5 || secondsSince(begin) < 0.3; ++round) {
    const auto start = Clock::now();
    workers.run(threads, [&](int task, int) {
      const int64_t first = bytes * task / threads, last = bytes * (task + 1) / threads;
      std::memcpy(to.get() + first, from.get() + first, last - first);
    });
    best = std::max(best, 2 * static_cast<double>(bytes) / secondsSince(start) / 1e9);
  }
  return best;
}

}  // namespace libra
