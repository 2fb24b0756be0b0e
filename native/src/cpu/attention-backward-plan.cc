#include <algorithm>
#include <vector>

#include "attention-groups.h"
#include "attention-plan.h"

namespace libra::cpu {
namespace {

/// Tiles of one step of a group whose panels are tasks: many enough to make a panel's load and
/// store small, few enough to share the final sums among threads.
constexpr int64_t splitTiles = 128;
/// Bytes that the partial sums of dQ may take.
constexpr int64_t partialBytes = int64_t{256} << 20;

struct CostedTask {
  BackwardTask task;
  double cost;
};

struct Wave {
  std::vector<CostedTask> tasks;
  std::vector<BackwardTask> sums;
  int64_t blocks = 0;
};

int64_t tileKeys(const AttentionSegment& segment, int64_t tile) {
  const int64_t firstRow = tile / segment.heads * rowBlock;
  const int64_t lastRow = std::min(firstRow + rowBlock, segment.rows) - 1;
  return std::max<int64_t>(0, visibleKeys(segment, lastRow));
}

/// Row-key pairs of a tile against one panel, rows rounded up.
double panelCost(const AttentionSegment& segment, int64_t tile, int64_t panel) {
  const int64_t seen = tileKeys(segment, tile) - panel * keyPanel;
  return static_cast<double>(std::clamp<int64_t>(seen, 0, keyPanel) * rowBlock);
}

double segmentCost(const AttentionSegment& segment) {
  double cost = 0;
  for (int64_t tile = 0; tile < tileCount(segment); tile += segment.heads) {
    cost += static_cast<double>(tileKeys(segment, tile) * rowBlock * segment.heads);
  }
  return cost;
}

/// The time of the busiest of `threads` when each takes the costliest task left.
double makespan(std::vector<double> costs, int threads) {
  std::sort(costs.begin(), costs.end(), std::greater<>());
  std::vector<double> load(threads, 0);
  for (const double cost : costs) *std::min_element(load.begin(), load.end()) += cost;
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

struct BackwardPlan::State {
  const AttentionSegment* segments;
  std::vector<BackwardStep> steps;
  std::vector<Wave> waves;

  Wave& wave(size_t index) {
    if (waves.size() <= index) waves.resize(index + 1);
    return waves[index];
  }

  void addWhole(const SegmentGroup& group, double cost) {
    const int64_t first = static_cast<int64_t>(steps.size());
    for (const int64_t s : group.segments) steps.push_back({s, 0, tileCount(segments[s]), -1});
    const int64_t last = static_cast<int64_t>(steps.size());
    wave(0).tasks.push_back({{first, last, BackwardTask::allPanels}, cost});
  }

  /// Cuts a group into waves of at most `most` blocks of partial sums (but at least one step).
  void addSplit(const SegmentGroup& group, int64_t most) {
    size_t index = 0;
    size_t at = 0;     // segment of the group
    int64_t tile = 0;  // of that segment
    while (at < group.segments.size()) {
      Wave& now = wave(index++);
      const int64_t first = static_cast<int64_t>(steps.size());
      const int64_t start = now.blocks;
      int64_t panels = 0;
      do {
        const AttentionSegment& segment = segments[group.segments[at]];
        BackwardStep step{group.segments[at], tile, std::min(tile + splitTiles, tileCount(segment)),
                          now.blocks};
        for (; tile < step.lastTile; ++tile) {
          const int64_t seen = panelCount(tileKeys(segment, tile));
          now.blocks += seen;
          panels = std::max(panels, seen);
        }
        steps.push_back(step);
        if (tile == tileCount(segment)) {
          ++at;
          tile = 0;
        }
      } while (at < group.segments.size() && now.blocks - start < most);
      finishSplit(now, first, panels, group.sharesQueryRows);
    }
  }

  void finishSplit(Wave& wave, int64_t first, int64_t panels, bool inOrder) {
    const int64_t last = static_cast<int64_t>(steps.size());
    for (int64_t panel = 0; panel < panels; ++panel) {
      double cost = 0;
      for (int64_t s = first; s < last; ++s) {
        for (int64_t tile = steps[s].firstTile; tile < steps[s].lastTile; ++tile) {
          cost += panelCost(segments[steps[s].segment], tile, panel);
        }
      }
      if (cost > 0) wave.tasks.push_back({{first, last, panel}, cost});
    }
    if (inOrder) {
      wave.sums.push_back({first, last, BackwardTask::allPanels});
    } else {
      for (int64_t s = first; s < last; ++s) {
        wave.sums.push_back({s, s + 1, BackwardTask::allPanels});
      }
    }
  }
};

BackwardPlan::BackwardPlan(const AttentionSegment* segments, int64_t segmentCount, int64_t headDim,
                           int threads)
    : state_(new State{segments, {}, {}}) {
  const std::vector<SegmentGroup> groups = groupSegments(segments, segmentCount);
  std::vector<double> costs;
  double total = 0;
  for (const SegmentGroup& group : groups) {
    double cost = 0;
    for (const int64_t s : group.segments) cost += segmentCost(segments[s]);
    costs.push_back(cost);
    total += cost;
  }
  const bool idle = threads > 1 && makespan(costs, threads) > 1.05 * total / threads;
  const auto isSplit = [&](size_t g) {
    return idle && groups[g].oneKeyOrigin && costs[g] > total / (8.0 * threads);
  };
  int64_t splits = 0;
  for (size_t g = 0; g < groups.size(); ++g) splits += isSplit(g) ? 1 : 0;
  const int64_t blockBytes = rowBlock * headDim * 4;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (isSplit(g)) {
      state_->addSplit(groups[g], partialBytes / blockBytes / splits);
    } else {
      state_->addWhole(groups[g], costs[g]);
    }
  }
  for (Wave& wave : state_->waves) {
    std::stable_sort(wave.tasks.begin(), wave.tasks.end(),
                     [](const CostedTask& a, const CostedTask& b) { return a.cost > b.cost; });
  }
}

BackwardPlan::~BackwardPlan() { delete state_; }

int BackwardPlan::waves() const { return static_cast<int>(state_->waves.size()); }
int BackwardPlan::taskCount(int wave) const {
  return static_cast<int>(state_->waves[wave].tasks.size());
}
const BackwardTask& BackwardPlan::task(int wave, int index) const {
  return state_->waves[wave].tasks[index].task;
}
int BackwardPlan::sumCount(int wave) const {
  return static_cast<int>(state_->waves[wave].sums.size());
}
const BackwardTask& BackwardPlan::sum(int wave, int index) const {
  return state_->waves[wave].sums[index];
}
const BackwardStep& BackwardPlan::step(int64_t index) const { return state_->steps[index]; }
int64_t BackwardPlan::partialBlocks() const {
  int64_t most = 0;
  for (const Wave& wave : state_->waves) most = std::max(most, wave.blocks);
  return most;
}

}  // namespace libra::cpu
