// The exchange's vector operators behind libra.h.
#include <algorithm>

#include "core/api-operators.h"
#include "core/extent.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::extentOf;
using libra::api::guarded;
using libra::api::refuseNegative;
using libra::api::sameCount;
using libra::api::Tensors;
using libra::api::typeOf;

extern "C" {

libra_status libra_vector_runs_create(libra_column from, libra_column to, libra_column rows,
                                      libra_column stride, libra_vector_runs** out) {
  return guarded([&] {
    const int64_t count =
        sameCount({{"from", &from}, {"to", &to}, {"rows", &rows}, {"stride", &stride}});
    auto runs = std::make_shared<std::vector<VectorRun>>();
    int64_t fromExtent = 0, toExtent = 0;
    for (int64_t i = 0; i < count; ++i) {
      const VectorRun run{from.values[i], to.values[i], rows.values[i], stride.values[i]};
      refuseNegative(run.from, "from", i);
      refuseNegative(run.to, "to", i);
      refuseNegative(run.rows, "rows", i);
      refuseNegative(run.stride, "stride", i);
      fromExtent = std::max(fromExtent, extentOf(run.from, run.rows, 1, 1));
      toExtent = std::max(toExtent, extentOf(run.to, run.rows, run.stride, 1));
      runs->push_back(run);
    }
    *out = new libra_vector_runs{std::move(runs), fromExtent, toExtent};
  });
}

void libra_vector_runs_release(libra_vector_runs* runs) { delete runs; }

libra_status libra_accumulate_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                      libra_vector_runs* runs, int64_t vector_size) {
  return guarded([&] {
    Tensors t;
    const AccumulateVectorsArguments arguments{
        .from = t.floats(from, runs->fromExtent * vector_size, "from"),
        .to = t.floats(to, runs->toExtent * vector_size, "to"),
        .runs = runs->runs->data(),
        .runCount = static_cast<int64_t>(runs->runs->size()),
        .vectorSize = vector_size};
    t.hold(runs->runs);
    enqueue(stream, "accumulateVectors", &Kernels::accumulateVectors, t, arguments);
  });
}

libra_status libra_vector_blocks_create(libra_column offset, libra_column rows, libra_column stride,
                                        libra_column width, libra_vector_blocks** out) {
  return guarded([&] {
    const int64_t count =
        sameCount({{"offset", &offset}, {"rows", &rows}, {"stride", &stride}, {"width", &width}});
    auto blocks = std::make_shared<std::vector<VectorBlock>>();
    int64_t vectors = 0, extent = 0;
    for (int64_t i = 0; i < count; ++i) {
      const VectorBlock block{offset.values[i], rows.values[i], stride.values[i], width.values[i]};
      refuseNegative(block.offset, "offset", i);
      refuseNegative(block.rows, "rows", i);
      refuseNegative(block.stride, "stride", i);
      refuseNegative(block.width, "width", i);
      vectors += block.rows * block.width;
      extent = std::max(extent, extentOf(block.offset, block.rows, block.stride, block.width));
      blocks->push_back(block);
    }
    *out = new libra_vector_blocks{std::move(blocks), vectors, extent};
  });
}

void libra_vector_blocks_release(libra_vector_blocks* blocks) { delete blocks; }

libra_status libra_gather_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                  libra_vector_blocks* blocks, int64_t vector_size, int type) {
  return guarded([&] {
    Tensors t;
    const int64_t element = elementBytes(typeOf(type)), bytes = vector_size * element;
    const MoveVectorsArguments arguments{.from = t.bytes(from, blocks->extent * bytes, "from"),
                                         .to = t.bytes(to, blocks->vectors * bytes, "to"),
                                         .blocks = blocks->blocks->data(),
                                         .blockCount = static_cast<int64_t>(blocks->blocks->size()),
                                         .vectorSize = vector_size,
                                         .elementBytes = element};
    t.hold(blocks->blocks);
    enqueue(stream, "gatherVectors", &Kernels::gatherVectors, t, arguments);
  });
}

libra_status libra_scatter_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                   libra_vector_blocks* blocks, int64_t vector_size, int type) {
  return guarded([&] {
    Tensors t;
    const int64_t element = elementBytes(typeOf(type)), bytes = vector_size * element;
    const MoveVectorsArguments arguments{.from = t.bytes(from, blocks->vectors * bytes, "from"),
                                         .to = t.bytes(to, blocks->extent * bytes, "to"),
                                         .blocks = blocks->blocks->data(),
                                         .blockCount = static_cast<int64_t>(blocks->blocks->size()),
                                         .vectorSize = vector_size,
                                         .elementBytes = element};
    t.hold(blocks->blocks);
    enqueue(stream, "scatterVectors", &Kernels::scatterVectors, t, arguments);
  });
}

}  // extern "C"
