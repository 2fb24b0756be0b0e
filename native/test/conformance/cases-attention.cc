// Attention forward and backward over segments.
#include <cmath>

#include "attention-reference.h"
#include "case.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

/// Documents of one packed sequence; keys[i] ≠ rows[i] makes a tile: causal bottom right or full.
struct AttentionShape {
  std::vector<int64_t> rows, keys;
  int64_t heads, kvHeads, headDim, valueDim;
  bool causal;
};

std::string text(const AttentionShape& s) {
  std::string lengths;
  for (size_t i = 0; i < s.rows.size(); ++i) {
    if (i > 0) lengths += ",";
    lengths += std::to_string(s.rows[i]);
    lengths += "/";
    lengths += std::to_string(s.keys[i]);
  }
  return "rows/keys=" + lengths + " " +
         describe(field("heads", s.heads), field("kvHeads", s.kvHeads), field("headDim", s.headDim),
                  field("valueDim", s.valueDim), field("causal", s.causal));
}

/// Home layout: query vector token · heads + head, key vector token · kvHeads + kvHead.
std::vector<AttentionSegment> segmentsOf(const AttentionShape& s) {
  std::vector<AttentionSegment> segments;
  const int64_t group = s.heads / s.kvHeads;
  int64_t row = 0, key = 0;
  for (size_t i = 0; i < s.rows.size(); ++i) {
    for (int64_t g = 0; g < s.kvHeads; ++g) {
      segments.push_back({row * s.heads + g * group, s.heads, group, s.rows[i], key * s.kvHeads + g,
                          s.kvHeads, s.keys[i], s.causal});
    }
    row += s.rows[i];
    key += s.keys[i];
  }
  return segments;
}

int64_t total(const std::vector<int64_t>& lengths) {
  int64_t sum = 0;
  for (const int64_t length : lengths) sum += length;
  return sum;
}

struct AttentionCase : Case {
  const AttentionShape s;
  const float scale;
  std::vector<AttentionSegment> segments;
  Buffer q, k, v, dOut;
  AttentionCase(const std::string& name, const AttentionShape& shape)
      : Case(name, text(shape)),
        s(shape),
        scale(1 / std::sqrt(static_cast<float>(s.headDim))),
        segments(segmentsOf(s)),
        q(total(s.rows) * s.heads * s.headDim),
        k(total(s.keys) * s.kvHeads * s.headDim),
        v(total(s.keys) * s.kvHeads * s.valueDim),
        dOut(total(s.rows) * s.heads * s.valueDim) {
    random.fill(q);
    random.fill(k);
    random.fill(v);
    random.fill(dOut);
    double pairs = 0;
    for (size_t i = 0; i < s.rows.size(); ++i) {
      const double rows = static_cast<double>(s.rows[i]), keys = static_cast<double>(s.keys[i]);
      pairs += s.causal ? rows * keys - rows * (rows - 1) / 2 : rows * keys;
    }
    flops = 2 * pairs * static_cast<double>((s.headDim + s.valueDim) * s.heads);
  }
  AttentionProblem problem() const {
    return {segments, s.headDim, s.valueDim, scale, q.widened(), k.widened(), v.widened()};
  }
};

struct AttentionForwardCase : AttentionCase {
  Buffer out, logSumExp;
  explicit AttentionForwardCase(const AttentionShape& shape)
      : AttentionCase("attentionForward", shape),
        out(dOut.size()),
        logSumExp(total(s.rows) * s.heads) {
    output(out, "out");
    output(logSumExp, "logSumExp");
  }
  void run(const Kernels& kernels, Workers& w) override {
    kernels.attentionForward(
        w, {q.data(), k.data(), v.data(), out.data(), logSumExp.data(), segments.data(),
            static_cast<int64_t>(segments.size()), scale, s.headDim, s.valueDim});
  }
  void reference(std::vector<Expected>& e) override {
    const AttentionResult result = attentionReference(problem());
    e[0].values = result.out;
    e[1].values = result.logSumExp;
  }
};

