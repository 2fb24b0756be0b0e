// Values worked out by hand or by a float64 program, each from a fault that others have met:
// wrong head maps, lost scales, empty documents, overflow in merges.
#include <algorithm>
#include <cmath>
#include <limits>

#include "attention-call.h"
#include "case.h"
#include "checks.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

constexpr double tolerance = 2e-6;

/// x_i = sin(0.37 · i + phase)
void generate(Buffer& buffer, double phase) {
  for (int64_t i = 0; i < buffer.size(); ++i) {
    buffer[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i) + phase));
  }
}

struct Shape {
  std::vector<int64_t> rows, keys;
  int64_t heads, kvHeads, headDim, valueDim;
  double scale;
  bool causal;
};

AttentionCall solve(const Kernels& kernels, Workers& workers, const Shape& s, bool generated) {
  int64_t rows = 0, keys = 0;
  std::vector<AttentionSegment> segments;
  for (size_t i = 0; i < s.rows.size(); ++i) {
    for (int64_t g = 0; g < s.kvHeads; ++g) {
      const int64_t group = s.heads / s.kvHeads;
      segments.push_back({rows * s.heads + g * group, s.heads, group, s.rows[i],
                          keys * s.kvHeads + g, s.kvHeads, s.keys[i], s.causal});
    }
    rows += s.rows[i];
    keys += s.keys[i];
  }
  AttentionCall call(rows * s.heads, keys * s.kvHeads, s.headDim, s.valueDim,
                     static_cast<float>(s.scale));
  if (generated) {
    generate(call.q, 0.1);
    generate(call.k, 0.5);
    generate(call.v, 0.9);
    generate(call.dOut, 1.3);
  } else {  // uniform weights: each row is the mean of its values
    for (int64_t i = 0; i < call.v.size(); ++i) call.v[i] = static_cast<float>(1 + i / s.valueDim);
    for (int64_t i = 0; i < call.dOut.size(); ++i) {
      call.dOut[i] = static_cast<float>(1 + i / s.valueDim);
    }
  }
  call.forward(kernels, workers, segments);
  call.computeDelta(kernels, workers);
  call.backward(kernels, workers, segments);
  return call;
}

double sum(const Buffer& x) {
  double total = 0;
  for (int64_t i = 0; i < x.size(); ++i) total += x[i];
  return total;
}
double sumOfSquares(const Buffer& x) {
  double total = 0;
  for (int64_t i = 0; i < x.size(); ++i) total += static_cast<double>(x[i]) * x[i];
  return total;
}

void checkGenerated(const Kernels& kernels, Workers& workers, Checks& checks) {
  // Sums of many terms of both signs: errors are relative to the number of terms.
  const double loose = 2e-5;
  const auto grouped = solve(kernels, workers, {{5, 3}, {5, 3}, 6, 2, 4, 4, 0.5, true}, true);
  checks.near("grouped heads: sum of out", sum(grouped.out), -7.472544553, loose);
  checks.near("grouped heads: squares of out", sumOfSquares(grouped.out), 57.050237571, tolerance);
  checks.near("grouped heads: last out", grouped.out[grouped.out.size() - 1], 0.553360062,
              tolerance);
  checks.near("grouped heads: sum of lse", sum(grouped.logSumExp), 50.890120117, loose);
  checks.near("grouped heads: sum of dq", sum(grouped.dq), -1.310951814, loose);
  checks.near("grouped heads: squares of dq", sumOfSquares(grouped.dq), 32.104142176, tolerance);
  checks.near("grouped heads: squares of dk", sumOfSquares(grouped.dk), 16.176609479, tolerance);
  checks.near("grouped heads: sum of dv", sum(grouped.dv), 3.900637502, loose);
  checks.near("grouped heads: squares of dv", sumOfSquares(grouped.dv), 30.425976167, tolerance);
  checks.near("grouped heads: dq[6,5,3]", grouped.dq[(6 * 6 + 5) * 4 + 3], -0.063971166, tolerance);
  checks.near("grouped heads: dk[4,1,2]", grouped.dk[(4 * 2 + 1) * 4 + 2], 0.015672095, tolerance);
  checks.near("grouped heads: dv[4,1,2]", grouped.dv[(4 * 2 + 1) * 4 + 2], -0.176666537, tolerance);
  const auto odd = solve(kernels, workers, {{11}, {11}, 2, 1, 4, 4, 0.5, true}, true);
  checks.near("eleven rows: sum of out", sum(odd.out), 16.266908066, loose);
  checks.near("eleven rows: squares of dq", sumOfSquares(odd.dq), 12.698715720, tolerance);
  checks.near("eleven rows: squares of dk", sumOfSquares(odd.dk), 9.499377384, tolerance);
  checks.near("eleven rows: squares of dv", sumOfSquares(odd.dv), 17.973287574, tolerance);
  const auto wide = solve(kernels, workers, {{4, 3}, {4, 3}, 2, 1, 4, 6, 0.5, true}, true);
  checks.near("wider values: sum of out", sum(wide.out), 0.288234884, loose);
  checks.near("wider values: sum of dv", sum(wide.dv), -0.737680014, loose);
  const auto scaled = solve(kernels, workers, {{4, 3}, {4, 3}, 2, 1, 4, 4, 0.25, true}, true);
  checks.near("scale 0.25: sum of out", sum(scaled.out), 25.934829998, loose);
  checks.near("scale 0.25: sum of dq", sum(scaled.dq), 1.266668693, loose);
  checks.near("scale 0.25: squares of dk", sumOfSquares(scaled.dk), 0.655727546, tolerance);
  const double rootHalf = 1 / std::sqrt(2.0);
  const auto empty = solve(kernels, workers, {{0, 2}, {3, 2}, 1, 1, 2, 2, rootHalf, false}, true);
  checks.near("no rows but keys: sum of out", sum(empty.out), -1.539846560, loose);
  checks.near("no rows but keys: squares of dk", sumOfSquares(empty.dk), 0.138409581, tolerance);
  checks.near("no rows but keys: sum of dv", sum(empty.dv), 3.518625780, loose);
  for (int64_t i = 0; i < 6; ++i) {
    checks.holds("no rows but keys: untouched dk and dv", empty.dk[i] == 0 && empty.dv[i] == 0);
  }
}

