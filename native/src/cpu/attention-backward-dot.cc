// Attention backward on bfloat16 by the machine's products of pairs; sums stay float32, weights and
// dS are rounded to bfloat16 before they meet dO, Q and K.
#include "attention-panels.h"
#include "attention-weights.h"
#include "kernel-list.h"
#include "pairs.h"

namespace libra::cpu::LIBRA_SET {
namespace {

constexpr int64_t rowPairs = rowBlock / 2;

struct DotTile {
  BackwardState state;
  Pair* query;          // Qᵀ [pairs of D][rowBlock]
  Pair* outGradient;    // dOᵀ [pairs of Dv][rowBlock]
  Pair* queryPairs;     // Q [pair of rows][padded D]
  Pair* gradientPairs;  // dO [pair of rows][padded Dv]
};

/// P and dS in the orders in which the products read them.
struct DotWeights {
  static constexpr int degree = 4;  // they are rounded to bfloat16
  Pair* weights;                    // P [key][pair of rows]
  Pair* slopes;                     // dS · scale [key][pair of rows]
  Pair* byKeys;                     // dS · scale [pair of keys][rowBlock]
  float scale;
  LIBRA_INLINE Floats offset(Floats logSumExp) const { return -logSumExp; }
  LIBRA_INLINE Floats exponent(Floats score, Floats offset) const {
    return multiplyAdd(score, splat(scale * log2e), offset);
  }
  LIBRA_INLINE Floats slope(Floats p, Floats difference) const {
    return p * difference * splat(scale);
  }
  LIBRA_INLINE void put(int64_t key, int64_t lane, Floats p, Floats next, Floats slope,
                        Floats nextSlope) const {
    const int64_t at = key * rowPairs + lane / 2;
    storeNeighbours(weights + at, p);
    storeNeighbours(weights + at + rowPairs, next);
    storeNeighbours(slopes + at, slope);
    storeNeighbours(slopes + at + rowPairs, nextSlope);
    storePairs(byKeys + key / 2 * rowBlock + lane, slope, nextSlope);
  }
};

class DotBackward {
 public:
  static constexpr int64_t superblock = 4;
  DotTile tiles[superblock];

  DotBackward(const AttentionBackwardBfloat16Arguments& a, const AttentionSegment& segment,
              ScratchFrame& frame)
      : a_(a),
        keys_(a.k, a.headDim, segment, least(keyPanel, segment.keys), frame),
        values_(a.v, a.valueDim, segment, least(keyPanel, segment.keys), frame),
        k_(a.k + segment.keyOffset * a.headDim),
        stride_(segment.keyStride * a.headDim),
        byKeys_(takePairs(frame, pairsOf(least(keyPanel, segment.keys)) * a.headDim)),
        keyGradient_(a.dk, a.headDim, segment, frame),
        valueGradient_(a.dv, a.valueDim, segment, frame),
        scores_(frame.floats(keyBlock * rowBlock)),
        valueProducts_(frame.floats(keyBlock * rowBlock)),
        block_{takePairs(frame, keyBlock * rowPairs), takePairs(frame, keyBlock * rowPairs),
               takePairs(frame, keyBlock / 2 * rowBlock), a.scale} {
    for (DotTile& tile : tiles) {
      tile.state.allocate(a.headDim, frame);
      tile.query = takePairs(frame, pairsOf(a.headDim) * rowBlock);
      tile.outGradient = takePairs(frame, pairsOf(a.valueDim) * rowBlock);
      tile.queryPairs = paddedPairs(keyGradient_.width, a.headDim, frame);
      tile.gradientPairs = paddedPairs(valueGradient_.width, a.valueDim, frame);
    }
  }

  void open(const KeyRange& panel) {
    panel_ = panel;
    keyRows_ = keys_.rows(panel.first, panel.count, 0);
    valueRows_ = values_.rows(panel.first, panel.count, 0);
    interleaveRows(k_ + panel.first * stride_, stride_, panel.count, a_.headDim, byKeys_,
                   a_.headDim);
    keyGradient_.open(panel);
    valueGradient_.open(panel);
  }

  void close(const KeyRange& panel) const {
    keyGradient_.close(panel);
    valueGradient_.close(panel);
  }

  void begin(DotTile& tile) const {
    const TilePlace& place = tile.state.place;
    const int64_t queryStride = place.stride * a_.headDim;
    const int64_t gradientStride = place.stride * a_.valueDim;
    const Bfloat16* query = a_.q + place.vector * a_.headDim;
    const Bfloat16* gradient = a_.dOut + place.vector * a_.valueDim;
    transposePairs(query, queryStride, place.rows, a_.headDim, 0, tile.query);
    transposePairs(gradient, gradientStride, place.rows, a_.valueDim, 0, tile.outGradient);
    interleaveRows(query, queryStride, place.rows, a_.headDim, tile.queryPairs, keyGradient_.width);
    interleaveRows(gradient, gradientStride, place.rows, a_.valueDim, tile.gradientPairs,
                   valueGradient_.width);
  }

  void step(const DotTile& tile, int64_t key) const {
    const TilePlace& place = tile.state.place;
    const BlockView view = viewPanelBlock(place, panel_, key);
    keyProduct(view, Broadcast<Pair>{keyRows_ + key * keys_.width, keys_.width, 1}, tile.query,
               scores_, keys_.width);
    keyProduct(view, Broadcast<Pair>{valueRows_ + key * values_.width, values_.width, 1},
               tile.outGradient, valueProducts_, values_.width);
    weighBlock(view, block_, tile.state, scores_, valueProducts_);
    rowProduct(view, place.rows, block_.weights, tile.gradientPairs,
               valueGradient_.rows + key * valueGradient_.width, valueGradient_.width);
    rowProduct(view, place.rows, block_.slopes, tile.queryPairs,
               keyGradient_.rows + key * keyGradient_.width, keyGradient_.width);
    const Broadcast<Pair> elements{byKeys_ + key / 2 * a_.headDim, 1, a_.headDim};
    if (key == 0) {
      elementProduct<Start::zero>(view, a_.headDim, elements, block_.byKeys, tile.state.gradient);
    } else {
      elementProduct<Start::add>(view, a_.headDim, elements, block_.byKeys, tile.state.gradient);
    }
  }

  void end(const DotTile& tile, float* partials) const {
    tile.state.end(a_.dq, a_.headDim, 1, partials);
  }

 private:
  static Pair* paddedPairs(int64_t width, int64_t used, ScratchFrame& frame) {
    Pair* pairs = takePairs(frame, width * rowPairs);
    if (width != used) __builtin_memset(pairs, 0, sizeof(Pair) * width * rowPairs);
    return pairs;
  }

  const AttentionBackwardBfloat16Arguments& a_;
  PairRows keys_, values_;
  const Bfloat16* k_;
  int64_t stride_;
  Pair* byKeys_;  // K [pair of keys][D]
  GradientRows keyGradient_, valueGradient_;
  float* scores_;         // Sᵀ [key][rowBlock]
  float* valueProducts_;  // (dO · V)ᵀ [key][rowBlock]
  DotWeights block_;
  const Pair* keyRows_ = nullptr;
  const Pair* valueRows_ = nullptr;
  KeyRange panel_;
};

}  // namespace

void attentionBackwardBfloat16(Workers& workers,
                               const AttentionBackwardBfloat16Arguments& arguments) {
  runBackward<DotBackward>(workers, arguments);
}

}  // namespace libra::cpu::LIBRA_SET
