// Keys and values of one segment, block by block, in float rows that lie next to each other.
#pragma once

#include "attention-tile.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {

LIBRA_INLINE void copyElements(const float* from, float* to, int64_t count) {
  __builtin_memcpy(to, from, sizeof(float) * count);
}
LIBRA_INLINE void copyElements(const Bfloat16* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store(to + i, load(from + i));
  for (; i < count; ++i) to[i] = widened(from[i]);
}

template <class Element>
LIBRA_INLINE void copyRows(const Element* from, int64_t fromStride, float* to, int64_t toStride,
                           int64_t rows, int64_t width) {
  constexpr int64_t ahead = 8;  // rows; they lie pages apart, where no hardware prefetcher follows
  for (int64_t row = 0; row < rows; ++row) {
    if (row + ahead < rows) prefetchElements(from + (row + ahead) * fromStride, width);
    copyElements(from + row * fromStride, to + row * toStride, width);
  }
}

struct KeyRows {
  const float* keys;
  const float* values;
};

/// Reads K and V in place where a segment's float vectors lie next to each other. Otherwise (rows
/// of several heads interleaved: a stride of 4 KiB maps a whole block to a few cache sets) copies
/// each block once, or, when the copy of all blocks would be too large, each time it is asked for.
template <class Element>
class KeyBlocks {
 public:
  KeyBlocks(const AttentionForwardOf<Element>& arguments, const AttentionSegment& segment,
            int64_t keys, ScratchFrame& frame)
      : k_(arguments.k + segment.keyOffset * arguments.headDim),
        v_(arguments.v + segment.keyOffset * arguments.valueDim),
        headDim_(arguments.headDim),
        valueDim_(arguments.valueDim),
        stride_(segment.keyStride),
        inPlace_(canBeInPlace && (segment.keyStride == 1 || keys <= 1)) {
    if (inPlace_) return;
    keepsAll_ = keys * (headDim_ + valueDim_) <= mostKept;
    const int64_t held = keepsAll_ ? keys : least(keys, forwardKeys);
    keyCopy_ = frame.floats(held * headDim_);
    valueCopy_ = frame.floats(held * valueDim_);
  }

  /// Rows of keys [first, first + count), headDim and valueDim elements apart.
  KeyRows block(int64_t first, int64_t count) {
    if constexpr (canBeInPlace) {
      if (inPlace_) return {k_ + first * headDim_, v_ + first * valueDim_};
    }
    const int64_t at = keepsAll_ ? first : 0;
    float* keys = keyCopy_ + at * headDim_;
    float* values = valueCopy_ + at * valueDim_;
    const int64_t copied = keepsAll_ ? most(0, copied_ - first) : 0;
    if (copied < count) {
      const int64_t from = first + copied;
      copyRows(k_ + from * stride_ * headDim_, stride_ * headDim_, keys + copied * headDim_,
               headDim_, count - copied, headDim_);
      copyRows(v_ + from * stride_ * valueDim_, stride_ * valueDim_, values + copied * valueDim_,
               valueDim_, count - copied, valueDim_);
      copied_ = first + count;
    }
    return {keys, values};
  }

 private:
  static constexpr bool canBeInPlace = sizeof(Element) == sizeof(float);
  static constexpr int64_t mostKept = int64_t{32} << 20;  // floats
  const Element* k_;
  const Element* v_;
  int64_t headDim_, valueDim_, stride_;
  bool inPlace_;
  bool keepsAll_ = false;
  int64_t copied_ = 0;  // keys [0, copied_) are held
  float* keyCopy_ = nullptr;
  float* valueCopy_ = nullptr;
};

}  // namespace libra::cpu::LIBRA_SET
