// Attention backward over segments: one pass, five products, lanes as query rows.
//
// dK and dV of a key are one chain of multiply-adds over its rows, straight onto their old
// contents; dQ of a row is one chain over each key panel, the panels' sums added in order.
#include "attention-panels.h"
#include "exponential.h"
#include "kernel-list.h"

namespace libra::cpu::LIBRA_SET {
namespace {

constexpr int64_t superblock = 4;  // tiles that share a key block while it is in cache
constexpr float log2e = 1.44269504f;

struct Tile {
  TilePlace place;
  float* query;         // Qᵀ [D][rowBlock], times scale · log2 e
  float* outGradient;   // dOᵀ [Dv][rowBlock]
  float* gradient;      // dQᵀ [D][rowBlock], before the factor scale
  float* queryRows;     // Q [rowBlock][padded D], times scale
  float* gradientRows;  // dO [rowBlock][padded Dv]
  float* logSumExp;     // [rowBlock], in base 2; +∞ where the row has no weight
  float* delta;         // [rowBlock]
  int64_t partial;      // block of dQ's partial sum for the current panel
};

/// P and dS of the (key, lane) pairs seen: scores become weights, valueProducts become dS.
LIBRA_NOINLINE void weightBlock(const BlockView& view, const Tile& tile, float* scores,
                                float* valueProducts) {
  for (int v = 0; v < view.vectors; ++v) {
    float* score = scores + v * lanes;
    float* product = valueProducts + v * lanes;
    const Floats logSumExp = load(tile.logSumExp + v * lanes);
    const Floats delta = load(tile.delta + v * lanes);
    const int64_t whole = view.whole(v);
    const int64_t seen = view.seen(v);
    for (int64_t r = 0; r < whole; ++r) {
      const Floats p = exp2NonPositive(load(score + r * rowBlock) - logSumExp);
      store(score + r * rowBlock, p);
      store(product + r * rowBlock, p * (load(product + r * rowBlock) - delta));
    }
    for (int64_t r = whole; r < seen; ++r) {
      const Ints shown =
          laneNumbers() >= splatInt(static_cast<int32_t>(r - view.diagonal) - v * lanes);
      const Floats p = keep(shown, exp2NonPositive(load(score + r * rowBlock) - logSumExp));
      store(score + r * rowBlock, p);
      store(product + r * rowBlock, p * (load(product + r * rowBlock) - delta));
    }
  }
}

/// C[key][width] += Σ_lane A[key][lane] · B[lane][width], leaving out lanes that see no key.
void rowProduct(const BlockView& view, int64_t rows, const float* a, const float* b, float* c,
                int64_t width) {
  int64_t from = 0;
  for (int v = 0; v < view.vectors; ++v) {
    const int64_t to = view.seen(v);
    if (to <= from) continue;
    const int64_t lane = v * lanes;
    wideProduct(to - from, width, {a + from * rowBlock + lane, rowBlock, 1}, b + lane * width,
                width, c + from * width, width, rows - lane);
    from = to;
  }
}

void beginTile(const AttentionBackwardArguments& a, const PanelStore& store, Tile& tile) {
  const TilePlace& place = tile.place;
  const float* query = a.q + place.vector * a.headDim;
  const float* outGradient = a.dOut + place.vector * a.valueDim;
  transposeIn(query, place.stride * a.headDim, place.rows, a.headDim, a.scale * log2e, tile.query);
  transposeIn(outGradient, place.stride * a.valueDim, place.rows, a.valueDim, 1, tile.outGradient);
  for (int64_t l = 0; l < place.rows; ++l) {
    const float* from = query + l * place.stride * a.headDim;
    float* to = tile.queryRows + l * store.headWidth;
    for (int64_t d = 0; d < a.headDim; ++d) to[d] = from[d] * a.scale;
  }
  copyRows(outGradient, place.stride * a.valueDim, tile.gradientRows, store.valueWidth, place.rows,
           a.valueDim);
  for (int64_t l = 0; l < rowBlock; ++l) {
    const int64_t vector = place.vector + l * place.stride;
    const float logSumExp = l < place.rows ? a.logSumExp[vector] : -__builtin_inff();
    const bool weightless = logSumExp == -__builtin_inff();
    tile.logSumExp[l] = weightless ? __builtin_inff() : logSumExp * log2e;
    tile.delta[l] = l < place.rows ? a.delta[vector] : 0;
  }
}

void stepTile(const AttentionBackwardArguments& a, const PanelStore& store, const Panel& panel,
              const Tile& tile, int64_t key, float* scores, float* valueProducts) {
  BlockView view = viewBlock(tile.place, panel.first + key);
  view.keys = least(view.keys, panel.count - key);
  const int64_t headAt = key * store.headWidth;
  const int64_t valueAt = key * store.valueWidth;
  keyProduct(view, {panel.keys + headAt, store.headWidth, 1}, tile.query, scores, a.headDim);
  keyProduct(view, {panel.values + valueAt, store.valueWidth, 1}, tile.outGradient, valueProducts,
             a.valueDim);
  weightBlock(view, tile, scores, valueProducts);
  rowProduct(view, tile.place.rows, scores, tile.gradientRows, panel.valueGradient + valueAt,
             store.valueWidth);
  rowProduct(view, tile.place.rows, valueProducts, tile.queryRows, panel.keyGradient + headAt,
             store.headWidth);
  const Broadcast keys{panel.keys + headAt, 1, store.headWidth};
  if (key == 0) {
    elementProduct<Start::zero>(view, a.headDim, keys, valueProducts, tile.gradient);
  } else {
    elementProduct<Start::add>(view, a.headDim, keys, valueProducts, tile.gradient);
  }
}

void endTile(const AttentionBackwardArguments& a, const Tile& tile, float* partials) {
  float factors[rowBlock];
  for (float& factor : factors) factor = a.scale;
  const TilePlace& place = tile.place;
  if (tile.partial < 0) {
    transposeOut<true>(tile.gradient, place.rows, a.headDim, factors,
                       a.dq + place.vector * a.headDim, place.stride * a.headDim);
  } else {
    transposeOut<false>(tile.gradient, place.rows, a.headDim, factors,
                        partials + tile.partial * rowBlock * a.headDim, a.headDim);
  }
}

void clearPadding(float* rows, int64_t width, int64_t used) {
  if (width != used) __builtin_memset(rows, 0, sizeof(float) * width * rowBlock);
}

struct Work {
  Tile tiles[superblock];
  float* scores;
  float* valueProducts;

