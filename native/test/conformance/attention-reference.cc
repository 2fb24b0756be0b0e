#include "attention-reference.h"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

using libra::AttentionSegment;

/// Calls body(query vector, segment, keys that the row sees) for every row and head.
template <class Body>
void forRows(const AttentionProblem& p, Body&& body) {
  for (const AttentionSegment& s : p.segments) {
    for (int64_t row = 0; row < s.rows; ++row) {
      const int64_t keys = s.causal ? std::max<int64_t>(0, s.keys - s.rows + row + 1) : s.keys;
      for (int64_t head = 0; head < s.heads; ++head) {
        body(s.queryOffset + row * s.queryStride + head, s, keys);
      }
    }
  }
}

double dot(const double* a, const double* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

AttentionResult attentionReference(const AttentionProblem& p) {
  const int64_t vectors = static_cast<int64_t>(p.q.size()) / p.headDim;
  AttentionResult result{std::vector<double>(vectors * p.valueDim),
                         std::vector<double>(vectors, -INFINITY)};
  forRows(p, [&](int64_t query, const AttentionSegment& s, int64_t keys) {
    std::vector<double> score(keys);
    double most = -INFINITY;
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t key = s.keyOffset + j * s.keyStride;
      score[j] = p.scale * dot(&p.q[query * p.headDim], &p.k[key * p.headDim], p.headDim);
      most = std::max(most, score[j]);
    }
    double sum = 0;
    for (const double x : score) sum += std::exp(x - most);
    if (keys > 0) result.logSumExp[query] = most + std::log(sum);
    for (int64_t j = 0; j < keys; ++j) {
      const double weight = std::exp(score[j] - most) / sum;
      const double* value = &p.v[(s.keyOffset + j * s.keyStride) * p.valueDim];
      for (int64_t d = 0; d < p.valueDim; ++d)
        result.out[query * p.valueDim + d] += weight * value[d];
    }
  });
  return result;
}

AttentionGradients attentionGradients(const AttentionProblem& p, const AttentionResult& result,
                                      const std::vector<double>& dOut) {
  AttentionGradients g{std::vector<double>(p.q.size()), std::vector<double>(p.k.size()),
                       std::vector<double>(p.v.size())};
  forRows(p, [&](int64_t query, const AttentionSegment& s, int64_t keys) {
    const double* q = &p.q[query * p.headDim];
    const double* gradient = &dOut[query * p.valueDim];
    const double delta = dot(&result.out[query * p.valueDim], gradient, p.valueDim);
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t key = s.keyOffset + j * s.keyStride;
      const double* k = &p.k[key * p.headDim];
      const double weight = std::exp(p.scale * dot(q, k, p.headDim) - result.logSumExp[query]);
      const double product = dot(gradient, &p.v[key * p.valueDim], p.valueDim);
      const double slope = weight * (product - delta) * p.scale;
      for (int64_t d = 0; d < p.headDim; ++d) {
        g.dq[query * p.headDim + d] += slope * k[d];
        g.dk[key * p.headDim + d] += slope * q[d];
      }
      for (int64_t d = 0; d < p.valueDim; ++d) g.dv[key * p.valueDim + d] += weight * gradient[d];
    }
  });
  return g;
}

}  // namespace conformance
