// Pieces that attention's forward and backward share: tiles, what they see, lane products.
//
// SIMD lanes are query rows: a tile holds Qᵀ [D][rowBlock], so that scores come out as
// Sᵀ [key][rowBlock], the softmax needs no horizontal operation and keys and values are read as
// they lie in memory, one broadcast element at a time.
#pragma once

#include "attention-plan.h"
#include "product.h"
#include "transpose.h"

namespace libra::cpu::LIBRA_SET {

inline constexpr int laneVectors = 3;  // vectors of a tile that one register block covers
static_assert(rowBlock % (laneVectors * lanes) == 0);
/// Vectors of a tile whose exponentials advance side by side where all see the same keys.
inline constexpr int abreast = LIBRA_VECTOR_BYTES == 64 ? laneVectors : 1;
inline constexpr float log2e = 1.44269504f;

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
template <class Element>
LIBRA_INLINE void prefetchRows(const Element* tensor, const TilePlace& place, int64_t width) {
  for (int64_t l = 0; l < place.rows; ++l) {
    prefetchElements(tensor + (place.vector + l * place.stride) * width, width);
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

LIBRA_INLINE BlockView viewBlock(const TilePlace& place, int64_t firstKey, int64_t blockKeys) {
  const int64_t keys = least(blockKeys, place.keys - firstKey);
  return {keys, place.causal ? place.firstKeys - 1 - firstKey : keys,
          static_cast<int>((place.rows + lanes - 1) / lanes)};
}

/// C[count][vectors] (op)= A · B with rows of rowBlock lanes.
template <Start start, class Element>
LIBRA_INLINE void laneStrip(int vectors, int64_t count, Broadcast<Element> a, const Element* b,
                            float* c, int64_t depth, const float* factors) {
  if (vectors == 3) {
    productStrip<3, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  } else if (vectors == 2) {
    productStrip<2, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  } else {
    productStrip<1, start>(count, a, b, rowBlock, c, rowBlock, depth, factors);
  }
}

/// C[key][lane] = Σ_d A(key, d) · B[d][lane] for the (key, vector) pairs that are seen; depth
/// counts elements of A.
template <class Element>
LIBRA_INLINE void keyProduct(const BlockView& view, Broadcast<Element> a, const Element* b,
                             float* c, int64_t depth) {
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

/// C[d][lane] (op)= Σ_key A(d, key) · B[key][lane] over the keys that each vector sees. Elements
/// may hold two keys: the second of the last pair then weighs 0 where it is not seen.
template <Start start, class Element>
LIBRA_INLINE void elementProduct(const BlockView& view, int64_t elements, Broadcast<Element> a,
                                 const Element* b, float* c, const float* factors = nullptr) {
  constexpr int64_t together = Arithmetic<Element>::depths;
  for (int first = 0; first < view.vectors; first += laneVectors) {
    const int last = static_cast<int>(least(first + laneVectors, view.vectors));
    int64_t from = divideUp(view.seen(first), together);
    laneStrip<start>(last - first, elements, a, b + first * lanes, c + first * lanes, from,
                     start == Start::rescale ? factors + first * lanes : nullptr);
    for (int v = first + 1; v < last; ++v) {
      const int64_t to = divideUp(view.seen(v), together);
      if (to > from) {
        laneStrip<Start::add>(last - v, elements, a.at(0, from), b + from * rowBlock + v * lanes,
                              c + v * lanes, to - from, nullptr);
        from = to;
      }
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
