// Attention backward on bfloat16 by the machine's products of pairs; sums stay float32, weights and
// dS are rounded to bfloat16 before they meet dO, Q and K.
#include "attention-panels.h"
#include "exponential.h"
#include "kernel-list.h"
#include "pairs.h"

namespace libra::cpu::LIBRA_SET {
namespace {

constexpr float log2e = 1.44269504f;
constexpr int64_t rowPairs = rowBlock / 2;

struct DotTile {
  BackwardState state;
  Pair* query;          // Qᵀ [pairs of D][rowBlock]
  Pair* outGradient;    // dOᵀ [pairs of Dv][rowBlock]
  Pair* queryPairs;     // Q [pair of rows][padded D]
  Pair* gradientPairs;  // dO [pair of rows][padded Dv]
};

/// Weights and dS of one block, in the orders in which the products read them.
struct BlockWeights {
  Pair* weights;  // P [key][pair of rows]
  Pair* slopes;   // dS · scale [key][pair of rows]
  Pair* byKeys;   // dS · scale [pair of keys][rowBlock]
};

LIBRA_NOINLINE void weightBlock(const BlockView& view, const BackwardState& tile, float scale,
                                const float* scores, const float* valueProducts,
                                const BlockWeights& to) {
  const Floats factor = splat(scale * log2e);
  const Floats slopeFactor = splat(scale);
  for (int v = 0; v < view.vectors; ++v) {
    const Floats offset = -load(tile.logSumExp + v * lanes);
    const Floats delta = load(tile.delta + v * lanes);
    const int64_t whole = view.whole(v);
    const int64_t seen = view.seen(v);
    const auto slopeOf = [&](int64_t r) LIBRA_LAMBDA {
      const int64_t at = r * rowBlock + v * lanes;
      Floats p = exp2NonPositive(multiplyAdd(load(scores + at), factor, offset));
      if (r >= whole) {
        p = keep(laneNumbers() >= splatInt(static_cast<int32_t>(r - view.diagonal) - v * lanes), p);
      }
      const Floats slope = p * (load(valueProducts + at) - delta) * slopeFactor;
      storeNeighbours(to.weights + r * rowPairs + v * lanes / 2, p);
      storeNeighbours(to.slopes + r * rowPairs + v * lanes / 2, slope);
      return slope;
    };
    int64_t r = 0;
    for (; r + 2 <= seen; r += 2) {
      const Floats first = slopeOf(r);
      storePairs(to.byKeys + r / 2 * rowBlock + v * lanes, first, slopeOf(r + 1));
    }
    if (r < seen) storePairs(to.byKeys + r / 2 * rowBlock + v * lanes, slopeOf(r), Floats{});
  }
}

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
               takePairs(frame, keyBlock / 2 * rowBlock)} {
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
    weightBlock(view, tile.state, a_.scale, scores_, valueProducts_, block_);
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
  BlockWeights block_;
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
