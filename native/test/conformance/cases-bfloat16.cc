// bfloat16 tensors: conversions and attention. References take the rounded inputs as they are.
#include <cmath>

#include "attention-reference.h"
#include "case.h"
#include "halves.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

/// narrow, then widen: exact where the reference rounds to nearest even.
struct ConvertCase : Case {
  const int64_t count;
  Buffer from, back;
  Halves narrow;
  explicit ConvertCase(int64_t count)
      : Case("narrow and widen", describe(field("count", count))),
        count(count),
        from(count),
        back(count),
        narrow(count) {
    random.fill(from);
    const float ties[] = {1.00390625f, 1.01171875f, -3.4e38f, INFINITY, 0, -0.0f, 1e-40f};
    for (int64_t i = 0; i < std::min<int64_t>(count, 7); ++i) from[i] = ties[i];
    output(back, "back", 0);
    bytes = 12.0 * count;
  }
  void run(const Kernels& k, Workers& w) override {
    k.narrow(w, {from.data(), narrow.data(), count});
    k.widen(w, {narrow.data(), back.data(), count});
    if (!narrow.intact()) back[0] = NAN;
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) {
      const double x = from[i];
      int exponent;
      std::frexp(x, &exponent);
      // Eight bits of mantissa; below 2^−126 the spacing stays that of the smallest normals.
      const double unit = std::ldexp(1.0, std::max(exponent - 8, -133));
      const double rounded = std::isinf(x) ? x : std::nearbyint(x / unit) * unit;
      e[0].values[i] = std::fabs(rounded) > 3.39e38 ? std::copysign(INFINITY, x) : rounded;
    }
  }
};

struct Shape {
  std::vector<int64_t> rows, keys;
  int64_t heads, kvHeads, headDim, valueDim;
  bool causal;
  float scale;
};

struct AttentionCase : Case {
  const Shape s;
  std::vector<AttentionSegment> segments;
  int64_t rows = 0, keys = 0;
  AttentionCase(const char* name, const Shape& shape)
      : Case(name, describe(field("rows", shape.rows[0]), field("keys", shape.keys[0]),
                            field("heads", shape.heads), field("kvHeads", shape.kvHeads),
                            field("headDim", shape.headDim), field("valueDim", shape.valueDim),
                            field("causal", shape.causal))),
        s(shape) {
    double pairs = 0;
    for (size_t i = 0; i < s.rows.size(); ++i) {
      for (int64_t g = 0; g < s.kvHeads; ++g) {
        const int64_t group = s.heads / s.kvHeads;
        segments.push_back({rows * s.heads + g * group, s.heads, group, s.rows[i],
                            keys * s.kvHeads + g, s.kvHeads, s.keys[i], s.causal});
      }
      rows += s.rows[i];
      keys += s.keys[i];
      const double r = static_cast<double>(s.rows[i]), k = static_cast<double>(s.keys[i]);
      pairs += s.causal ? r * k - r * (r - 1) / 2 : r * k;
    }
    flops = 2 * pairs * static_cast<double>((s.headDim + s.valueDim) * s.heads);
  }
};

struct ForwardCase : AttentionCase {
  Halves q, k, v, out;
  Buffer wideOut, logSumExp;
  explicit ForwardCase(const Shape& shape)
      : AttentionCase("attentionForwardBfloat16", shape),
        q(rows * s.heads * s.headDim),
        k(keys * s.kvHeads * s.headDim),
        v(keys * s.kvHeads * s.valueDim),
        out(rows * s.heads * s.valueDim),
        wideOut(out.size()),
        logSumExp(rows * s.heads) {
    for (Halves* tensor : {&q, &k, &v}) tensor->fill(random);
    // Half a unit in the last place, and as much again for the weights' rounding.
    output(wideOut, "out", 8e-3);
    output(logSumExp, "logSumExp", 3e-6);
  }
  void run(const Kernels& kernels, Workers& w) override {
    kernels.attentionForwardBfloat16(
        w, {q.data(), k.data(), v.data(), out.data(), logSumExp.data(), segments.data(),
            static_cast<int64_t>(segments.size()), s.scale, s.headDim, s.valueDim});
    if (flops < 1e9) out.copyTo(wideOut);  // perf shapes: not part of the operator
  }
  void reference(std::vector<Expected>& e) override {
    const AttentionResult result = attentionReference(
        {segments, s.headDim, s.valueDim, s.scale, q.widened(), k.widened(), v.widened()});
    e[0].values = result.out;
    e[1].values = result.logSumExp;
  }
};

