// Errors against float64 are at most twice those of a plain float32 implementation: sums in
// sequence, std::exp, the whole row of weights at once.
#include <algorithm>
#include <cmath>

#include "attention-call.h"
#include "attention-reference.h"
#include "case.h"
#include "checks.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

constexpr int64_t rows = 400, dim = 64;

float dot(const float* a, const float* b, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// One causal document, one head, in plain float32.
void plainAttention(AttentionCall& c) {
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<float> weight(i + 1);
    float most = -INFINITY, sum = 0;
    for (int64_t j = 0; j <= i; ++j) {
      weight[j] = dot(c.q.data() + i * dim, c.k.data() + j * dim, dim) * c.scale;
      most = std::max(most, weight[j]);
    }
    for (float& w : weight) sum += w = std::exp(w - most);
    c.logSumExp[i] = most + std::log(sum);
    float* out = c.out.data() + i * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = 0;
    for (int64_t j = 0; j <= i; ++j) {
      for (int64_t d = 0; d < dim; ++d) out[d] += weight[j] / sum * c.v[j * dim + d];
    }
    const float* dOut = c.dOut.data() + i * dim;
    const float delta = dot(out, dOut, dim);
    for (int64_t j = 0; j <= i; ++j) {
      const float score = dot(c.q.data() + i * dim, c.k.data() + j * dim, dim) * c.scale;
      const float p = std::exp(score - c.logSumExp[i]);
      const float ds = p * (dot(dOut, c.v.data() + j * dim, dim) - delta) * c.scale;
      for (int64_t d = 0; d < dim; ++d) {
        c.dq[i * dim + d] += ds * c.k[j * dim + d];
        c.dk[j * dim + d] += ds * c.q[i * dim + d];
        c.dv[j * dim + d] += p * dOut[d];
      }
    }
  }
}

double worst(const Buffer& actual, const std::vector<double>& expected) {
  double error = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    error = std::max(error, std::fabs(actual[i] - expected[i]));
  }
  return error;
}

void compare(Checks& checks, const std::string& what, double own, double plain) {
  checks.holds(what + " is off by " + std::to_string(own * 1e6) +
                   "e-6, a plain implementation by " + std::to_string(plain * 1e6) + "e-6",
               own <= 2 * plain);
}

void checkAttention(const Kernels& kernels, Workers& workers, Checks& checks) {
  AttentionCall own(rows, rows, dim, dim, 0.125f);
  Random random(11);
  for (Buffer* buffer : {&own.q, &own.k, &own.v, &own.dOut}) random.fill(*buffer, 1.5);
  AttentionCall plain = own;
  const std::vector<AttentionSegment> segments{{0, 1, 1, rows, 0, 1, rows, true}};
  own.forward(kernels, workers, segments);
  own.computeDelta(kernels, workers);
  own.backward(kernels, workers, segments);
  plainAttention(plain);
  const AttentionProblem problem{segments,       dim, dim, 0.125, own.q.widened(), own.k.widened(),
                                 own.v.widened()};
  const AttentionResult result = attentionReference(problem);
  const AttentionGradients gradients = attentionGradients(problem, result, own.dOut.widened());
  compare(checks, "out", worst(own.out, result.out), worst(plain.out, result.out));
  compare(checks, "lse", worst(own.logSumExp, result.logSumExp),
          worst(plain.logSumExp, result.logSumExp));
  compare(checks, "dq", worst(own.dq, gradients.dq), worst(plain.dq, gradients.dq));
  compare(checks, "dk", worst(own.dk, gradients.dk), worst(plain.dk, gradients.dk));
  compare(checks, "dv", worst(own.dv, gradients.dv), worst(plain.dv, gradients.dv));
}

void checkLinear(const Kernels& kernels, Workers& workers, Checks& checks) {
  const int64_t tokens = 20, in = 3000, outputs = 50;
  Buffer x(tokens * in), weight(outputs * in), own(tokens * outputs), plain(tokens * outputs);
  Random random(12);
  random.fill(x);
  random.fill(weight);
  kernels.linear(workers, {.x = x.data(),
                           .weight = weight.data(),
                           .out = own.data(),
                           .rows = tokens,
                           .in = in,
                           .outputs = outputs});
  std::vector<double> exact(tokens * outputs);
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t n = 0; n < outputs; ++n) {
      plain[t * outputs + n] = dot(x.data() + t * in, weight.data() + n * in, in);
      for (int64_t i = 0; i < in; ++i) {
        exact[t * outputs + n] += static_cast<double>(x[t * in + i]) * weight[n * in + i];
      }
    }
  }
  compare(checks, "linear", worst(own, exact), worst(plain, exact));
}

}  // namespace

int checkAccuracy(const Kernels& kernels, Workers& workers) {
  Checks checks(kernels.instructionSet);
  checkAttention(kernels, workers, checks);
  checkLinear(kernels, workers, checks);
  return checks.failures();
}

}  // namespace conformance
