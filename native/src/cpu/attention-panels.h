// Keys, values and their gradients of one segment, panel by panel.
#pragma once

#include "attention-backward-run.h"
#include "attention-keys.h"

namespace libra::cpu::LIBRA_SET {

/// Where the rows of dK or dV of a panel lie: in place where vectors lie next to each other and are
/// whole SIMD vectors, otherwise in a copy that is loaded and stored with the panel.
class GradientRows {
 public:
  GradientRows(float* tensor, int64_t dim, const AttentionSegment& segment, ScratchFrame& frame)
      : width(roundUp(dim, lanes)),
        tensor_(tensor + segment.keyOffset * dim),
        dim_(dim),
        stride_(segment.keyStride * dim),
        inPlace_(segment.keyStride == 1 && width == dim) {
    if (inPlace_) return;
    const int64_t held = least(keyPanel, segment.keys);
    copy_ = frame.floats(held * width);
    // Padding is multiplied along but never copied out; zeros keep it free of slow denormals.
    if (width != dim) __builtin_memset(copy_, 0, sizeof(float) * held * width);
  }

  void open(const KeyRange& panel) {
    float* first = tensor_ + panel.first * stride_;
    rows = inPlace_ ? first : copy_;
    if (!inPlace_) copyRows(first, stride_, copy_, width, panel.count, dim_);
  }

  void close(const KeyRange& panel) const {
    if (inPlace_) return;
    copyRows(copy_, width, tensor_ + panel.first * stride_, stride_, panel.count, dim_);
  }

  const int64_t width;  // elements from one row to the next
  float* rows = nullptr;

 private:
  float* tensor_;
  int64_t dim_, stride_;
  bool inPlace_;
  float* copy_ = nullptr;
};

/// Float rows of K or V of a panel, `width` elements apart: in place or copied and widened.
template <class Element>
class PanelRows {
 public:
  PanelRows(const Element* tensor, int64_t dim, const AttentionSegment& segment,
            ScratchFrame& frame)
      : width(dim),
        tensor_(tensor + segment.keyOffset * dim),
        stride_(segment.keyStride * dim),
        inPlace_(sizeof(Element) == sizeof(float) && segment.keyStride == 1) {
    if (!inPlace_) copy_ = frame.floats(least(keyPanel, segment.keys) * width);
  }

  void open(const KeyRange& panel) {
    const Element* first = tensor_ + panel.first * stride_;
    if constexpr (sizeof(Element) == sizeof(float)) {
      if (inPlace_) {
        rows = first;
        return;
      }
    }
    copyRows(first, stride_, copy_, width, panel.count, width);
    rows = copy_;
  }

  const int64_t width;
  const float* rows = nullptr;

 private:
  const Element* tensor_;
  int64_t stride_;
  bool inPlace_;
  float* copy_ = nullptr;
};

/// C[key][width] += Σ_lane A[key][lane] · B[lane][width], leaving out lanes that see no key. Rows
/// of A are rowBlock lanes; elements may hold two lanes.
template <class Element>
LIBRA_INLINE void rowProduct(const BlockView& view, int64_t rows, const Element* a,
                             const Element* b, float* c, int64_t width) {
  constexpr int64_t together = Arithmetic<Element>::depths;
  constexpr int64_t stride = rowBlock / together;
  int64_t from = 0;
  for (int v = 0; v < view.vectors; ++v) {
    const int64_t to = view.seen(v);
    if (to <= from) continue;
    const int64_t lane = v * lanes / together;
    wideProduct(to - from, width, Broadcast<Element>{a + from * stride + lane, stride, 1},
                b + lane * width, width, c + from * width, width, divideUp(rows, together) - lane);
    from = to;
  }
}

}  // namespace libra::cpu::LIBRA_SET
