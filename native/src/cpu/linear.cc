// Linear layers and their two gradients: one packed matrix product.
//
// C[M][N] = Σ_k A(i, k) · B(k, j). Parts of A and B are packed into panels that fit the cache and
// shared by all threads; each block of `depthBlock` terms is one chain, the blocks are added in
// order. Blocks depend on shapes only, so any number of threads gives the same bits.
#include "kernel-list.h"
#include "pack.h"
#include "product.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {
namespace {

constexpr int panelVectors = 3;
constexpr int64_t panelRows = blockRows(panelVectors);      // rows of an A panel
constexpr int64_t panelColumns = panelVectors * lanes;      // columns of a B panel
constexpr int64_t depthBlock = 512;                         // an A and a B panel fit the L1 and L2
constexpr int64_t taskRowPanels = 96 / panelRows;           // a task's A panels fit the L2
constexpr int64_t taskColumnPanels = 768 / panelColumns;    // a task is long against its claim
constexpr int64_t mostRows = 3072 / panelRows * panelRows;  // packed parts fit a shared L3
constexpr int64_t mostColumns = 3072 / panelColumns * panelColumns;

/// Element (i, k): from[i · stride + k], or from[k · stride + i] when transposed. Rows i are the
/// rows of C for A, its columns for B.
struct Source {
  const float* from;
  int64_t stride;
  bool depthFirst;  // consecutive depths lie next to each other

  void pack(int64_t first, int64_t count, int64_t depth, int64_t depths, float* to,
            int64_t width) const {
    if (depthFirst) {
      packTransposed(from + first * stride + depth, stride, count, depths, to, width);
    } else {
      packRows(from + depth * stride + first, stride, count, depths, to, width);
    }
  }
};

struct Product {
  Source a;
  Source b;
  float* c;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  const float* base;  // added to the product, C's shape, may be c; null for none
};

/// One register block. `extra` null: C = A · B, otherwise C = extra + A · B.
template <int vectors>
LIBRA_NOINLINE void multiplyPanels(const float* a, const float* b, float* c, int64_t cStride,
                                   int64_t depth, const float* extra) {
  const Broadcast<float> panel{a, 1, panelRows};
  if (extra == nullptr) {
    productBlock<panelRows, vectors, Start::zero>(panel, b, panelColumns, c, cStride, depth,
                                                  nullptr);
  } else {
    productBlock<panelRows, vectors, Start::addAfter>(panel, b, panelColumns, c, cStride, depth,
                                                      extra);
  }
}

void multiplyVectors(int64_t vectors, const float* a, const float* b, float* c, int64_t cStride,
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

/// A register block at C's edge, by way of a full block beside it.
void multiplyEdge(int64_t rows, int64_t columns, const float* a, const float* b, float* c,
                  int64_t cStride, int64_t depth, const float* extra) {
  alignas(64) float block[panelRows * panelColumns];
  multiplyVectors(divideUp(columns, lanes), a, b, block, panelColumns, depth, nullptr);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const float sum = block[i * panelColumns + j];
      c[i * cStride + j] = extra == nullptr ? sum : extra[i * cStride + j] + sum;
    }
  }
}

/// One pass: rows [firstRow, + rows) × columns [firstColumn, + columns) × depths of packed parts.
struct Pass {
  int64_t firstRow, rows;
  int64_t firstColumn, columns;
  int64_t firstDepth, depths;
  float* a;  // [row panels][depths][panelRows]
  float* b;  // [column panels][depths][panelColumns]

  int64_t rowPanels() const { return divideUp(rows, panelRows); }
  int64_t columnPanels() const { return divideUp(columns, panelColumns); }
};

void packTask(const Product& product, const Pass& pass, int64_t task) {
  const int64_t rowTasks = divideUp(pass.rowPanels(), taskRowPanels);
  if (task < rowTasks) {
    const int64_t last = least((task + 1) * taskRowPanels, pass.rowPanels());
    for (int64_t p = task * taskRowPanels; p < last; ++p) {
      product.a.pack(pass.firstRow + p * panelRows, least(panelRows, pass.rows - p * panelRows),
                     pass.firstDepth, pass.depths, pass.a + p * panelRows * pass.depths, panelRows);
    }
    return;
  }
  const int64_t p = task - rowTasks;
  product.b.pack(pass.firstColumn + p * panelColumns,
                 least(panelColumns, pass.columns - p * panelColumns), pass.firstDepth, pass.depths,
                 pass.b + p * panelColumns * pass.depths, panelColumns);
}

