// How attention's work is cut into tasks. Compiled once; no arithmetic on tensors.
//
// A segment's query rows are cut into tiles of rowBlock rows of one head, numbered by (row block,
// head); a superblock is a run of consecutive tiles that share each key block while it is cached.
#pragma once

#include <cstdint>

#include "libra/kernels.h"

namespace libra::cpu {

inline constexpr int64_t rowBlock = 48;      // query rows of a tile: three vectors of AVX-512
inline constexpr int64_t keyBlock = 96;      // keys of one backward step
inline constexpr int64_t forwardKeys = 192;  // keys of one forward step, which has half the scores
inline constexpr int64_t keyPanel = 1536;    // keys of one chain of dQ: a multiple of keyBlock

/// Keys that the row sees: [0, visibleKeys); may be ≤ 0 for rows above the first key.
inline int64_t visibleKeys(const AttentionSegment& segment, int64_t row) {
  return segment.causal ? segment.keys - segment.rows + row + 1 : segment.keys;
}

inline int64_t rowBlocks(const AttentionSegment& segment) {
  return (segment.rows + rowBlock - 1) / rowBlock;
}

inline int64_t tileCount(const AttentionSegment& segment) {
  return rowBlocks(segment) * segment.heads;
}

struct ForwardTask {
  int64_t segment;
  int64_t firstTile;
  int64_t lastTile;  // exclusive
};

/// Forward tasks, costliest first. Rows are independent, so the cut follows the thread count.
class ForwardPlan {
 public:
  ForwardPlan(const AttentionSegment* segments, int64_t segmentCount, int threads,
              int64_t superblock);
  ~ForwardPlan();
  ForwardPlan(const ForwardPlan&) = delete;
  ForwardPlan& operator=(const ForwardPlan&) = delete;
  int count() const { return count_; }
  const ForwardTask& task(int index) const { return tasks_[index]; }

 private:
  ForwardTask* tasks_;
  int count_;
};

inline int64_t panelCount(int64_t keys) { return (keys + keyPanel - 1) / keyPanel; }

/// Tiles [firstTile, lastTile) of a segment. partial: the first of this run's blocks of dQ's
/// partial sums, −1 to add to dQ at once. Tile after tile, each has panelCount(its keys) blocks of
/// [rowBlock][headDim].
struct BackwardStep {
  int64_t segment;
  int64_t firstTile;
  int64_t lastTile;
  int64_t partial;
};

/// Steps [firstStep, lastStep) in order, against one key panel, or each against all its panels.
struct BackwardTask {
  static constexpr int64_t allPanels = -1;
  int64_t firstStep;
  int64_t lastStep;
  int64_t panel;
};

/// Backward tasks of one call, wave by wave.
///
/// Segments that share keys or query rows form a group, which one task runs in list order, panel by
/// panel inside a segment. Where that would leave threads idle, the panels of a group become tasks
/// of their own: dK and dV of a key belong to one panel, and dQ's sums of each panel are kept apart
/// and then added in panel order, just as the single task adds them: both ways give equal bits.
/// A wave holds as many rows as the memory for those sums allows.
class BackwardPlan {
 public:
  BackwardPlan(const AttentionSegment* segments, int64_t segmentCount, int64_t headDim,
               int threads);
  ~BackwardPlan();
  BackwardPlan(const BackwardPlan&) = delete;
  BackwardPlan& operator=(const BackwardPlan&) = delete;

  int waves() const;
  /// Tasks of a wave, costliest first.
  int taskCount(int wave) const;
  const BackwardTask& task(int wave, int index) const;
  /// Runs of steps whose partial sums are added to dQ after the wave's tasks, one run a task.
  int sumCount(int wave) const;
  const BackwardTask& sum(int wave, int index) const;
  const BackwardStep& step(int64_t index) const;
  /// Blocks of [rowBlock][headDim] that the largest wave's partial sums take.
  int64_t partialBlocks() const;

 private:
  struct State;
  State* state_;
};

}  // namespace libra::cpu
