#include "attention-plan.h"

#include <algorithm>
#include <vector>

namespace libra::cpu {
namespace {

/// Row-key pairs of a tile, rows rounded up; 1 for a tile that sees no key and is only cleared.
double tileCost(const AttentionSegment& segment, int64_t tile) {
  const int64_t firstRow = tile / segment.heads * rowBlock;
  const int64_t lastRow = std::min(firstRow + rowBlock, segment.rows) - 1;
  const int64_t keys = std::max<int64_t>(0, visibleKeys(segment, lastRow));
  return 1 + static_cast<double>(keys) * rowBlock;
}

struct Costed {
  ForwardTask task;
  double cost;
};

}  // namespace

ForwardPlan::ForwardPlan(const AttentionSegment* segments, int64_t segmentCount, int threads,
                         int64_t superblock) {
  double total = 0;
  for (int64_t s = 0; s < segmentCount; ++s) {
    const AttentionSegment& segment = segments[s];
    for (int64_t tile = 0; tile < tileCount(segment); tile += segment.heads) {
      total += tileCost(segment, tile) * static_cast<double>(segment.heads);
    }
  }
  // Eight tasks a thread leave at most an eighth of one of them idle at the end.
  const double most = threads > 1 ? total / (8.0 * threads) : total * 2;
  std::vector<Costed> found;
  for (int64_t s = 0; s < segmentCount; ++s) {
    const AttentionSegment& segment = segments[s];
    const int64_t tiles = tileCount(segment);
    for (int64_t first = 0; first < tiles;) {
      double cost = 0;
      int64_t last = first;
      while (last < tiles && (last == first || cost < most)) {
        const int64_t next = std::min(last + superblock, tiles);
        for (; last < next; ++last) cost += tileCost(segment, last);
      }
      found.push_back({{s, first, last}, cost});
      first = last;
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Costed& a, const Costed& b) { return a.cost > b.cost; });
  count_ = static_cast<int>(found.size());
  tasks_ = new ForwardTask[found.size()];
  for (int i = 0; i < count_; ++i) tasks_[i] = found[i].task;
}

ForwardPlan::~ForwardPlan() { delete[] tasks_; }

}  // namespace libra::cpu