void multiplyTask(const Product& product, const Pass& pass, int64_t rowTask, int64_t columnTask) {
  const float* base = pass.firstDepth == 0 ? product.base : product.c;
  const int64_t lastColumn = least((columnTask + 1) * taskColumnPanels, pass.columnPanels());
  const int64_t lastRow = least((rowTask + 1) * taskRowPanels, pass.rowPanels());
  for (int64_t q = columnTask * taskColumnPanels; q < lastColumn; ++q) {
    const float* b = pass.b + q * panelColumns * pass.depths;
    const int64_t columns = least(panelColumns, pass.columns - q * panelColumns);
    for (int64_t p = rowTask * taskRowPanels; p < lastRow; ++p) {
      const float* a = pass.a + p * panelRows * pass.depths;
      const int64_t rows = least(panelRows, pass.rows - p * panelRows);
      const int64_t at =
          (pass.firstRow + p * panelRows) * product.columns + pass.firstColumn + q * panelColumns;
      const float* extra = base == nullptr ? nullptr : base + at;
      if (rows == panelRows && columns % lanes == 0) {
        multiplyVectors(columns / lanes, a, b, product.c + at, product.columns, pass.depths, extra);
      } else {
        multiplyEdge(rows, columns, a, b, product.c + at, product.columns, pass.depths, extra);
      }
    }
  }
}

void runPass(Workers& workers, const Product& product, const Pass& pass) {
  const int64_t rowTasks = divideUp(pass.rowPanels(), taskRowPanels);
  const int64_t columnTasks = divideUp(pass.columnPanels(), taskColumnPanels);
  workers.run(static_cast<int>(rowTasks + pass.columnPanels()),
              [&](int task, int) { packTask(product, pass, task); });
  workers.run(static_cast<int>(rowTasks * columnTasks), [&](int task, int) {
    multiplyTask(product, pass, task / columnTasks, task % columnTasks);
  });
}

/// A product without terms is its base, or 0.
void storeBase(const Product& product) {
  const int64_t count = product.rows * product.columns;
  if (product.base == product.c) return;
  for (int64_t i = 0; i < count; ++i) product.c[i] = product.base ? product.base[i] : 0;
}

void multiply(Workers& workers, const Product& product) {
  if (product.depth == 0) return storeBase(product);
  ScratchFrame frame;
  const int64_t depths = least(depthBlock, product.depth);
  float* a = frame.floats(roundUp(least(mostRows, product.rows), panelRows) * depths);
  float* b = frame.floats(roundUp(least(mostColumns, product.columns), panelColumns) * depths);
  for (int64_t row = 0; row < product.rows; row += mostRows) {
    for (int64_t column = 0; column < product.columns; column += mostColumns) {
      for (int64_t depth = 0; depth < product.depth; depth += depthBlock) {
        runPass(workers, product,
                {row, least(mostRows, product.rows - row), column,
                 least(mostColumns, product.columns - column), depth,
                 least(depthBlock, product.depth - depth), a, b});
      }
    }
  }
}

}  // namespace

void linear(Workers& workers, const LinearArguments& l) {
  multiply(workers,
           {{l.x, l.in, true}, {l.weight, l.in, true}, l.out, l.rows, l.outputs, l.in, l.residual});
}

void linearBackwardInput(Workers& workers, const LinearBackwardInputArguments& l) {
  multiply(workers, {{l.dOut, l.outputs, true},
                     {l.weight, l.in, false},
                     l.dx,
                     l.rows,
                     l.in,
                     l.outputs,
                     l.accumulate ? l.dx : nullptr});
}

void linearBackwardWeight(Workers& workers, const LinearBackwardWeightArguments& l) {
  multiply(workers, {{l.dOut, l.outputs, false},
                     {l.x, l.in, false},
                     l.dWeight,
                     l.outputs,
                     l.in,
                     l.rows,
                     l.accumulate ? l.dWeight : nullptr});
}

}  // namespace libra::cpu::LIBRA_SET
