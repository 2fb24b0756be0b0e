// The order of attention backward's work, whatever the products' arithmetic.
//
// dK and dV of a key are one chain of multiply-adds over its rows, straight onto their old
// contents; dQ of a row is one chain over each key panel, the panels' sums added in order.
#pragma once

#include "attention-tile.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {

/// What every tile of the backward pass carries.
struct BackwardState {
  TilePlace place;
  int64_t partial;   // block of dQ's partial sum for the current panel, −1 to add to dQ at once
  float* gradient;   // dQᵀ [D][rowBlock], before a last factor
  float* logSumExp;  // [rowBlock], in base 2; +∞ where the row has no weight
  float* delta;      // [rowBlock]

  void allocate(int64_t headDim, ScratchFrame& frame) {
    gradient = frame.floats(headDim * rowBlock);
    logSumExp = frame.floats(rowBlock);
    delta = frame.floats(rowBlock);
  }

  void begin(const float* logSumExps, const float* deltas) {
    constexpr float log2e = 1.44269504f;
    for (int64_t l = 0; l < rowBlock; ++l) {
      const int64_t vector = place.vector + l * place.stride;
      const float value = l < place.rows ? logSumExps[vector] : -__builtin_inff();
      logSumExp[l] = value == -__builtin_inff() ? __builtin_inff() : value * log2e;
      delta[l] = l < place.rows ? deltas[vector] : 0;
    }
  }

  /// Adds gradient · factor to dQ, or keeps it among the partial sums.
  void end(float* dq, int64_t headDim, float factor, float* partials) const {
    float factors[rowBlock];
    for (float& each : factors) each = factor;
    if (partial < 0) {
      transposeOut<true>(gradient, place.rows, headDim, factors, dq + place.vector * headDim,
                         place.stride * headDim);
    } else {
      transposeOut<false>(gradient, place.rows, headDim, factors,
                          partials + partial * rowBlock * headDim, headDim);
    }
  }
};

/// Keys [first, first + count) of a segment.
struct KeyRange {
  int64_t first;
  int64_t count;
};

LIBRA_INLINE KeyRange panelRange(const AttentionSegment& segment, int64_t panel) {
  const int64_t first = panel * keyPanel;
  return {first, least(keyPanel, segment.keys - first)};
}

LIBRA_INLINE BlockView viewPanelBlock(const TilePlace& place, const KeyRange& panel, int64_t key) {
  BlockView view = viewBlock(place, panel.first + key, keyBlock);
  view.keys = least(view.keys, panel.count - key);
  return view;
}

/// One step against one panel.
template <class Engine, class Arguments>
void runPanel(const Arguments& a, const BackwardStep& step, int64_t index, Engine& engine,
              float* partials) {
  const AttentionSegment& segment = a.segments[step.segment];
  const KeyRange panel = panelRange(segment, index);
  engine.open(panel);
  int64_t block = step.partial;
  for (int64_t tile = step.firstTile; tile < step.lastTile;) {
    int64_t count = 0;
    int64_t keys = 0;
    for (; count < Engine::superblock && tile < step.lastTile; ++tile) {
      const TilePlace place = placeTile(segment, tile);
      if (place.keys > panel.first) {
        BackwardState& next = engine.tiles[count++].state;
        next.place = place;
        next.partial = step.partial < 0 ? -1 : block + index;
        keys = most(keys, least(panel.count, place.keys - panel.first));
      }
      block += panelCount(place.keys);
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) {
        prefetchRows(a.q, engine.tiles[t + 1].state.place, a.headDim);
        prefetchRows(a.dOut, engine.tiles[t + 1].state.place, a.valueDim);
      }
      engine.tiles[t].state.begin(a.logSumExp, a.delta);
      engine.begin(engine.tiles[t]);
    }
    for (int64_t key = 0; key < keys; key += keyBlock) {
      for (int64_t t = 0; t < count; ++t) {
        if (panel.first + key < engine.tiles[t].state.place.keys) engine.step(engine.tiles[t], key);
      }
    }
    for (int64_t t = 0; t < count; ++t) engine.end(engine.tiles[t], partials);
  }
  engine.close(panel);
}

/// One task. Engine(arguments, segment, frame) has tiles[superblock] with a `state`, and
/// open(panel), begin(tile), step(tile, key of the panel), end(tile, partials), close(panel).
template <class Engine, class Arguments>
void runBackwardTask(const Arguments& a, const BackwardPlan& plan, const BackwardTask& task,
                     float* partials) {
  for (int64_t s = task.firstStep; s < task.lastStep; ++s) {
    const BackwardStep& step = plan.step(s);
    const AttentionSegment& segment = a.segments[step.segment];
    const int64_t panels = panelCount(placeTile(segment, step.lastTile - 1).keys);
    const bool all = task.panel == BackwardTask::allPanels;
    if (!all && task.panel >= panels) continue;
    ScratchFrame frame;
    Engine engine(a, segment, frame);
    for (int64_t panel = all ? 0 : task.panel; panel < (all ? panels : task.panel + 1); ++panel) {
      runPanel(a, step, panel, engine, partials);
    }
  }
}

/// dQ += the partial sums of one step, panel after panel.
template <class Arguments>
void addPartials(const Arguments& a, const BackwardStep& step, const float* partials) {
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

template <class Engine, class Arguments>
void runBackward(Workers& workers, const Arguments& arguments) {
  const BackwardPlan plan(arguments.segments, arguments.segmentCount, arguments.headDim,
                          workers.threads());
  ScratchFrame frame;
  float* partials = frame.floats(plan.partialBlocks() * rowBlock * arguments.headDim);
  for (int wave = 0; wave < plan.waves(); ++wave) {
    workers.run(plan.taskCount(wave), [&](int task, int) {
      runBackwardTask<Engine>(arguments, plan, plan.task(wave, task), partials);
    });
    workers.run(plan.sumCount(wave), [&](int task, int) {
      const BackwardTask& sum = plan.sum(wave, task);
      for (int64_t s = sum.firstStep; s < sum.lastStep; ++s) {
        addPartials(arguments, plan.step(s), partials);
      }
    });
  }
}

}  // namespace libra::cpu::LIBRA_SET
