// What the request-driven benchmark programs share: thread pools, timed runs, answers.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "foreign.h"
#include "libra/kernels.h"
#include "libra/workers.h"
#include "peak.h"

namespace bench {

/// One set of threads for each count asked for.
class Pool {
 public:
  libra::Workers& operator()(int threads) {
    std::unique_ptr<libra::ThreadWorkers>& found = workers_[threads];
    if (found == nullptr) found = std::make_unique<libra::ThreadWorkers>(threads);
    return *found;
  }

 private:
  std::map<int, std::unique_ptr<libra::ThreadWorkers>> workers_;
};

/// {"fp32", "bf16", "foreign"}: peaks of all threads together in GFLOP/s.
inline std::string peakAnswer(libra::Workers& workers) {
  const ForeignLoad load;
  const double fp32 = peakFloat(workers, libra::kernels().instructionSet);
  const double bf16 = peakBfloat16(workers);
  std::ostringstream text;
  text << "{\"fp32\":" << fp32 << ",\"bf16\":" << bf16 << ",\"foreign\":" << load.cores() << "}";
  return text.str();
}

/// {"seconds", "flops" or another unit of work, "foreign"}. seconds: wall time, with one thread the
/// CPU time, which others disturb less; foreign: cores that other processes used meanwhile.
template <class Body>
std::string timedAnswer(Body&& body, double work, int threads, const char* unit = "flops") {
  const ForeignLoad load;
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::ostringstream text;
  text.precision(10);
  text << "{\"seconds\":" << (threads == 1 ? load.ownSince() : wall.count()) << ",\"" << unit
       << "\":" << work << ",\"foreign\":" << load.cores() << "}";
  return text.str();
}

}  // namespace bench
