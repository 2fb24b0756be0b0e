// The exchange's copies and ordered sums of vectors.
#include "kernel-list.h"
#include "ranges.h"
#include "scratch.h"
#include "sizes.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// The part of an ascending run first, first + stride, … of `count` values that lies in [low,
/// high).
struct Span {
  int64_t first;
  int64_t last;
};

Span within(int64_t first, int64_t stride, int64_t count, int64_t low, int64_t high) {
  if (stride == 0) return first >= low && first < high ? Span{0, count} : Span{0, 0};
  const auto below = [&](int64_t border) {
    return border <= first ? 0 : least(count, (border - first + stride - 1) / stride);
  };
  return {below(low), below(high)};
}

/// Calls move(blocks' vector, packed vector, count) for pieces of at most `width` vectors.
template <class Move>
void forBlocks(Workers& workers, const MoveVectorsArguments& a, Move&& move) {
  ScratchFrame frame;
  int64_t* starts = static_cast<int64_t*>(frame.bytes((a.blockCount + 1) * 8));
  starts[0] = 0;
  for (int64_t b = 0; b < a.blockCount; ++b) {
    starts[b + 1] = starts[b] + a.blocks[b].rows * a.blocks[b].width;
  }
  forRanges(workers, starts[a.blockCount], rowsOfTask(a.vectorSize),
            [&](int64_t first, int64_t last) {
              int64_t low = 0;
              for (int64_t high = a.blockCount; high - low > 1;) {
                const int64_t middle = (low + high) / 2;
                (starts[middle] <= first ? low : high) = middle;
              }
              for (int64_t packed = first, b = low; packed < last; ++b) {
                const VectorBlock& block = a.blocks[b];
                const int64_t end = least(last, starts[b + 1]);
                while (packed < end) {
                  const int64_t row = (packed - starts[b]) / block.width;
                  const int64_t column = (packed - starts[b]) % block.width;
                  const int64_t count = least(block.width - column, end - packed);
                  move(block.offset + row * block.stride + column, packed, count);
                  packed += count;
                }
              }
            });
}

}  // namespace

/// A task owns a range of destination vectors and walks over all runs, so that sums keep the order.
void accumulateVectors(Workers& workers, const AccumulateVectorsArguments& a) {
  int64_t vectors = 0;
  for (int64_t r = 0; r < a.runCount; ++r) {
    const VectorRun& run = a.runs[r];
    if (run.rows > 0) vectors = most(vectors, run.to + (run.rows - 1) * run.stride + 1);
  }
  const int64_t tasks = 4 * static_cast<int64_t>(workers.threads());
  forRanges(workers, vectors, most(1, (vectors + tasks - 1) / tasks),
            [&](int64_t low, int64_t high) {
              for (int64_t r = 0; r < a.runCount; ++r) {
                const VectorRun& run = a.runs[r];
                const Span rows = within(run.to, run.stride, run.rows, low, high);
                for (int64_t row = rows.first; row < rows.last; ++row) {
                  const float* from = a.from + (run.from + row) * a.vectorSize;
                  float* to = a.to + (run.to + row * run.stride) * a.vectorSize;
                  for (int64_t i = 0; i < a.vectorSize; ++i) to[i] += from[i];
                }
              }
            });
}

void gatherVectors(Workers& workers, const MoveVectorsArguments& a) {
  const int64_t bytes = a.vectorSize * a.elementBytes;
  const char* from = static_cast<const char*>(a.from);
  char* to = static_cast<char*>(a.to);
  forBlocks(workers, a, [&](int64_t strided, int64_t packed, int64_t count) {
    __builtin_memcpy(to + packed * bytes, from + strided * bytes, count * bytes);
  });
}

void scatterVectors(Workers& workers, const MoveVectorsArguments& a) {
  const int64_t bytes = a.vectorSize * a.elementBytes;
  const char* from = static_cast<const char*>(a.from);
  char* to = static_cast<char*>(a.to);
  forBlocks(workers, a, [&](int64_t strided, int64_t packed, int64_t count) {
    __builtin_memcpy(to + strided * bytes, from + packed * bytes, count * bytes);
  });
}

}  // namespace libra::cpu::LIBRA_SET
