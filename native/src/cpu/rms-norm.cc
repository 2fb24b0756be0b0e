// RMSNorm over rows: out = (x · inverseRms) · weight; dx = inverseRms · (h − x · mean(h · x) ·
// inverseRms²) with h = dOut · weight.
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"
#include "reduce.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Rows whose share of dWeight is one chain.
constexpr int64_t chainRows = 128;

/// dx of one row, and the row's share of dWeight added to weightSums.
template <bool accumulate, class Element>
LIBRA_INLINE void gradientRow(const RmsNormBackwardOf<Element>& a, int64_t row, float* weightSums,
                              bool passing) {
  const Element* dOut = a.dOut + row * a.width;
  const Element* x = a.x + row * a.width;
  Element* dx = a.dx + row * a.width;
  const float inverse = a.inverseRms[row];
  const float projection = sumRow(
      a.width,
      [&](int64_t i) LIBRA_LAMBDA { return load(dOut + i) * load(a.weight + i) * load(x + i); },
      [&](int64_t i) LIBRA_LAMBDA { return widened(dOut[i]) * a.weight[i] * widened(x[i]); });
  const Floats factor = splat(projection * inverse * inverse / static_cast<float>(a.width));
  const Floats scale = splat(inverse);
  const int64_t ahead = aheadOf(a.width);
  mapElements(0, a.width, passing, [&](auto place) LIBRA_LAMBDA {
    place.fetch(dOut, ahead);
    place.fetch(x, ahead);
    const Floats g = place.read(dOut);
    const Floats value = place.read(x);
    Floats result = (g * place.read(a.weight) - value * factor) * scale;
    if constexpr (accumulate) result = place.read(dx) + result;
    place.write(dx, result);
    place.keep(weightSums, place.read(weightSums) + g * (value * scale));
  });
}

template <class Element>
void normRows(Workers& workers, const RmsNormOf<Element>& a) {
  const bool passing = passes(a.out, a.rows * a.width) && a.width % lanes == 0 && a.out != a.x;
  const int64_t ahead = aheadOf(a.width);
  forRanges(workers, a.rows, rowsOfTask(a.width), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const Element* x = a.x + row * a.width;
      Element* out = a.out + row * a.width;
      const float mean = dotRow(x, x, a.width) / static_cast<float>(a.width);
      const float inverse = 1 / __builtin_sqrtf(mean + a.eps);
      a.inverseRms[row] = inverse;
      const Floats scale = splat(inverse);
      mapElements(0, a.width, passing, [&](auto place) LIBRA_LAMBDA {
        place.fetch(x, ahead);
        place.write(out, place.read(x) * scale * place.read(a.weight));
      });
    }
  });
}

template <class Element>
void normRowsBackward(Workers& workers, const RmsNormBackwardOf<Element>& a) {
  ScratchFrame frame;
  const int64_t chains = (a.rows + chainRows - 1) / chainRows;
  float* sums = frame.floats(chains * a.width);
  const bool passing = passes(a.dx, a.rows * a.width) && a.width % lanes == 0 && !a.accumulate &&
                       a.dx != a.dOut && a.dx != a.x;
  forRanges(workers, a.rows, chainRows, [&](int64_t first, int64_t last) {
    float* own = sums + first / chainRows * a.width;
    __builtin_memset(own, 0, sizeof(float) * a.width);
    for (int64_t row = first; row < last; ++row) {
      if (a.accumulate) {
        gradientRow<true>(a, row, own, false);
      } else {
        gradientRow<false>(a, row, own, passing);
      }
    }
  });
  forRanges(workers, a.width, 512, [&](int64_t first, int64_t last) {
    double columns[512] = {};
    for (int64_t chain = 0; chain < chains; ++chain) {
      for (int64_t i = first; i < last; ++i) columns[i - first] += sums[chain * a.width + i];
    }
    for (int64_t i = first; i < last; ++i) {
      const double old = a.accumulateWeight ? a.dWeight[i] : 0;
      a.dWeight[i] = static_cast<float>(old + columns[i - first]);
    }
  });
}

}  // namespace

void rmsNorm(Workers& workers, const RmsNormArguments& a) { normRows(workers, a); }
void rmsNormBfloat16(Workers& workers, const RmsNormBfloat16Arguments& a) { normRows(workers, a); }

void rmsNormBackward(Workers& workers, const RmsNormBackwardArguments& a) {
  normRowsBackward(workers, a);
}
void rmsNormBackwardBfloat16(Workers& workers, const RmsNormBackwardBfloat16Arguments& a) {
  normRowsBackward(workers, a);
}

}  // namespace libra::cpu::LIBRA_SET
