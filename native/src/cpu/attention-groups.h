// Which segments of a backward call must follow each other.
#pragma once

#include <cstdint>
#include <vector>

#include "libra/kernels.h"

namespace libra::cpu {

/// Segments that share gradients, in list order.
struct SegmentGroup {
  std::vector<int64_t> segments;
  bool oneKeyOrigin;     // all keys are counted from one vector with one stride
  bool sharesQueryRows;  // some query vector belongs to two of the segments
};

/// Groups of the segments that have rows, heads and keys, ordered by their first segment. Segments
/// with different strides whose ranges overlap count as sharing.
std::vector<SegmentGroup> groupSegments(const AttentionSegment* segments, int64_t count);

}  // namespace libra::cpu