struct AttentionBackwardCase : AttentionCase {
  Buffer logSumExp, delta, dq, dk, dv, dqBefore, dkBefore, dvBefore;
  AttentionProblem variables;
  explicit AttentionBackwardCase(const AttentionShape& shape, bool adds)
      : AttentionCase("attentionBackward", shape),
        logSumExp(total(s.rows) * s.heads),
        delta(total(s.rows) * s.heads),
        dq(q.size()),
        dk(k.size()),
        dv(v.size()),
        dqBefore(q.size()),
        dkBefore(k.size()),
        dvBefore(v.size()),
        variables(problem()) {
    flops *= 2.5;
    if (flops < 1e9) {  // perf shapes go without: their results are not looked at
      const AttentionResult result = attentionReference(variables);
      for (int64_t i = 0; i < delta.size(); ++i) {
        logSumExp[i] = static_cast<float>(result.logSumExp[i]);
        double sum = 0;
        for (int64_t d = 0; d < s.valueDim; ++d) {
          sum += result.out[i * s.valueDim + d] * dOut[i * s.valueDim + d];
        }
        delta[i] = static_cast<float>(sum);
      }
    }
    if (adds) {
      random.fill(dqBefore);
      random.fill(dkBefore);
      random.fill(dvBefore);
    }
    output(dq, "dq", 4e-6);
    output(dk, "dk", 4e-6);
    output(dv, "dv", 4e-6);
  }
  void prepare() override {
    dq = dqBefore;
    dk = dkBefore;
    dv = dvBefore;
  }
  void run(const Kernels& kernels, Workers& w) override {
    kernels.attentionBackward(
        w, {q.data(), k.data(), v.data(), dOut.data(), logSumExp.data(), delta.data(), dq.data(),
            dk.data(), dv.data(), segments.data(), static_cast<int64_t>(segments.size()), scale,
            s.headDim, s.valueDim});
  }
  void reference(std::vector<Expected>& e) override {
    const AttentionResult result = attentionReference(variables);
    const AttentionGradients g = attentionGradients(variables, result, dOut.widened());
    const std::vector<double>* sums[] = {&g.dq, &g.dk, &g.dv};
    const Buffer* befores[] = {&dqBefore, &dkBefore, &dvBefore};
    for (int t = 0; t < 3; ++t) {
      for (size_t i = 0; i < sums[t]->size(); ++i) {
        e[t].values[i] = (*befores[t])[static_cast<int64_t>(i)] + (*sums[t])[i];
      }
    }
  }
  double loss() override {
    const AttentionResult result = attentionReference(variables);
    double sum = 0;
    for (size_t i = 0; i < result.out.size(); ++i)
      sum += result.out[i] * dOut[static_cast<int64_t>(i)];
    return sum;
  }
  std::vector<Slope> slopes() override {
    if (total(s.rows) * total(s.keys) * s.heads > 500 || dqBefore.size() == 0) return {};
    if (dqBefore[0] != 0) return {};
    return {{"dq", &variables.q, &dq}, {"dk", &variables.k, &dk}, {"dv", &variables.v, &dv}};
  }
};

void addShape(CaseList& list, const AttentionShape& shape) {
  addCase<AttentionForwardCase>(list, shape);
  addCase<AttentionBackwardCase>(list, shape, false);
}

}  // namespace

void addAttentionCases(CaseList& list) {
  const auto square = [](std::vector<int64_t> lengths, int64_t heads, int64_t kvHeads,
                         int64_t dim) {
    return AttentionShape{lengths, lengths, heads, kvHeads, dim, dim, true};
  };
  for (const int64_t dim : {1, 8, 33, 64, 80, 96, 128, 160, 256})
    addShape(list, square({61, 5}, 2, 1, dim));
  addShape(list, square({5, 3}, 6, 2, 4));
  addShape(list, square({0, 7, 1, 0}, 9, 3, 16));
  addShape(list, square({47, 48, 49, 97, 145}, 4, 2, 32));
  addShape(list, square({1600}, 1, 1, 16));
  addShape(list, {{4, 3}, {4, 3}, 2, 1, 4, 6, true});
  addShape(list, {{60, 9}, {60, 9}, 3, 1, 40, 72, true});
  addShape(list, {{50, 3, 7}, {130, 3, 1700}, 2, 2, 24, 24, true});      // keys before the rows
  addShape(list, {{50, 7}, {13, 3}, 2, 1, 16, 16, true});                // rows above the first key
  addShape(list, {{50, 0, 4, 3}, {130, 5, 0, 1}, 4, 2, 16, 20, false});  // rectangles
  addCase<AttentionBackwardCase>(list, square({61, 5}, 2, 1, 20), true);
  addCase<AttentionBackwardCase>(list, AttentionShape{{50, 60}, {130, 1700}, 2, 2, 24, 16, false},
                                 true);
  for (const AttentionShape& shape :
       {square({2048}, 8, 8, 128), square({2048}, 8, 8, 64),
        square({1024, 256, 2048, 512, 128, 128}, 8, 2, 128), square({8192}, 2, 2, 128)}) {
    addCase<AttentionForwardCase>(list, Size::large, shape);
    addCase<AttentionBackwardCase>(list, Size::large, shape, false);
  }
}

}  // namespace conformance
