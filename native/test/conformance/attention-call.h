// One attention problem in float with all its results, run through the kernels.
#pragma once

#include <vector>

#include "buffer.h"
#include "libra/kernels.h"

namespace conformance {

struct AttentionCall {
  int64_t headDim, valueDim;
  float scale;
  Buffer q, k, v, dOut;
  Buffer out, logSumExp, delta, dq, dk, dv;

  AttentionCall(int64_t queryVectors, int64_t keyVectors, int64_t headDim, int64_t valueDim,
                float scale)
      : headDim(headDim),
        valueDim(valueDim),
        scale(scale),
        q(queryVectors * headDim),
        k(keyVectors * headDim),
        v(keyVectors * valueDim),
        dOut(queryVectors * valueDim),
        out(queryVectors * valueDim),
        logSumExp(queryVectors),
        delta(queryVectors),
        dq(queryVectors * headDim),
        dk(keyVectors * headDim),
        dv(keyVectors * valueDim) {}

  void forward(const libra::Kernels& kernels, libra::Workers& workers,
               const std::vector<libra::AttentionSegment>& segments) {
    kernels.attentionForward(
        workers, {q.data(), k.data(), v.data(), out.data(), logSumExp.data(), segments.data(),
                  static_cast<int64_t>(segments.size()), scale, headDim, valueDim});
  }

  /// Needs forward's out and logSumExp of every row.
  void computeDelta(const libra::Kernels& kernels, libra::Workers& workers) {
    kernels.attentionDelta(workers,
                           {out.data(), dOut.data(), delta.data(), delta.size(), valueDim});
  }

  void backward(const libra::Kernels& kernels, libra::Workers& workers,
                const std::vector<libra::AttentionSegment>& segments) {
    kernels.attentionBackward(
        workers, {q.data(), k.data(), v.data(), dOut.data(), logSumExp.data(), delta.data(),
                  dq.data(), dk.data(), dv.data(), segments.data(),
                  static_cast<int64_t>(segments.size()), scale, headDim, valueDim});
  }

  void clearGradients() {
    dq.resize(dq.size());
    dk.resize(dk.size());
    dv.resize(dv.size());
  }
};

}  // namespace conformance
