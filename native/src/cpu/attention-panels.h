// Keys, values and their gradients of one segment, panel by panel.
#pragma once

#include "attention-keys.h"

namespace libra::cpu::LIBRA_SET {

/// Keys, values and their gradients of one panel, `headWidth` and `valueWidth` elements apart.
struct Panel {
  int64_t first;  // of the segment's keys
  int64_t count;
  const float* keys;
  const float* values;
  float* keyGradient;
  float* valueGradient;
};

/// Works in place where vectors lie next to each other and are whole SIMD vectors; otherwise copies
/// a panel in, and its gradients out again.
class PanelStore {
 public:
  PanelStore(const AttentionBackwardArguments& a, const AttentionSegment& segment,
             ScratchFrame& frame)
      : a_(a),
        segment_(segment),
        headWidth(roundUp(a.headDim, lanes)),
        valueWidth(roundUp(a.valueDim, lanes)),
        inPlace_(segment.keyStride == 1 && headWidth == a.headDim && valueWidth == a.valueDim) {
    if (inPlace_) return;
    const int64_t held = least(keyPanel, segment.keys);
    keys_ = frame.floats(held * headWidth);
    values_ = frame.floats(held * valueWidth);
    keyGradient_ = frame.floats(held * headWidth);
    valueGradient_ = frame.floats(held * valueWidth);
    // Padding is multiplied along but never copied out; zeros keep it free of slow denormals.
    if (headWidth != a.headDim) __builtin_memset(keyGradient_, 0, 4 * held * headWidth);
    if (valueWidth != a.valueDim) __builtin_memset(valueGradient_, 0, 4 * held * valueWidth);
  }

  Panel open(int64_t index) const {
    const int64_t first = index * keyPanel;
    const int64_t count = least(keyPanel, segment_.keys - first);
    const int64_t vector = segment_.keyOffset + first * segment_.keyStride;
    const int64_t head = vector * a_.headDim;
    const int64_t value = vector * a_.valueDim;
    if (inPlace_) return {first, count, a_.k + head, a_.v + value, a_.dk + head, a_.dv + value};
    const int64_t headStride = segment_.keyStride * a_.headDim;
    const int64_t valueStride = segment_.keyStride * a_.valueDim;
    copyRows(a_.k + head, headStride, keys_, headWidth, count, a_.headDim);
    copyRows(a_.v + value, valueStride, values_, valueWidth, count, a_.valueDim);
    copyRows(a_.dk + head, headStride, keyGradient_, headWidth, count, a_.headDim);
    copyRows(a_.dv + value, valueStride, valueGradient_, valueWidth, count, a_.valueDim);
    return {first, count, keys_, values_, keyGradient_, valueGradient_};
  }

  void close(const Panel& panel) const {
    if (inPlace_) return;
    const int64_t vector = segment_.keyOffset + panel.first * segment_.keyStride;
    copyRows(keyGradient_, headWidth, a_.dk + vector * a_.headDim, segment_.keyStride * a_.headDim,
             panel.count, a_.headDim);
    copyRows(valueGradient_, valueWidth, a_.dv + vector * a_.valueDim,
             segment_.keyStride * a_.valueDim, panel.count, a_.valueDim);
  }

 private:
  const AttentionBackwardArguments& a_;
  const AttentionSegment& segment_;

 public:
  const int64_t headWidth;
  const int64_t valueWidth;

 private:
  const bool inPlace_;
  float* keys_ = nullptr;
  float* values_ = nullptr;
  float* keyGradient_ = nullptr;
  float* valueGradient_ = nullptr;
};

}  // namespace libra::cpu::LIBRA_SET
