// The exchange's gathers, scatters and ordered sums, and attention's small steps.
#include <cmath>

#include "typed.h"

namespace conformance {
namespace {

using libra::VectorBlock;
using libra::VectorRun;

/// gather, then scatter back into a cleared copy.
template <class Element>
struct MoveVectorsCase : Case {
  const int64_t size;
  std::vector<VectorBlock> blocks{{0, 3, 4, 2}, {14, 1, 1, 5}, {20, 0, 7, 3}, {21, 40, 3, 1}};
  TensorOf<Element> from, packed, back;
  explicit MoveVectorsCase(int64_t size)
      : Case(named<Element>("gatherVectors and scatterVectors"),
             describe(field("vectorSize", size))),
        size(size),
        from(150 * size),
        packed(51 * size),
        back(150 * size) {
    fill(random, from);
    output(packed.wide(), "packed", 0);
    output(back.wide(), "back", 0);
  }
  void prepare() override { back = TensorOf<Element>(150 * size); }
  void run(const Kernels& k, Workers& w) override {
    const int64_t count = static_cast<int64_t>(blocks.size());
    k.gatherVectors(w, {from.data(), packed.data(), blocks.data(), count, size, sizeof(Element)});
    k.scatterVectors(w, {packed.data(), back.data(), blocks.data(), count, size, sizeof(Element)});
    packed.gather();
    back.gather();
  }
  void reference(std::vector<Expected>& e) override {
    int64_t at = 0;
    for (const VectorBlock& b : blocks) {
      for (int64_t r = 0; r < b.rows; ++r) {
        for (int64_t i = 0; i < b.width * size; ++i) {
          const int64_t source = (b.offset + r * b.stride) * size + i;
          e[0].values[at++] = from[source];
          e[1].values[source] = from[source];
        }
      }
    }
  }
};

struct AccumulateVectorsCase : Case {
  const int64_t size;
  std::vector<VectorRun> runs{
      {0, 3, 5, 2}, {5, 0, 10, 1}, {1, 4, 1, 9}, {0, 7, 0, 1}, {2, 2, 4, 5}};
  Buffer from, to, before;
  explicit AccumulateVectorsCase(int64_t size)
      : Case("accumulateVectors", describe(field("vectorSize", size))),
        size(size),
        from(15 * size),
        to(20 * size),
        before(20 * size) {
    random.fill(from);
    random.fill(before);
    output(to, "to", 1e-6);
  }
  void prepare() override { to = before; }
  void run(const Kernels& k, Workers& w) override {
    k.accumulateVectors(
        w, {from.data(), to.data(), runs.data(), static_cast<int64_t>(runs.size()), size});
  }
  void reference(std::vector<Expected>& e) override {
    e[0].values = before.widened();
    for (const VectorRun& r : runs) {
      for (int64_t row = 0; row < r.rows; ++row) {
        for (int64_t i = 0; i < size; ++i) {
          e[0].values[(r.to + row * r.stride) * size + i] += from[(r.from + row) * size + i];
        }
      }
    }
  }
};

template <class Element>
struct DeltaCase : Case {
  const int64_t vectors, dim;
  TensorOf<Element> out, dOut;
  Buffer delta;
  DeltaCase(int64_t vectors, int64_t dim)
      : Case(named<Element>("attentionDelta"),
             describe(field("vectors", vectors), field("valueDim", dim))),
        vectors(vectors),
        dim(dim),
        out(vectors * dim),
        dOut(vectors * dim),
        delta(vectors) {
    fill(random, out);
    fill(random, dOut);
    output(delta, "delta");
    bytes = 2.0 * sizeof(Element) * vectors * dim;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.attentionDelta, k.attentionDeltaBfloat16)(
        w, {out.data(), dOut.data(), delta.data(), vectors, dim});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < vectors * dim; ++i) {
      e[0].values[i / dim] += static_cast<double>(out[i]) * dOut[i];
    }
  }
};

/// Log-sum-exps that include −∞ on one side, on the other and on both.
struct MergePartialsCase : Case {
  const int64_t vectors, dim;
  Buffer partial, partialLse, out, lse, outBefore, lseBefore;
  MergePartialsCase(int64_t vectors, int64_t dim)
      : Case("mergePartials", describe(field("vectors", vectors), field("valueDim", dim))),
        vectors(vectors),
        dim(dim),
        partial(vectors * dim),
        partialLse(vectors),
        out(vectors * dim),
        lse(vectors),
        outBefore(vectors * dim),
        lseBefore(vectors) {
    random.fill(partial);
    random.fill(partialLse, 20);
    random.fill(outBefore);
    random.fill(lseBefore, 20);
    for (int64_t i = 0; i < vectors; ++i) {
      if (i % 4 == 1 || i % 4 == 3) partialLse[i] = -INFINITY;
      if (i % 4 == 2 || i % 4 == 3) lseBefore[i] = -INFINITY;
    }
    output(out, "out");
    output(lse, "logSumExp");
  }
  void prepare() override {
    out = outBefore;
    lse = lseBefore;
  }
  void run(const Kernels& k, Workers& w) override {
    k.mergePartials(w, {partial.data(), partialLse.data(), out.data(), lse.data(), vectors, dim});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < vectors; ++i) {
      const double a = lseBefore[i], b = partialLse[i], most = std::max(a, b);
      const double sum = most == -INFINITY ? 0 : std::exp(a - most) + std::exp(b - most);
      e[1].values[i] = most == -INFINITY ? -INFINITY : most + std::log(sum);
      for (int64_t d = 0; d < dim && sum > 0; ++d) {
        e[0].values[i * dim + d] = (outBefore[i * dim + d] * std::exp(a - most) +
                                    partial[i * dim + d] * std::exp(b - most)) /
                                   sum;
      }
    }
  }
};

}  // namespace

void addVectorCases(CaseList& list) {
  for (const int64_t size : {1, 3, 64, 2000}) {
    addCase<MoveVectorsCase<float>>(list, size);
    addCase<MoveVectorsCase<Bfloat16>>(list, size);
    addCase<AccumulateVectorsCase>(list, size);
  }
  for (const int64_t dim : {1, 5, 64, 129}) {
    addCase<DeltaCase<float>>(list, int64_t{11}, dim);
    addCase<DeltaCase<Bfloat16>>(list, int64_t{11}, dim);
    addCase<MergePartialsCase>(list, int64_t{11}, dim);
  }
  addCase<DeltaCase<float>>(list, Size::large, int64_t{262144}, int64_t{128});
}

}  // namespace conformance
