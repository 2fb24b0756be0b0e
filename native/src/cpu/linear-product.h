// The matrix product behind linear layers and their two gradients.
//
// C[M][N] = Σ_k A(i, k) · B(k, j). Parts of A and B are packed into panels that fit the cache and
// shared by all threads; each block of depths is one chain, the blocks are added in order. Blocks
// depend on shapes only, so any number of threads gives the same bits. Panels hold floats, or pairs
// of bfloat16 where the machine multiplies those; sums are float32.
#pragma once

#include "pack.h"
#include "product.h"
#include "scratch.h"
#ifdef __AVX512BF16__
#include "pack-pairs.h"
#endif

namespace libra::cpu::LIBRA_SET {

inline constexpr int panelVectors = 3;
inline constexpr int64_t panelRows = blockRows(panelVectors);    // rows of an A panel
inline constexpr int64_t panelColumns = panelVectors * lanes;    // columns of a B panel
inline constexpr int64_t panelDepth = 512;                       // an A and a B panel fit L1 and L2
inline constexpr int64_t taskRowPanels = 96 / panelRows;         // a task's A panels fit the L2
inline constexpr int64_t taskColumnPanels = 768 / panelColumns;  // a task is long against its claim
inline constexpr int64_t mostRows = 3072 / panelRows * panelRows;  // packed parts fit a shared L3
inline constexpr int64_t mostColumns = 3072 / panelColumns * panelColumns;

/// Element (i, k): from[i · stride + k], or from[k · stride + i] unless `depthFirst`. Rows i are
/// the rows of C for A, its columns for B.
template <class From>
struct Source {
  const From* from;
  int64_t stride;
  bool depthFirst;  // consecutive depths lie next to each other

  template <class Panel>
  void pack(int64_t first, int64_t count, int64_t depth, int64_t depths, Panel* to,
            int64_t width) const {
    if (depthFirst) {
      packTransposed(from + first * stride + depth, stride, count, depths, to, width);
    } else {
      packRows(from + depth * stride + first, stride, count, depths, to, width);
    }
  }
};

template <class From, class To>
struct Product {
  Source<From> a;
  Source<From> b;
  To* c;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  const To* base;  // added to the product, C's shape, may be c; null for none
};

/// One register block. `extra` null: C = A · B, otherwise C = extra + A · B.
template <int vectors, class Panel>
LIBRA_NOINLINE void multiplyPanels(const Panel* a, const Panel* b, float* c, int64_t cStride,
                                   int64_t depth, const float* extra) {
  const Broadcast<Panel> panel{a, 1, panelRows};
  if (extra == nullptr) {
    productBlock<panelRows, vectors, Start::zero>(panel, b, panelColumns, c, cStride, depth,
                                                  nullptr);
  } else {
    productBlock<panelRows, vectors, Start::addAfter>(panel, b, panelColumns, c, cStride, depth,
                                                      extra);
  }
}

template <class Panel>
void multiplyVectors(int64_t vectors, const Panel* a, const Panel* b, float* c, int64_t cStride,
                     int64_t depth, const float* extra) {
  static_assert(panelVectors == 3);
  if (vectors == 3) {
    multiplyPanels<3>(a, b, c, cStride, depth, extra);
  } else if (vectors == 2) {
    multiplyPanels<2>(a, b, c, cStride, depth, extra);
  } else {
    multiplyPanels<1>(a, b, c, cStride, depth, extra);
  }
}

/// C = sums (+ base), rounded where C is narrower.
template <class To>
LIBRA_INLINE void storeBlock(int64_t rows, int64_t columns, const float* sums, int64_t sumStride,
                             const To* base, To* c, int64_t cStride) {
  for (int64_t i = 0; i < rows; ++i) {
    const float* row = sums + i * sumStride;
    const To* extra = base + (base == nullptr ? 0 : i * cStride);
    int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      const Floats sum = load(row + j);
      store(c + i * cStride + j, base == nullptr ? sum : load(extra + j) + sum);
    }
    for (; j < columns; ++j) {
      storeOne(c + i * cStride + j, base == nullptr ? row[j] : widened(extra[j]) + row[j]);
    }
  }
}

/// One pass: rows [firstRow, + rows) × columns [firstColumn, + columns) × depths of packed parts.
template <class Panel>
struct Pass {
  int64_t firstRow, rows;
  int64_t firstColumn, columns;
  int64_t firstDepth, depths;
  Panel* a;     // [row panels][depths][panelRows]
  Panel* b;     // [column panels][depths][panelColumns]
  float* sums;  // [row panels][column panels][panelRows][panelColumns], where C itself is narrower

  int64_t rowPanels() const { return divideUp(rows, panelRows); }
  int64_t columnPanels() const { return divideUp(columns, panelColumns); }
  int64_t panelElements() const { return divideUp(depths, Arithmetic<Panel>::depths); }
};

template <class Panel, class From, class To>
void packTask(const Product<From, To>& product, const Pass<Panel>& pass, int64_t task) {
  const int64_t elements = pass.panelElements();
  const int64_t rowTasks = divideUp(pass.rowPanels(), taskRowPanels);
  if (task < rowTasks) {
    const int64_t last = least((task + 1) * taskRowPanels, pass.rowPanels());
    for (int64_t p = task * taskRowPanels; p < last; ++p) {
      product.a.pack(pass.firstRow + p * panelRows, least(panelRows, pass.rows - p * panelRows),
                     pass.firstDepth, pass.depths, pass.a + p * panelRows * elements, panelRows);
    }
    return;
  }
  const int64_t p = task - rowTasks;
  product.b.pack(pass.firstColumn + p * panelColumns,
                 least(panelColumns, pass.columns - p * panelColumns), pass.firstDepth, pass.depths,
                 pass.b + p * panelColumns * elements, panelColumns);
}

