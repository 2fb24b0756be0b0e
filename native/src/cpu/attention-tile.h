// Pieces that attention's forward and backward share: tiles, transposes, lane products.
//
// SIMD lanes are query rows: a tile holds Qᵀ [D][rowBlock], so that scores come out as
// Sᵀ [key][rowBlock], the softmax needs no horizontal operation and keys and values are read as
// they lie in memory, one broadcast element at a time.
#pragma once

#include "attention-plan.h"
#include "product.h"

namespace libra::cpu::LIBRA_SET {

inline constexpr int laneVectors = 3;  // vectors of a tile that one register block covers
static_assert(rowBlock % (laneVectors * lanes) == 0);

LIBRA_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
LIBRA_INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
LIBRA_INLINE int64_t roundUp(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

/// Where a tile lies in its segment and which keys its rows see.
struct TilePlace {
  int64_t vector;     // query vector of row 0
  int64_t stride;     // query vectors from one row to the next
  int64_t rows;       // 1 … rowBlock
  int64_t firstKeys;  // keys that row 0 sees, may be ≤ 0; row l sees l more when causal
  int64_t keys;       // keys that any row sees, 0 or more
  bool causal;
};

LIBRA_INLINE TilePlace placeTile(const AttentionSegment& segment, int64_t tile) {
  const int64_t firstRow = tile / segment.heads * rowBlock;
  const int64_t rows = least(rowBlock, segment.rows - firstRow);
  return {segment.queryOffset + firstRow * segment.queryStride + tile % segment.heads,
          segment.queryStride,
          rows,
          visibleKeys(segment, firstRow),
          most(0, visibleKeys(segment, firstRow + rows - 1)),
          segment.causal};
}

/// Asks for the rows of a tensor that a tile will read or write soon: they lie far apart, where no
/// hardware prefetcher follows.
LIBRA_INLINE void prefetchRows(const float* tensor, const TilePlace& place, int64_t width) {
  for (int64_t l = 0; l < place.rows; ++l) {
    prefetchFloats(tensor + (place.vector + l * place.stride) * width, width);
  }
}

/// The part of one key block that a tile sees. Low lanes see fewer keys than high ones.
struct BlockView {
  int64_t keys;      // keys of the block that any lane sees
  int64_t diagonal;  // lane l sees the block's keys r ≤ l + diagonal
  int vectors;       // vectors with a valid lane

  /// Keys that some lane of the vector sees.
  LIBRA_INLINE int64_t seen(int vector) const {
    return most(0, least(keys, diagonal + (vector + 1) * lanes));
  }
  /// First key that some lane of the vector does not see.
  LIBRA_INLINE int64_t whole(int vector) const {
    return most(0, least(keys, diagonal + 1 + vector * lanes));
  }
};

LIBRA_INLINE BlockView viewBlock(const TilePlace& place, int64_t firstKey) {
  const int64_t keys = least(keyBlock, place.keys - firstKey);
  return {keys, place.causal ? place.firstKeys - 1 - firstKey : keys,
          static_cast<int>((place.rows + lanes - 1) / lanes)};
}

/// C[count][vectors] (op)= A · B with rows of rowBlock lanes.
template <Start start>
LIBRA_INLINE void laneStrip(int vectors, int64_t count, Broadcast a, const float* b, float* c,
                            int64_t depth, const float* factors) {
  if (vectors == 3) {
    productStrip<3, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  } else if (vectors == 2) {
    productStrip<2, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  } else {
    productStrip<1, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  }
}

/// C[key][lane] = Σ_d A(key, d) · B[d][lane] for the (key, vector) pairs that are seen.
LIBRA_INLINE void keyProduct(const BlockView& view, Broadcast a, const float* b, float* c,
                             int64_t depth) {
  for (int first = 0; first < view.vectors; first += laneVectors) {
    const int last = static_cast<int>(least(first + laneVectors, view.vectors));
    int64_t from = 0;
    for (int v = first; v < last; ++v) {
      const int64_t to = view.seen(v);
      if (to > from) {
        laneStrip<Start::zero>(last - v, to - from, a.at(from, 0), b + v * lanes,
                               c + from * rowBlock + v * lanes, depth, nullptr);
      }
      from = most(from, to);
    }
  }
}

/// C[d][lane] (op)= Σ_key A(d, key) · B[key][lane] over the keys that each vector sees.
template <Start start>
LIBRA_INLINE void elementProduct(const BlockView& view, int64_t elements, Broadcast a,
                                 const float* b, float* c, const float* factors = nullptr) {
  for (int first = 0; first < view.vectors; first += laneVectors) {
    const int last = static_cast<int>(least(first + laneVectors, view.vectors));
    int64_t from = view.seen(first);
    laneStrip<start>(last - first, elements, a, b + first * lanes, c + first * lanes, from,
                     start == Start::rescale ? factors + first * lanes : nullptr);
    for (int v = first + 1; v < last; ++v) {
      const int64_t to = view.seen(v);
      if (to > from) {
        laneStrip<Start::add>(last - v, elements, a.at(0, from), b + from * rowBlock + v * lanes,
                              c + v * lanes, to - from, nullptr);
        from = to;
      }
    }
  }
}

typedef float Four __attribute__((vector_size(16)));
typedef float LooseFour __attribute__((vector_size(16), aligned(4), may_alias));

LIBRA_INLINE Four loadFour(const float* from) { return *reinterpret_cast<const LooseFour*>(from); }
LIBRA_INLINE void storeFour(float* to, Four x) { *reinterpret_cast<LooseFour*>(to) = x; }

/// Transposes a 4 × 4 block held in four vectors.
LIBRA_INLINE void transposeFour(Four& a, Four& b, Four& c, Four& d) {
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  c = __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5);
  d = __builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7);
}

