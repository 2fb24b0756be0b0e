// Small steps around attention: delta for backward, merging results over key ranges.
#include "kernel-list.h"
#include "ranges.h"
#include "reduce.h"

namespace libra::cpu::LIBRA_SET {

namespace {

template <class Element>
void delta(Workers& workers, const AttentionDeltaOf<Element>& a) {
  forRanges(workers, a.vectors, rowsOfTask(a.valueDim), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      a.delta[i] = dotRow(a.out + i * a.valueDim, a.dOut + i * a.valueDim, a.valueDim);
    }
  });
}

}  // namespace

void attentionDelta(Workers& workers, const AttentionDeltaArguments& a) { delta(workers, a); }

void attentionDeltaBfloat16(Workers& workers, const AttentionDeltaBfloat16Arguments& a) {
  delta(workers, a);
}

/// With m = max(a, b): out = (outA · e^(a − m) + outB · e^(b − m)) / (e^(a − m) + e^(b − m)); no
/// exponent is positive, so nothing overflows.
void mergePartials(Workers& workers, const MergePartialsArguments& a) {
  forRanges(workers, a.vectors, rowsOfTask(a.valueDim), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const double own = a.logSumExp[i];
      const double other = a.partialLogSumExp[i];
      const double maximum = own > other ? own : other;
      float* out = a.out + i * a.valueDim;
      const float* partial = a.partial + i * a.valueDim;
      if (maximum == -__builtin_inf()) {
        for (int64_t d = 0; d < a.valueDim; ++d) out[d] = 0;
        continue;
      }
      const double ownWeight = __builtin_exp(own - maximum);
      const double otherWeight = __builtin_exp(other - maximum);
      const double sum = ownWeight + otherWeight;
      const float ownShare = static_cast<float>(ownWeight / sum);
      const float otherShare = static_cast<float>(otherWeight / sum);
      // A side without keys may hold anything, even NaN.
      if (otherWeight == 0) continue;
      if (ownWeight == 0) {
        for (int64_t d = 0; d < a.valueDim; ++d) out[d] = partial[d];
      } else {
        for (int64_t d = 0; d < a.valueDim; ++d) {
          out[d] = out[d] * ownShare + partial[d] * otherShare;
        }
      }
      a.logSumExp[i] = static_cast<float>(maximum + __builtin_log(sum));
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
