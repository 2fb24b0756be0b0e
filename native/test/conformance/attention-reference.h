// Attention over segments in float64, forward and backward, straight from its definition.
#pragma once

#include <vector>

#include "libra/kernels.h"

namespace conformance {

struct AttentionProblem {
  std::vector<libra::AttentionSegment> segments;
  int64_t headDim, valueDim;
  double scale;
  std::vector<double> q, k, v;
};

struct AttentionResult {
  std::vector<double> out, logSumExp;
};

struct AttentionGradients {
  std::vector<double> dq, dk, dv;
};

AttentionResult attentionReference(const AttentionProblem& problem);
/// Sums over segments; gradients of keys and queries that no segment names stay 0.
AttentionGradients attentionGradients(const AttentionProblem& problem,
                                      const AttentionResult& result,
                                      const std::vector<double>& dOut);

}  // namespace conformance