struct BackwardCase : AttentionCase {
  Halves q, k, v, dOut, out;
  Buffer logSumExp, delta, deltaFromHalves, dq, dk, dv, dkBefore;
  AttentionResult result;
  explicit BackwardCase(const Shape& shape)
      : AttentionCase("attentionBackwardBfloat16", shape),
        q(rows * s.heads * s.headDim),
        k(keys * s.kvHeads * s.headDim),
        v(keys * s.kvHeads * s.valueDim),
        dOut(rows * s.heads * s.valueDim),
        out(dOut.size()),
        logSumExp(rows * s.heads),
        delta(logSumExp.size()),
        deltaFromHalves(logSumExp.size()),
        dq(q.size()),
        dk(k.size()),
        dv(v.size()),
        dkBefore(k.size()) {
    for (Halves* tensor : {&q, &k, &v, &dOut, &out}) tensor->fill(random);
    random.fill(dkBefore);
    flops *= 2.5;
    if (flops < 1e9) {
      result = attentionReference(problem());
      for (int64_t i = 0; i < delta.size(); ++i) {
        logSumExp[i] = static_cast<float>(result.logSumExp[i]);
        double sum = 0;
        for (int64_t d = 0; d < s.valueDim; ++d) {
          sum += result.out[i * s.valueDim + d] * dOut[i * s.valueDim + d];
        }
        delta[i] = static_cast<float>(sum);
      }
    }
    output(dq, "dq", 1.5e-2);
    output(dk, "dk", 1.5e-2);
    output(dv, "dv", 1.5e-2);
    output(deltaFromHalves, "delta", 3e-6);
  }
  AttentionProblem problem() {
    return {segments, s.headDim, s.valueDim, s.scale, q.widened(), k.widened(), v.widened()};
  }
  void prepare() override {
    dq.resize(dq.size());
    dk = dkBefore;
    dv.resize(dv.size());
  }
  void run(const Kernels& kernels, Workers& w) override {
    kernels.attentionBackwardBfloat16(
        w, {q.data(), k.data(), v.data(), dOut.data(), logSumExp.data(), delta.data(), dq.data(),
            dk.data(), dv.data(), segments.data(), static_cast<int64_t>(segments.size()), s.scale,
            s.headDim, s.valueDim});
    if (flops >= 1e9) return;
    kernels.attentionDeltaBfloat16(
        w, {out.data(), dOut.data(), deltaFromHalves.data(), deltaFromHalves.size(), s.valueDim});
  }
  void reference(std::vector<Expected>& e) override {
    AttentionGradients g = attentionGradients(problem(), result, dOut.widened());
    for (int64_t i = 0; i < dk.size(); ++i) g.dk[i] += dkBefore[i];
    e[0].values = g.dq;
    e[1].values = g.dk;
    e[2].values = g.dv;
    for (int64_t i = 0; i < out.size(); ++i) {
      e[3].values[i / s.valueDim] += static_cast<double>(out[i]) * dOut[i];
    }
  }
};

void addShape(CaseList& list, Size size, const Shape& shape) {
  addCase<ForwardCase>(list, size, shape);
  addCase<BackwardCase>(list, size, shape);
}

}  // namespace

void addBfloat16Cases(CaseList& list) {
  for (const int64_t count : {1, 7, 1000, 40000}) addCase<ConvertCase>(list, count);
  const auto square = [](std::vector<int64_t> lengths, int64_t heads, int64_t kvHeads,
                         int64_t dim) {
    const float scale = 1 / std::sqrt(static_cast<float>(dim));
    return Shape{lengths, lengths, heads, kvHeads, dim, dim, true, scale};
  };
  for (const int64_t dim : {1, 8, 33, 64, 80, 128, 256}) {
    addShape(list, Size::small, square({61, 5}, 2, 1, dim));
  }
  addShape(list, Size::small, square({47, 48, 49, 97, 241}, 4, 2, 32));
  addShape(list, Size::small, square({1600}, 1, 1, 16));
  addShape(list, Size::small, {{50, 7}, {130, 1700}, 2, 2, 24, 40, true, 0.2f});
  addShape(list, Size::small, {{50, 7}, {13, 3}, 2, 1, 16, 16, true, 0.2f});
  addShape(list, Size::small, {{50, 0, 4}, {131, 5, 0}, 4, 2, 16, 20, false, -0.2f});
  addShape(list, Size::large, square({2048}, 8, 8, 128));
  addShape(list, Size::large, square({8192}, 2, 2, 128));
}

}  // namespace conformance