/// to[d][rowBlock] = factor · from[row][d]ᵀ; lanes without a row get 0. `stride` in elements.
LIBRA_NOINLINE inline void transposeIn(const float* from, int64_t stride, int64_t rows,
                                       int64_t width, float factor, float* to) {
  const int64_t whole = width / 4 * 4;
  for (int64_t l = 0; l < rowBlock; l += 4) {
    const int64_t here = most(0, least(4, rows - l));
    if (here < 4) {
      for (int64_t d = 0; d < width; ++d) storeFour(to + d * rowBlock + l, Four{});
      for (int64_t i = 0; i < here; ++i) {
        const float* row = from + (l + i) * stride;
        for (int64_t d = 0; d < width; ++d) to[d * rowBlock + l + i] = row[d] * factor;
      }
      continue;
    }
    const float* row = from + l * stride;
    for (int64_t d = 0; d < whole; d += 4) {
      Four a = loadFour(row + d) * factor;
      Four b = loadFour(row + stride + d) * factor;
      Four c = loadFour(row + 2 * stride + d) * factor;
      Four e = loadFour(row + 3 * stride + d) * factor;
      transposeFour(a, b, c, e);
      storeFour(to + d * rowBlock + l, a);
      storeFour(to + (d + 1) * rowBlock + l, b);
      storeFour(to + (d + 2) * rowBlock + l, c);
      storeFour(to + (d + 3) * rowBlock + l, e);
    }
    for (int64_t d = whole; d < width; ++d) {
      for (int64_t i = 0; i < 4; ++i) to[d * rowBlock + l + i] = row[i * stride + d] * factor;
    }
  }
}

/// to[row][d] (+)= from[d][rowBlock]ᵀ · factors[row]
template <bool accumulate>
LIBRA_NOINLINE inline void transposeOut(const float* from, int64_t rows, int64_t width,
                                        const float* factors, float* to, int64_t stride) {
  const int64_t whole = width / 4 * 4;
  for (int64_t l = 0; l < rows; l += 4) {
    const int64_t here = least(4, rows - l);
    for (int64_t d = 0; d < whole; d += 4) {
      Four block[4];
      for (int i = 0; i < 4; ++i) block[i] = loadFour(from + (d + i) * rowBlock + l);
      transposeFour(block[0], block[1], block[2], block[3]);
      for (int64_t i = 0; i < here; ++i) {
        float* row = to + (l + i) * stride + d;
        Four x = block[i] * factors[l + i];
        if constexpr (accumulate) x = loadFour(row) + x;
        storeFour(row, x);
      }
    }
    for (int64_t d = whole; d < width; ++d) {
      for (int64_t i = 0; i < here; ++i) {
        float* row = to + (l + i) * stride + d;
        const float x = from[d * rowBlock + l + i] * factors[l + i];
        *row = accumulate ? *row + x : x;
      }
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