  Work(const AttentionBackwardArguments& a, const PanelStore& store, ScratchFrame& frame)
      : scores(frame.floats(keyBlock * rowBlock)),
        valueProducts(frame.floats(keyBlock * rowBlock)) {
    for (Tile& tile : tiles) {
      tile.query = frame.floats(a.headDim * rowBlock);
      tile.outGradient = frame.floats(a.valueDim * rowBlock);
      tile.gradient = frame.floats(a.headDim * rowBlock);
      tile.queryRows = frame.floats(store.headWidth * rowBlock);
      tile.gradientRows = frame.floats(store.valueWidth * rowBlock);
      tile.logSumExp = frame.floats(rowBlock);
      tile.delta = frame.floats(rowBlock);
      clearPadding(tile.queryRows, store.headWidth, a.headDim);
      clearPadding(tile.gradientRows, store.valueWidth, a.valueDim);
    }
  }
};

void runPanel(const AttentionBackwardArguments& a, const BackwardStep& step, int64_t index,
              const PanelStore& store, Work& work, float* partials) {
  const AttentionSegment& segment = a.segments[step.segment];
  const Panel panel = store.open(index);
  int64_t block = step.partial;
  for (int64_t tile = step.firstTile; tile < step.lastTile;) {
    int64_t count = 0;
    int64_t keys = 0;
    for (; count < superblock && tile < step.lastTile; ++tile) {
      const TilePlace place = placeTile(segment, tile);
      if (place.keys > panel.first) {
        Tile& next = work.tiles[count++];
        next.place = place;
        next.partial = step.partial < 0 ? -1 : block + index;
        keys = most(keys, least(panel.count, place.keys - panel.first));
      }
      block += panelCount(place.keys);
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) {
        prefetchRows(a.q, work.tiles[t + 1].place, a.headDim);
        prefetchRows(a.dOut, work.tiles[t + 1].place, a.valueDim);
      }
      beginTile(a, store, work.tiles[t]);
    }
    for (int64_t key = 0; key < keys; key += keyBlock) {
      for (int64_t t = 0; t < count; ++t) {
        if (panel.first + key >= work.tiles[t].place.keys) continue;
        stepTile(a, store, panel, work.tiles[t], key, work.scores, work.valueProducts);
      }
    }
    for (int64_t t = 0; t < count; ++t) endTile(a, work.tiles[t], partials);
  }
  store.close(panel);
}

void runTask(const AttentionBackwardArguments& a, const BackwardPlan& plan,
             const BackwardTask& task, float* partials) {
  for (int64_t s = task.firstStep; s < task.lastStep; ++s) {
    const BackwardStep& step = plan.step(s);
    const AttentionSegment& segment = a.segments[step.segment];
    const int64_t panels = panelCount(placeTile(segment, step.lastTile - 1).keys);
    const bool all = task.panel == BackwardTask::allPanels;
    if (!all && task.panel >= panels) continue;
    ScratchFrame frame;
    const PanelStore store(a, segment, frame);
    Work work(a, store, frame);
    for (int64_t panel = all ? 0 : task.panel; panel < (all ? panels : task.panel + 1); ++panel) {
      runPanel(a, step, panel, store, work, partials);
    }
  }
}

/// dQ += the partial sums of one step, panel after panel.
void addPartials(const AttentionBackwardArguments& a, const BackwardStep& step,
                 const float* partials) {
  const AttentionSegment& segment = a.segments[step.segment];
  const float* from = partials + step.partial * rowBlock * a.headDim;
  for (int64_t tile = step.firstTile; tile < step.lastTile; ++tile) {
    const TilePlace place = placeTile(segment, tile);
    for (int64_t panel = 0; panel < panelCount(place.keys); ++panel) {
      for (int64_t l = 0; l < place.rows; ++l) {
        float* to = a.dq + (place.vector + l * place.stride) * a.headDim;
        for (int64_t d = 0; d < a.headDim; ++d) to[d] += from[l * a.headDim + d];
      }
      from += rowBlock * a.headDim;
    }
  }
}

}  // namespace

void attentionBackward(Workers& workers, const AttentionBackwardArguments& arguments) {
  const BackwardPlan plan(arguments, workers.threads());
  ScratchFrame frame;
  float* partials = frame.floats(plan.partialBlocks() * rowBlock * arguments.headDim);
  for (int wave = 0; wave < plan.waves(); ++wave) {
    workers.run(plan.taskCount(wave),
                [&](int task, int) { runTask(arguments, plan, plan.task(wave, task), partials); });
    workers.run(plan.sumCount(wave), [&](int task, int) {
      const BackwardTask& sum = plan.sum(wave, task);
      for (int64_t s = sum.firstStep; s < sum.lastStep; ++s) {
        addPartials(arguments, plan.step(s), partials);
      }
    });
  }
}

}  // namespace libra::cpu::LIBRA_SET
