// Cross-entropy over rows of logits, and its gradient.
#include "bfloat16.h"
#include "errors.h"
#include "exponential.h"
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Elements of a block: its exponentials are summed while it is in the first cache. The same pass
/// finds the next block's maximum, so that memory is read all the time.
constexpr int64_t blockElements = 2048;
constexpr float log2e = 1.44269504f;
constexpr double ln2 = 0.69314718055994530942;

float largestLane(const Floats (&most)[4]) {
  alignas(64) float parts[lanes];
  store(parts, larger(larger(most[0], most[1]), larger(most[2], most[3])));
  float maximum = -__builtin_inff();
  for (const float part : parts) maximum = part > maximum ? part : maximum;
  return maximum;
}

float blockMaximum(const float* row, int64_t count) {
  Floats most[4];
  for (Floats& lane : most) lane = splat(-__builtin_inff());
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    unroll<4>([&](auto j) LIBRA_LAMBDA { most[j] = larger(most[j], load(row + i + j * lanes)); });
  }
  float maximum = largestLane(most);
  for (; i < count; ++i) maximum = row[i] > maximum ? row[i] : maximum;
  return maximum;
}

/// Σ 2^(x · log2 e − top) of a whole block, and the largest of the next whole block.
double wholeBlockSum(const float* row, float top, const float* next, float& nextMaximum) {
  Floats sums[4] = {};
  Floats most[4];
  for (Floats& lane : most) lane = splat(-__builtin_inff());
  const Floats factor = splat(log2e);
  const Floats offset = splat(-top);
  for (int64_t i = 0; i < blockElements; i += 4 * lanes) {
    prefetchElements(next + i + 3 * blockElements, 4 * lanes);  // pages ahead, for their walks
    Floats terms[4];
    unroll<4>([&](auto j) LIBRA_LAMBDA {
      most[j] = larger(most[j], load(next + i + j * lanes));
      terms[j] = multiplyAdd(load(row + i + j * lanes), factor, offset);
    });
    exp2NonPositive(terms);
    unroll<4>([&](auto j) LIBRA_LAMBDA { sums[j] = sums[j] + terms[j]; });
  }
  nextMaximum = largestLane(most);
  return sumLanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/// The same of any number of elements.
double partSum(const float* row, int64_t count, float top) {
  double sum = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const int64_t left = count - i < lanes ? count - i : lanes;
    const Floats x = left == lanes ? load(row + i) : loadSome(row + i, left);
    alignas(64) float terms[lanes];
    store(terms, exp2NonPositive(multiplyAdd(x, splat(log2e), splat(-top))));
    float part = 0;
    for (int64_t l = 0; l < left; ++l) part += terms[l];
    sum += part;
  }
  return sum;
}

/// ln Σ e^x. The running top is the float that the exponents subtract, so its rounding cancels.
double rowLogSumExp(const float* row, int64_t count) {
  float top = -__builtin_inff();
  double sum = 0;
  float maximum = blockMaximum(row, count < blockElements ? count : blockElements);
  for (int64_t i = 0; i < count; i += blockElements) {
    const float higher = maximum * log2e;
    if (higher > top) {
      sum *= __builtin_exp2(static_cast<double>(top) - higher);
      top = higher;
    }
    const int64_t left = count - i;
    if (left < blockElements) {
      sum += partSum(row + i, left, top);
    } else {
      const bool wholeNext = left >= 2 * blockElements;
      const float* next = row + i + (wholeNext ? blockElements : 0);
      sum += wholeBlockSum(row + i, top, next, maximum);
      if (!wholeNext) maximum = blockMaximum(row + i + blockElements, left - blockElements);
    }
  }
  return ln2 * top + __builtin_log(sum);
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
      const double logSumExp = rowLogSumExp(logits, a.vocabulary);
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
      mapElements(0, a.vocabulary, false, [&](auto place) LIBRA_LAMBDA {
        place.write(to, exponential(place.read(logits) - logSumExp) * factor);
      });
      to[target] -= a.scale;
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