void checkUniform(const Kernels& kernels, Workers& workers, Checks& checks) {
  const auto tiny =
      solve(kernels, workers, {{0, 1, 0, 1}, {0, 1, 0, 1}, 9, 3, 64, 64, 0.125, true}, false);
  for (int64_t i = 0; i < tiny.out.size(); ++i) {
    const int64_t token = i / (9 * 64), kvHead = i / 64 % 9 / 3;
    checks.holds("one-token documents: out is v",
                 tiny.out[i] == tiny.v[(token * 3 + kvHead) * 64 + i % 64]);
  }
  const auto four = solve(kernels, workers, {{1}, {1}, 4, 2, 1, 1, 1, true}, false);
  checks.holds("head map 4/2", four.dv[0] == 3 && four.dv[1] == 7 && sumOfSquares(four.dq) == 0);
  const auto six = solve(kernels, workers, {{1}, {1}, 6, 2, 1, 1, 1, true}, false);
  checks.holds("head map 6/2", six.dv[0] == 6 && six.dv[1] == 15 && sumOfSquares(six.dk) == 0);
  const auto mean = solve(kernels, workers, {{7}, {7}, 1, 1, 1, 1, 1, true}, false);
  for (int64_t i = 0; i < 7; ++i) {
    checks.near("mean of the values seen", mean.out[i], 1 + static_cast<double>(i) / 2, tolerance);
  }
  const auto none = solve(kernels, workers, {{3}, {0}, 2, 1, 4, 4, 1, false}, false);
  for (int64_t i = 0; i < 6; ++i) {
    checks.holds(
        "no keys: out 0, lse −∞",
        none.out[i * 4] == 0 && none.logSumExp[i] == -std::numeric_limits<float>::infinity());
  }
}

void checkMerge(const Kernels& kernels, Workers& workers, Checks& checks) {
  const float none = -std::numeric_limits<float>::infinity();
  const double rows[][6] = {{1, -50, 5, 100, 5, 100},
                            {1, 1000, 3, 1000, 2, 1000.693147},
                            {2, 0, 6, std::log(3.0), 5, std::log(4.0)},
                            {9, none, 3, 0.5, 3, 0.5},
                            {9, none, 7, none, 0, none}};
  for (const auto& row : rows) {
    Buffer out(1, static_cast<float>(row[0])), lse(1, static_cast<float>(row[1]));
    const Buffer partial(1, static_cast<float>(row[2])), partialLse(1, static_cast<float>(row[3]));
    kernels.mergePartials(workers,
                          {partial.data(), partialLse.data(), out.data(), lse.data(), 1, 1});
    checks.near("merged value", out[0], row[4], tolerance);
    checks.near("merged lse", lse[0], row[5], tolerance);
  }
}

void checkErrors(const Kernels& kernels, Workers& workers, Checks& checks) {
  const Buffer table(8), logits(4);
  Buffer out(4);
  const int32_t ids[] = {1, 2};
  std::string message;
  try {
    kernels.embedding(workers, {ids, table.data(), out.data(), 2, 2, 2});
  } catch (const std::out_of_range& error) {
    message = error.what();
  }
  checks.holds("an id outside the table is named: " + message,
               message == "Expected an id in [0, 2) for ids[1] but received 2");
  Buffer lse(2);
  double sums[2];
  message.clear();
  try {
    kernels.crossEntropy(workers, {logits.data(), ids, sums, lse.data(), 2, 2});
  } catch (const std::out_of_range& error) {
    message = error.what();
  }
  checks.holds("a target outside the vocabulary is named: " + message,
               message == "Expected an id in [0, 2) for targets[1] but received 2");
}

}  // namespace

int checkKnownValues(const Kernels& kernels, Workers& workers) {
  Checks checks(kernels.instructionSet);
  checkGenerated(kernels, workers, checks);
  checkUniform(kernels, workers, checks);
  checkMerge(kernels, workers, checks);
  checkErrors(kernels, workers, checks);
  return checks.failures();
}

}  // namespace conformance
