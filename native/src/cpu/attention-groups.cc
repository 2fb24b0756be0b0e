#include "attention-groups.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace libra::cpu {
namespace {

/// Vectors first + i · stride + j, i in [0, count), j in [0, width), of one segment.
struct Footprint {
  int64_t segment;
  int64_t first;
  int64_t last;  // inclusive
  int64_t stride;
  int64_t width;
};

Footprint keysOf(const AttentionSegment& segment, int64_t index) {
  const int64_t last = segment.keyOffset + (segment.keys - 1) * segment.keyStride;
  return {index, segment.keyOffset, last, segment.keyStride, 1};
}

Footprint queriesOf(const AttentionSegment& segment, int64_t index) {
  const int64_t last =
      segment.queryOffset + (segment.rows - 1) * segment.queryStride + segment.heads - 1;
  return {index, segment.queryOffset, last, segment.queryStride, segment.heads};
}

/// Whether two footprints with overlapping ranges may have a vector in common.
bool meet(const Footprint& a, const Footprint& b) {
  if (a.stride != b.stride || a.stride <= 0) return true;
  const int64_t ahead = (b.first - a.first) % a.stride;
  const int64_t distance = ahead < 0 ? ahead + a.stride : ahead;
  return distance < a.width || a.stride - distance < b.width;
}

/// Calls found(a, b) for every pair of segments that may share a vector.
void sweep(std::vector<Footprint> footprints, std::function<void(int64_t, int64_t)> found) {
  std::stable_sort(footprints.begin(), footprints.end(),
                   [](const Footprint& a, const Footprint& b) { return a.first < b.first; });
  std::vector<Footprint> open;
  for (const Footprint& next : footprints) {
    std::erase_if(open, [&](const Footprint& old) { return old.last < next.first; });
    for (const Footprint& old : open) {
      if (meet(old, next)) found(old.segment, next.segment);
    }
    open.push_back(next);
  }
}

}  // namespace

std::vector<SegmentGroup> groupSegments(const AttentionSegment* segments, int64_t count) {
  std::vector<int64_t> parent(count);
  std::iota(parent.begin(), parent.end(), int64_t{0});
  const auto root = [&](int64_t s) {
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
  };
  // The smaller index becomes the root, so that groups keep the list's order.
  const auto unite = [&](int64_t a, int64_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent[high] = low;
  };
  std::vector<Footprint> keys;
  std::vector<Footprint> queries;
  std::vector<int64_t> active;
  for (int64_t s = 0; s < count; ++s) {
    if (segments[s].rows <= 0 || segments[s].heads <= 0 || segments[s].keys <= 0) continue;
    active.push_back(s);
    keys.push_back(keysOf(segments[s], s));
    queries.push_back(queriesOf(segments[s], s));
  }
  std::vector<char> shared(count, 0);
  sweep(std::move(keys), unite);
  sweep(std::move(queries), [&](int64_t a, int64_t b) {
    shared[a] = shared[b] = 1;
    unite(a, b);
  });
  std::vector<int64_t> groupOf(count, -1);
  std::vector<SegmentGroup> groups;
  for (const int64_t s : active) {
    int64_t& group = groupOf[root(s)];
    if (group < 0) {
      group = static_cast<int64_t>(groups.size());
      groups.push_back({{}, true, false});
    }
    SegmentGroup& found = groups[group];
    found.segments.push_back(s);
    const AttentionSegment& first = segments[found.segments.front()];
    found.oneKeyOrigin &=
        segments[s].keyOffset == first.keyOffset && segments[s].keyStride == first.keyStride;
    found.sharesQueryRows |= shared[s] != 0;
  }
  return groups;
}

}  // namespace libra::cpu
