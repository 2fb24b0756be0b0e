// Cross-entropy over rows of logits, and its gradient.
#include "errors.h"
#include "exponential.h"
#include "kernel-list.h"
#include "ranges.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Vectors whose exponentials are summed in float before they join a double.
constexpr int64_t chainVectors = 64;

float rowMaximum(const float* row, int64_t count) {
  Floats most[4];
  for (Floats& lane : most) lane = splat(-__builtin_inff());
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    unroll<4>([&](auto j) LIBRA_LAMBDA { most[j] = larger(most[j], load(row + i + j * lanes)); });
  }
  alignas(64) float parts[lanes];
  store(parts, larger(larger(most[0], most[1]), larger(most[2], most[3])));
  float maximum = -__builtin_inff();
  for (const float part : parts) maximum = part > maximum ? part : maximum;
  for (; i < count; ++i) maximum = row[i] > maximum ? row[i] : maximum;
  return maximum;
}

double rowSum(const float* row, int64_t count, float maximum) {
  double sum = 0;
  int64_t i = 0;
  while (i + lanes <= count) {
    Floats even{};
    Floats odd{};
    for (int64_t v = 0; v < chainVectors && i + lanes <= count; v += 2) {
      even = even + exponential(load(row + i) - splat(maximum));
      i += lanes;
      if (i + lanes > count) break;
      odd = odd + exponential(load(row + i) - splat(maximum));
      i += lanes;
    }
    sum += sumLanes(even + odd);
  }
  alignas(64) float rest[lanes];
  const int64_t left = count - i;
  store(rest, exponential(loadSome(row + i, left) - splat(maximum)));
  for (int64_t l = 0; l < left; ++l) sum += rest[l];
  return sum;
}

void checkTargets(const int32_t* targets, int64_t rows, int64_t vocabulary) {
  for (int64_t row = 0; row < rows; ++row) {
    const int32_t target = targets[row];
    if (target != ignoredTarget && (target < 0 || target >= vocabulary)) {
      throwOutside("targets", row, target, vocabulary);
    }
  }
}

}  // namespace

void crossEntropy(Workers& workers, const CrossEntropyArguments& a) {
  checkTargets(a.targets, a.rows, a.vocabulary);
  ScratchFrame frame;
  double* losses = frame.doubles(a.rows);
  forRanges(workers, a.rows, rowsOfTask(a.vocabulary), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const float* logits = a.logits + row * a.vocabulary;
      const float maximum = rowMaximum(logits, a.vocabulary);
      const double logSumExp = maximum + __builtin_log(rowSum(logits, a.vocabulary, maximum));
      a.logSumExp[row] = static_cast<float>(logSumExp);
      const int32_t target = a.targets[row];
      losses[row] = target == ignoredTarget ? 0 : logSumExp - logits[target];
    }
  });
  double loss = 0;
  double count = 0;
  for (int64_t row = 0; row < a.rows; ++row) {
    if (a.targets[row] == ignoredTarget) continue;
    loss += losses[row];
    count += 1;
  }
  a.sums[0] = a.accumulate ? a.sums[0] + loss : loss;
  a.sums[1] = a.accumulate ? a.sums[1] + count : count;
}

void crossEntropyBackward(Workers& workers, const CrossEntropyBackwardArguments& a) {
  checkTargets(a.targets, a.rows, a.vocabulary);
  const Floats factor = splat(a.scale);
  forRanges(workers, a.rows, rowsOfTask(a.vocabulary), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const float* logits = a.logits + row * a.vocabulary;
      float* to = a.dLogits + row * a.vocabulary;
      const int32_t target = a.targets[row];
      if (target == ignoredTarget) {
        __builtin_memset(to, 0, sizeof(float) * a.vocabulary);
        continue;
      }
      const Floats logSumExp = splat(a.logSumExp[row]);
      int64_t i = 0;
      for (; i + lanes <= a.vocabulary; i += lanes) {
        store(to + i, exponential(load(logits + i) - logSumExp) * factor);
      }
      const int64_t rest = a.vocabulary - i;
      storeSome(to + i, exponential(loadSome(logits + i, rest) - logSumExp) * factor, rest);
      to[target] -= a.scale;
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
