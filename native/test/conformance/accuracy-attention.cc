// Attention's errors against float64, float32 and bfloat16.
#include "accuracy.h"
#include "attention-call.h"
#include "attention-reference.h"
#include "halves.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

constexpr int64_t rows = 400, dim = 64;
const std::vector<AttentionSegment> segments{{0, 1, 1, rows, 0, 1, rows, true}};

float asFloat(float x) { return x; }

/// To bfloat16 and back, to nearest even.
float asBfloat16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// One causal document, one head, sums in float32; `round` what is stored or meets a matrix.
void plainAttention(AttentionCall& c, float (*round)(float)) {
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<float> weight(i + 1);
    float most = -INFINITY, sum = 0;
    for (int64_t j = 0; j <= i; ++j) {
      weight[j] = plainDot(c.q.data() + i * dim, c.k.data() + j * dim, dim) * c.scale;
      most = std::max(most, weight[j]);
    }
    for (float& w : weight) sum += w = std::exp(w - most);
    c.logSumExp[i] = most + std::log(sum);
    float* out = c.out.data() + i * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = 0;
    for (int64_t j = 0; j <= i; ++j) {
      for (int64_t d = 0; d < dim; ++d) out[d] += round(weight[j] / sum) * c.v[j * dim + d];
    }
    for (int64_t d = 0; d < dim; ++d) out[d] = round(out[d]);
    const float* dOut = c.dOut.data() + i * dim;
    const float delta = plainDot(out, dOut, dim);
    for (int64_t j = 0; j <= i; ++j) {
      const float score = plainDot(c.q.data() + i * dim, c.k.data() + j * dim, dim) * c.scale;
      const float p = std::exp(score - c.logSumExp[i]);
      const float ds = round(p * (plainDot(dOut, c.v.data() + j * dim, dim) - delta) * c.scale);
      for (int64_t d = 0; d < dim; ++d) {
        c.dq[i * dim + d] += ds * c.k[j * dim + d];
        c.dk[j * dim + d] += ds * c.q[i * dim + d];
        c.dv[j * dim + d] += round(p) * dOut[d];
      }
    }
  }
}

/// The bfloat16 kernels on a call whose inputs are bfloat16 values.
void solveBfloat16(const libra::Kernels& kernels, libra::Workers& w, AttentionCall& call) {
  Halves q(rows * dim), k(rows * dim), v(rows * dim), dOut(rows * dim), out(rows * dim);
  const auto narrow = [&](Halves& to, const Buffer& from) {
    kernels.narrow(w, {from.data(), to.data(), from.size()});
  };
  narrow(q, call.q);
  narrow(k, call.k);
  narrow(v, call.v);
  narrow(dOut, call.dOut);
  kernels.attentionForwardBfloat16(
      w, {q.data(), k.data(), v.data(), out.data(), call.logSumExp.data(), segments.data(), 1,
          call.scale, dim, dim});
  kernels.attentionDeltaBfloat16(w, {out.data(), dOut.data(), call.delta.data(), rows, dim});
  kernels.attentionBackwardBfloat16(
      w,
      {q.data(), k.data(), v.data(), dOut.data(), call.logSumExp.data(), call.delta.data(),
       call.dq.data(), call.dk.data(), call.dv.data(), segments.data(), 1, call.scale, dim, dim});
  out.copyTo(call.out);
}

void compareCalls(Checks& checks, const std::string& precision, const AttentionCall& own,
                  const AttentionCall& plain) {
  const AttentionProblem problem{segments,       dim, dim, 0.125, own.q.widened(), own.k.widened(),
                                 own.v.widened()};
  const AttentionResult result = attentionReference(problem);
  const AttentionGradients gradients = attentionGradients(problem, result, own.dOut.widened());
  compareErrors(checks, precision + " out", own.out, plain.out, result.out);
  compareErrors(checks, precision + " lse", own.logSumExp, plain.logSumExp, result.logSumExp);
  compareErrors(checks, precision + " dq", own.dq, plain.dq, gradients.dq);
  compareErrors(checks, precision + " dk", own.dk, plain.dk, gradients.dk);
  compareErrors(checks, precision + " dv", own.dv, plain.dv, gradients.dv);
}

}  // namespace

void checkAttentionAccuracy(const libra::Kernels& kernels, libra::Workers& workers,
                            Checks& checks) {
  for (const auto round : {asFloat, asBfloat16}) {
    AttentionCall own(rows, rows, dim, dim, 0.125f);
    Random random(11);
    for (Buffer* buffer : {&own.q, &own.k, &own.v, &own.dOut}) {
      random.fill(*buffer, 1.5);
      for (int64_t i = 0; i < buffer->size(); ++i) (*buffer)[i] = round((*buffer)[i]);
    }
    AttentionCall plain = own;
    plainAttention(plain, round);
    if (round == asFloat) {
      own.forward(kernels, workers, segments);
      own.computeDelta(kernels, workers);
      own.backward(kernels, workers, segments);
    } else {
      solveBfloat16(kernels, workers, own);
    }
    compareCalls(checks, round == asFloat ? "float32" : "bfloat16", own, plain);
  }
}

}  // namespace conformance
