// Conformance of the CPU kernels, in four modes:
//
//   conformance test     every operator against a float64 reference, equal bits with 1, 2 and 3
//                        threads, no write outside its outputs; then known values, attention's
//                        bitwise rules and offsets above 2^31
//   conformance grad     gradients against finite differences
//   conformance perf     GFLOP/s or GB/s of every operator, large shapes included
//   conformance support  which operators work on which instruction sets, as a Markdown table
//
// Options: --isa NAME (default: all that this machine has), --operator TEXT (names that contain
// it), --small (small cases alone, for emulators), --threads N (perf). Exit codes: 0 passed,
// 1 failed, 2 wrong usage, 77 the machine lacks the set.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "case.h"
#include "support.h"

namespace conformance {
namespace {

struct Options {
  std::string mode = "test";
  std::string isa;
  std::string filter;
  bool smallOnly = false;
  int threads = 1;
};

CaseList allCases() {
  CaseList list;
  addLinearCases(list);
  addRowCases(list);
  addSwigluCases(list);
  addLossCases(list);
  addOptimizerCases(list);
  addVectorCases(list);
  addAttentionCases(list);
  addBfloat16Cases(list);
  return list;
}

std::vector<std::string> chosenSets(const Options& options) {
  if (!options.isa.empty()) return {options.isa};
  std::istringstream names{std::string(libra::instructionSets())};
  std::vector<std::string> sets;
  for (std::string name; names >> name;) sets.push_back(name);
  return sets;
}

/// Worst error relative to the largest expected value; NaN and wrong infinities count as infinite.
double errorOf(const Expected& expected) {
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < expected.actual->size(); ++i) {
    const double value = expected.values[i], actual = (*expected.actual)[i];
    if (std::isinf(value) ? actual == value : false) continue;
    const double error = std::fabs(actual - value);
    if (!(error <= 1e300)) return INFINITY;
    worst = std::max(worst, error);
    largest = std::max(largest, std::fabs(value));
  }
  return worst == 0 ? 0 : worst / std::max(largest, 1e-30);
}

void runOnce(Case& test, const Kernels& kernels, Workers& workers) {
  for (Expected& output : test.outputs) output.actual->resize(output.actual->size(), NAN);
  test.prepare();
  test.run(kernels, workers);
}

/// Failures of one case in mode test.
int testCase(Case& test, const Kernels& kernels) {
  int failures = 0;
  const auto fail = [&](const std::string& what) {
    std::printf("FAIL %s %s (%s): %s\n", kernels.instructionSet, test.name.c_str(),
                test.shape.c_str(), what.c_str());
    ++failures;
  };
  std::vector<Buffer> first;
  for (const int threads : {1, 2, 3}) {
    libra::ThreadWorkers workers(threads);
    runOnce(test, kernels, workers);
    for (size_t i = 0; i < test.outputs.size(); ++i) {
      const Expected& output = test.outputs[i];
      if (!output.actual->intact()) fail(output.label + " was written outside");
      if (threads == 1) first.push_back(*output.actual);
      if (!output.actual->sameBits(first[i])) {
        fail(output.label + " differs with " + std::to_string(threads) + " threads");
      }
    }
  }
  for (Expected& output : test.outputs) output.values.assign(output.actual->size(), 0);
  test.reference(test.outputs);
  for (const Expected& output : test.outputs) {
    const double error = errorOf(output);
    if (error > output.tolerance) {
      std::ostringstream text;
      text << output.label << " is off by " << error << " of its largest value, allowed "
           << output.tolerance;
      fail(text.str());
    }
  }
  return failures;
}

/// Failures of one case in mode grad: central differences of the float64 loss.
int gradCase(Case& test, const Kernels& kernels) {
  libra::ThreadWorkers workers(1);
  runOnce(test, kernels, workers);
  int failures = 0;
  for (const Slope& slope : test.slopes()) {
    double worst = 0, largest = 1e-3;
    const int64_t count = static_cast<int64_t>(slope.variable->size());
    const int64_t stride = 1 + count / 60;
    for (int64_t i = 0; i < count; i += stride) {
      double& x = (*slope.variable)[i];
      const double kept = x, step = 1e-5;
      x = kept + step;
      const double above = test.loss();
      x = kept - step;
      const double below = test.loss();
      x = kept;
      const double expected = (above - below) / (2 * step);
      worst = std::max(worst, std::fabs(expected - (*slope.gradient)[i]));
      largest = std::max(largest, std::fabs(expected));
    }
    if (!(worst / largest <= 2e-5)) {
      std::printf("FAIL %s %s (%s): %s is off its finite difference by %.2e\n",
                  kernels.instructionSet, test.name.c_str(), test.shape.c_str(),
                  slope.label.c_str(), worst / largest);
      ++failures;
    }
  }
  return failures;
}

/// Wall time; with one thread its CPU time, which other processes disturb less.
double secondsNow(int threads) {
  if (threads == 1) return libra::threadCpuMs() / 1e3;
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

void perfCase(Case& test, const Kernels& kernels, int threads) {
  libra::ThreadWorkers workers(threads);
  runOnce(test, kernels, workers);
  double best = INFINITY, spent = 0;
  for (int round = 0; round < 3 || (round < 20 && spent < 1); ++round) {
    test.prepare();
    const double start = secondsNow(threads);
    test.run(kernels, workers);
    const double seconds = secondsNow(threads) - start;
    best = std::min(best, seconds);
    spent += seconds;
  }
  std::printf("%-7s %-26s %9.3f ms", kernels.instructionSet, test.name.c_str(), best * 1e3);
  if (test.flops > 0) std::printf(" %8.1f GFLOP/s", test.flops / best / 1e9);
  if (test.bytes > 0) std::printf(" %8.1f GB/s", test.bytes / best / 1e9);
  std::printf("  %s\n", test.shape.c_str());
  std::fflush(stdout);
}

bool belongs(Size size, const Options& options) {
  const std::string& mode = options.mode;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (size == Size::wide) return false;  // too slow there
#endif
  if (size == Size::wide && options.smallOnly) return false;
  if (mode == "perf") return size == Size::large;
  return size == Size::small || (size == Size::wide && mode != "grad");
}

int run(const Options& options) {
  int failures = 0, ran = 0;
  SupportTable support;
  std::vector<std::string> products;
  for (const std::string& set : chosenSets(options)) {
    const Kernels& kernels = libra::kernels(set);
    products.push_back(kernels.bfloat16);
    for (const Entry& entry : allCases()) {
      if (!belongs(entry.size, options)) continue;
      const std::unique_ptr<Case> test = entry.build();
      if (test->name.find(options.filter) == std::string::npos) continue;
      int found = 0;
      if (options.mode == "perf") {
        perfCase(*test, kernels, options.threads);
      } else if (options.mode == "grad") {
        found = gradCase(*test, kernels);
      } else {
        found = testCase(*test, kernels);
      }
      support.add(test->name, set, found);
      failures += found;
      ++ran;
    }
    if (options.mode == "test" && options.filter.empty() && !options.smallOnly) {
      libra::ThreadWorkers workers(2);
      failures += checkKnownValues(kernels, workers);
      failures += checkAttentionRules(kernels);
      failures += checkBfloat16Rules(kernels);
      failures += checkLargeOffsets(kernels, workers);
#ifndef __SANITIZE_THREAD__  // about rounding, not threads, and slow there
      failures += checkAccuracy(kernels, workers);
      failures += checkBfloat16Accuracy(kernels, workers);
#endif
    }
  }
  if (options.mode == "support") {
    support.print(chosenSets(options), products);
  } else if (options.mode != "perf") {
    std::printf("%s: %d cases, %d failures\n", options.mode.c_str(), ran, failures);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  conformance::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool valued = word == "--isa" || word == "--operator" || word == "--threads";
    if (valued && i + 1 < count) {
      const std::string value = arguments[++i];
      if (word == "--isa") options.isa = value;
      if (word == "--operator") options.filter = value;
      if (word == "--threads") options.threads = std::stoi(value);
    } else if (word == "--small") {
      options.smallOnly = true;
    } else if (word == "test" || word == "grad" || word == "perf" || word == "support") {
      options.mode = word;
    } else {
      std::cerr << "Expected test, grad, perf or support, --isa NAME, --operator TEXT, --small or "
                   "--threads N but received "
                << word << "\n";
      return 2;
    }
  }
  try {
    if (!options.isa.empty()) libra::kernels(options.isa);
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << "\n";
    return 77;
  }
  return conformance::run(options);
}