/// The register block of row panel p and column panel q, straight into C or by way of `sums`.
template <class Panel, class From, class To>
LIBRA_INLINE void multiplyBlock(const Product<From, To>& product, const Pass<Panel>& pass,
                                int64_t p, int64_t q) {
  const int64_t depth = pass.panelElements();
  const Panel* a = pass.a + p * panelRows * depth;
  const Panel* b = pass.b + q * panelColumns * depth;
  const int64_t rows = least(panelRows, pass.rows - p * panelRows);
  const int64_t columns = least(panelColumns, pass.columns - q * panelColumns);
  const int64_t at =
      (pass.firstRow + p * panelRows) * product.columns + pass.firstColumn + q * panelColumns;
  alignas(64) float block[panelRows * panelColumns];
  if constexpr (sizeof(To) == sizeof(float)) {
    const float* base = pass.firstDepth == 0 ? product.base : product.c;
    const float* extra = base == nullptr ? nullptr : base + at;
    if (rows == panelRows && columns % lanes == 0) {
      multiplyVectors(columns / lanes, a, b, product.c + at, product.columns, depth, extra);
    } else {
      multiplyVectors(divideUp(columns, lanes), a, b, block, panelColumns, depth, nullptr);
      storeBlock(rows, columns, block, panelColumns, extra, product.c + at, product.columns);
    }
  } else {
    const int64_t place = (p * pass.columnPanels() + q) * panelRows * panelColumns;
    float* sums = pass.sums == nullptr ? block : pass.sums + place;
    multiplyVectors(divideUp(columns, lanes), a, b, sums, panelColumns, depth,
                    pass.firstDepth == 0 ? nullptr : sums);
    if (pass.firstDepth + pass.depths < product.depth) return;
    const To* extra = product.base == nullptr ? nullptr : product.base + at;
    storeBlock(rows, columns, sums, panelColumns, extra, product.c + at, product.columns);
  }
}

template <class Panel, class From, class To>
void multiplyTask(const Product<From, To>& product, const Pass<Panel>& pass, int64_t rowTask,
                  int64_t columnTask) {
  const int64_t lastColumn = least((columnTask + 1) * taskColumnPanels, pass.columnPanels());
  const int64_t lastRow = least((rowTask + 1) * taskRowPanels, pass.rowPanels());
  for (int64_t q = columnTask * taskColumnPanels; q < lastColumn; ++q) {
    for (int64_t p = rowTask * taskRowPanels; p < lastRow; ++p) multiplyBlock(product, pass, p, q);
  }
}

template <class Panel, class From, class To>
void runPass(Workers& workers, const Product<From, To>& product, const Pass<Panel>& pass) {
  const int64_t rowTasks = divideUp(pass.rowPanels(), taskRowPanels);
  const int64_t columnTasks = divideUp(pass.columnPanels(), taskColumnPanels);
  workers.run(static_cast<int>(rowTasks + pass.columnPanels()),
              [&](int task, int) { packTask(product, pass, task); });
  workers.run(static_cast<int>(rowTasks * columnTasks), [&](int task, int) {
    multiplyTask(product, pass, task / columnTasks, task % columnTasks);
  });
}

/// A product without terms is its base, or 0.
template <class From, class To>
void storeBase(const Product<From, To>& product) {
  const int64_t count = product.rows * product.columns;
  if (product.base == product.c) return;
  for (int64_t i = 0; i < count; ++i) product.c[i] = product.base ? product.base[i] : To{};
}

template <class Panel, class From, class To>
void multiply(Workers& workers, const Product<From, To>& product) {
  if (product.depth == 0) return storeBase(product);
  ScratchFrame frame;
  constexpr int64_t terms = Arithmetic<Panel>::depths;
  constexpr int64_t depthBlock = panelDepth * terms;
  const int64_t elements = divideUp(least(depthBlock, product.depth), terms);
  const int64_t rows = roundUp(least(mostRows, product.rows), panelRows);
  const int64_t columns = roundUp(least(mostColumns, product.columns), panelColumns);
  const auto take = [&](int64_t count) {
    return static_cast<Panel*>(frame.bytes(count * static_cast<int64_t>(sizeof(Panel))));
  };
  Panel* a = take(rows * elements);
  Panel* b = take(columns * elements);
  const bool collects = sizeof(To) < sizeof(float) && product.depth > depthBlock;
  float* sums = collects ? frame.floats(rows * columns) : nullptr;
  for (int64_t row = 0; row < product.rows; row += mostRows) {
    for (int64_t column = 0; column < product.columns; column += mostColumns) {
      for (int64_t depth = 0; depth < product.depth; depth += depthBlock) {
        runPass<Panel>(workers, product,
                       {row, least(mostRows, product.rows - row), column,
                        least(mostColumns, product.columns - column), depth,
                        least(depthBlock, product.depth - depth), a, b, sums});
      }
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
