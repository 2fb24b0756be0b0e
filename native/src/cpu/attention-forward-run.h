// The order of attention forward's work, whatever the products' arithmetic.
#pragma once

#include "attention-tile.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {

inline constexpr double ln2 = 0.69314718055994530942;
/// The running maximum before any key: finite, so that −∞ minus it is −∞.
inline constexpr float beforeKeys = -1e30f;

/// What every tile of the forward pass carries.
struct ForwardState {
  TilePlace place;
  float* out;      // Oᵀ [Dv][rowBlock], not yet divided
  float* maximum;  // [rowBlock], of the scores
  float* sum;      // [rowBlock]

  void allocate(int64_t valueDim, ScratchFrame& frame) {
    out = frame.floats(valueDim * rowBlock);
    maximum = frame.floats(rowBlock);
    sum = frame.floats(rowBlock);
  }

  void begin(int64_t valueDim) {
    for (int64_t l = 0; l < rowBlock; ++l) {
      maximum[l] = beforeKeys;
      sum[l] = 0;
    }
    if (place.keys == 0) __builtin_memset(out, 0, sizeof(float) * valueDim * rowBlock);
  }

  /// Writes out and logSumExp; scores were in base 2 after multiplication by `scoreFactor`.
  template <class Element>
  void end(const AttentionForwardOf<Element>& a, double scoreFactor) const {
    float inverse[rowBlock];
    for (int64_t l = 0; l < place.rows; ++l) {
      inverse[l] = sum[l] == 0 ? 0 : 1 / sum[l];
      a.logSumExp[place.vector + l * place.stride] =
          sum[l] == 0 ? -__builtin_inff()
                      : static_cast<float>(ln2 * scoreFactor * maximum[l] + __builtin_log(sum[l]));
    }
    transposeOut<false>(out, place.rows, a.valueDim, inverse, a.out + place.vector * a.valueDim,
                        place.stride * a.valueDim);
  }
};

/// One task. Engine(arguments, segment, keys, frame) has tiles[superblock] with a `state`, and
/// begin(tile), prepare(firstKey, count), step(tile, firstKey), end(tile); forwardKeys keys a step.
template <class Engine, class Arguments>
void runForwardTask(const Arguments& a, const ForwardTask& task) {
  const AttentionSegment& segment = a.segments[task.segment];
  ScratchFrame frame;
  Engine engine(a, segment, placeTile(segment, task.lastTile - 1).keys, frame);
  for (int64_t first = task.firstTile; first < task.lastTile; first += Engine::superblock) {
    const int64_t count = least(Engine::superblock, task.lastTile - first);
    int64_t keys = 0;
    for (int64_t t = 0; t < count; ++t) {
      engine.tiles[t].state.place = placeTile(segment, first + t);
      keys = most(keys, engine.tiles[t].state.place.keys);
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) prefetchRows(a.q, engine.tiles[t + 1].state.place, a.headDim);
      engine.tiles[t].state.begin(a.valueDim);
      engine.begin(engine.tiles[t]);
    }
    for (int64_t key = 0; key < keys; key += forwardKeys) {
      engine.prepare(key, least(forwardKeys, keys - key));
      for (int64_t t = 0; t < count; ++t) {
        if (key < engine.tiles[t].state.place.keys) engine.step(engine.tiles[t], key);
      }
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) prefetchRows(a.out, engine.tiles[t + 1].state.place, a.valueDim);
      engine.end(engine.tiles[t]);
    }
  }
}

template <class Engine, class Arguments>
void runForward(Workers& workers, const Arguments& arguments) {
  const ForwardPlan plan(arguments.segments, arguments.segmentCount, workers.threads(),
                         Engine::superblock);
  workers.run(plan.count(),
              [&](int task, int) { runForwardTask<Engine>(arguments, plan.task(task)); });
}

}  // namespace libra::cpu::LIBRA_SET
