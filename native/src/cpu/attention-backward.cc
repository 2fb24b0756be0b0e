// Attention backward over segments: one pass, five float32 products, lanes as query rows.
#include "attention-panels.h"
#include "attention-weights.h"
#include "kernel-list.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Scores become P, products of dO and V become dS.
struct FloatWeights {
  static constexpr int degree = 6;
  float* scores;
  float* products;
  LIBRA_INLINE Floats offset(Floats logSumExp) const { return logSumExp; }
  LIBRA_INLINE Floats exponent(Floats score, Floats logSumExp) const { return score - logSumExp; }
  LIBRA_INLINE Floats slope(Floats p, Floats difference) const { return p * difference; }
  LIBRA_INLINE void put(int64_t key, int64_t lane, Floats p, Floats next, Floats slope,
                        Floats nextSlope) const {
    const int64_t at = key * rowBlock + lane;
    store(scores + at, p);
    store(scores + at + rowBlock, next);
    store(products + at, slope);
    store(products + at + rowBlock, nextSlope);
  }
};

struct FloatTile {
  BackwardState state;
  float* query;         // Qᵀ [D][rowBlock], times scale · log2 e
  float* outGradient;   // dOᵀ [Dv][rowBlock]
  float* queryRows;     // Q [rowBlock][padded D], times scale
  float* gradientRows;  // dO [rowBlock][padded Dv]
};

template <class Element>
class FloatBackward {
 public:
  static constexpr int64_t superblock = 4;  // tiles that share a key block while it is in cache
  FloatTile tiles[superblock];

  FloatBackward(const AttentionBackwardOf<Element>& a, const AttentionSegment& segment,
                ScratchFrame& frame)
      : a_(a),
        keys_(a.k, a.headDim, segment, frame),
        values_(a.v, a.valueDim, segment, frame),
        keyGradient_(a.dk, a.headDim, segment, frame),
        valueGradient_(a.dv, a.valueDim, segment, frame),
        scores_(frame.floats(keyBlock * rowBlock)),
        valueProducts_(frame.floats(keyBlock * rowBlock)) {
    for (FloatTile& tile : tiles) {
      tile.state.allocate(a.headDim, frame);
      tile.query = frame.floats(a.headDim * rowBlock);
      tile.outGradient = frame.floats(a.valueDim * rowBlock);
      tile.queryRows = paddedRows(keyGradient_.width, a.headDim, frame);
      tile.gradientRows = paddedRows(valueGradient_.width, a.valueDim, frame);
    }
  }

  void open(const KeyRange& panel) {
    panel_ = panel;
    keys_.open(panel);
    values_.open(panel);
    keyGradient_.open(panel);
    valueGradient_.open(panel);
  }

  void close(const KeyRange& panel) const {
    keyGradient_.close(panel);
    valueGradient_.close(panel);
  }

  void begin(FloatTile& tile) const {
    const TilePlace& place = tile.state.place;
    const int64_t queryStride = place.stride * a_.headDim;
    const int64_t gradientStride = place.stride * a_.valueDim;
    const Element* query = a_.q + place.vector * a_.headDim;
    const Element* gradient = a_.dOut + place.vector * a_.valueDim;
    transposeIn(query, queryStride, place.rows, a_.headDim, a_.scale * log2e, tile.query);
    transposeIn(gradient, gradientStride, place.rows, a_.valueDim, 1, tile.outGradient);
    for (int64_t l = 0; l < place.rows; ++l) {
      float* row = tile.queryRows + l * keyGradient_.width;
      copyElements(query + l * queryStride, row, a_.headDim);
      for (int64_t d = 0; d < a_.headDim; ++d) row[d] *= a_.scale;
    }
    copyRows(gradient, gradientStride, tile.gradientRows, valueGradient_.width, place.rows,
             a_.valueDim);
  }

  void step(const FloatTile& tile, int64_t key) const {
    const TilePlace& place = tile.state.place;
    const BlockView view = viewPanelBlock(place, panel_, key);
    const float* keys = keys_.rows + key * keys_.width;
    const float* values = values_.rows + key * values_.width;
    keyProduct(view, Broadcast<float>{keys, keys_.width, 1}, tile.query, scores_, a_.headDim);
    keyProduct(view, Broadcast<float>{values, values_.width, 1}, tile.outGradient, valueProducts_,
               a_.valueDim);
    weighBlock(view, FloatWeights{scores_, valueProducts_}, tile.state, scores_, valueProducts_);
    rowProduct(view, place.rows, scores_, tile.gradientRows,
               valueGradient_.rows + key * valueGradient_.width, valueGradient_.width);
    rowProduct(view, place.rows, valueProducts_, tile.queryRows,
               keyGradient_.rows + key * keyGradient_.width, keyGradient_.width);
    const Broadcast<float> elements{keys, 1, keys_.width};
    if (key == 0) {
      elementProduct<Start::zero>(view, a_.headDim, elements, valueProducts_, tile.state.gradient);
    } else {
      elementProduct<Start::add>(view, a_.headDim, elements, valueProducts_, tile.state.gradient);
    }
  }

  void end(const FloatTile& tile, float* partials) const {
    tile.state.end(a_.dq, a_.headDim, a_.scale, partials);
  }

 private:
  static float* paddedRows(int64_t width, int64_t used, ScratchFrame& frame) {
    float* rows = frame.floats(width * rowBlock);
    if (width != used) __builtin_memset(rows, 0, sizeof(float) * width * rowBlock);
    return rows;
  }

  const AttentionBackwardOf<Element>& a_;
  PanelRows<Element> keys_, values_;
  GradientRows keyGradient_, valueGradient_;
  float* scores_;         // Sᵀ, then P [key][rowBlock]
  float* valueProducts_;  // (dO · V)ᵀ, then dS [key][rowBlock]
  KeyRange panel_;
};

}  // namespace

void attentionBackward(Workers& workers, const AttentionBackwardArguments& arguments) {
  runBackward<FloatBackward<float>>(workers, arguments);
}

void attentionBackwardBfloat16(Workers& workers,
                               const AttentionBackwardBfloat16Arguments& arguments) {
  runBackward<FloatBackward<Bfloat16>>(workers, arguments);
}

}  // namespace libra::cpu::LIBRA_SET
