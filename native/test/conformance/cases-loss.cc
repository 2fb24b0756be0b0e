// Embedding and cross-entropy: the operators that take ids.
#include <cmath>

#include "typed.h"

namespace conformance {
namespace {

std::vector<int32_t> randomIds(Random& random, int64_t count, int64_t limit, bool ignores) {
  std::vector<int32_t> ids(count);
  for (int64_t i = 0; i < count; ++i) {
    const bool ignored = ignores && random.below(4) == 0;
    ids[i] = ignored ? libra::ignoredTarget : static_cast<int32_t>(random.below(limit));
  }
  return ids;
}

template <class Element>
struct EmbeddingCase : Case {
  const int64_t tokens, vocabulary, width;
  std::vector<int32_t> ids;
  TensorOf<Element> table, out;
  EmbeddingCase(int64_t tokens, int64_t vocabulary, int64_t width)
      : Case(named<Element>("embedding"),
             describe(field("tokens", tokens), field("vocabulary", vocabulary),
                      field("width", width))),
        tokens(tokens),
        vocabulary(vocabulary),
        width(width),
        ids(randomIds(random, tokens, vocabulary, false)),
        table(vocabulary * width),
        out(tokens * width) {
    fill(random, table);
    output(out.wide(), "out", 0);
    bytes = 2.0 * sizeof(Element) * tokens * width;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.embedding, k.embeddingBfloat16)(
        w, {ids.data(), table.data(), out.data(), tokens, vocabulary, width});
    out.gather();
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < tokens * width; ++i) {
      e[0].values[i] = table[ids[i / width] * width + i % width];
    }
  }
};

template <class Element>
struct EmbeddingBackwardCase : Case {
  const int64_t tokens, vocabulary, width;
  const bool adds;
  std::vector<int32_t> ids;
  TensorOf<Element> dOut;
  Buffer dTable, before;
  EmbeddingBackwardCase(int64_t tokens, int64_t vocabulary, int64_t width, bool adds)
      : Case(named<Element>("embeddingBackward"),
             describe(field("tokens", tokens), field("vocabulary", vocabulary),
                      field("width", width), field("adds", adds))),
        tokens(tokens),
        vocabulary(vocabulary),
        width(width),
        adds(adds),
        ids(randomIds(random, tokens, vocabulary, false)),
        dOut(tokens * width),
        dTable(vocabulary * width),
        before(vocabulary * width) {
    fill(random, dOut);
    if (adds) random.fill(before);
    output(dTable, "dTable");
  }
  void prepare() override {
    if (adds) dTable = before;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.embeddingBackward, k.embeddingBackwardBfloat16)(
        w, {ids.data(), dOut.data(), dTable.data(), tokens, vocabulary, width, adds});
  }
  void reference(std::vector<Expected>& e) override {
    e[0].values = before.widened();
    for (int64_t i = 0; i < tokens * width; ++i) {
      e[0].values[ids[i / width] * width + i % width] += dOut[i];
    }
  }
};

/// Forward with its sums copied into a float buffer, so that they are checked as any output.
struct CrossEntropyCase : Case {
  const int64_t rows, vocabulary;
  Buffer logits, logSumExp, sums;
  std::vector<int32_t> targets;
  double kernelSums[2];
  CrossEntropyCase(int64_t rows, int64_t vocabulary)
      : Case("crossEntropy", describe(field("rows", rows), field("vocabulary", vocabulary))),
        rows(rows),
        vocabulary(vocabulary),
        logits(rows * vocabulary),
        logSumExp(rows),
        sums(2),
        targets(randomIds(random, rows, vocabulary, true)) {
    random.fill(logits, 5);
    output(logSumExp, "logSumExp");
    output(sums, "sums");
    bytes = 4.0 * rows * vocabulary;
  }
  void run(const Kernels& k, Workers& w) override {
    k.crossEntropy(w,
                   {logits.data(), targets.data(), kernelSums, logSumExp.data(), rows, vocabulary});
    for (int i = 0; i < 2; ++i) sums[i] = static_cast<float>(kernelSums[i]);
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < vocabulary; ++i)
        sum += std::exp(static_cast<double>(logits[r * vocabulary + i]));
      e[0].values[r] = std::log(sum);
      if (targets[r] == libra::ignoredTarget) continue;
      e[1].values[0] += std::log(sum) - logits[r * vocabulary + targets[r]];
      e[1].values[1] += 1;
    }
  }
};

struct CrossEntropyBackwardCase : Case {
  const int64_t rows, vocabulary;
  const bool inPlace;
  Buffer logits, logSumExp, dLogits;
  std::vector<int32_t> targets;
  std::vector<double> variable;
  static constexpr float scale = 0.25f;
  CrossEntropyBackwardCase(int64_t rows, int64_t vocabulary, bool inPlace)
      : Case("crossEntropyBackward", describe(field("rows", rows), field("vocabulary", vocabulary),
                                              field("inPlace", inPlace))),
        rows(rows),
        vocabulary(vocabulary),
        inPlace(inPlace),
        logits(rows * vocabulary),
        logSumExp(rows),
        dLogits(rows * vocabulary),
        targets(randomIds(random, rows, vocabulary, true)) {
    random.fill(logits, 5);
    variable = logits.widened();
    for (int64_t r = 0; r < rows; ++r) logSumExp[r] = static_cast<float>(rowLogSumExp(r));
    output(dLogits, "dLogits");
    bytes = 8.0 * rows * vocabulary;
  }
  double rowLogSumExp(int64_t row) const {
    double sum = 0;
    for (int64_t i = 0; i < vocabulary; ++i) sum += std::exp(variable[row * vocabulary + i]);
    return std::log(sum);
  }
  void prepare() override {
    if (inPlace) dLogits = logits;
  }
  void run(const Kernels& k, Workers& w) override {
    k.crossEntropyBackward(w, {inPlace ? dLogits.data() : logits.data(), targets.data(),
                               logSumExp.data(), dLogits.data(), rows, vocabulary, scale});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t r = 0; r < rows; ++r) {
      if (targets[r] == libra::ignoredTarget) continue;
      const double logSum = rowLogSumExp(r);
      for (int64_t i = 0; i < vocabulary; ++i) {
        const double p = std::exp(variable[r * vocabulary + i] - logSum);
        e[0].values[r * vocabulary + i] = scale * (p - (i == targets[r] ? 1 : 0));
      }
    }
  }
  double loss() override {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r) {
      if (targets[r] == libra::ignoredTarget) continue;
      sum += scale * (rowLogSumExp(r) - variable[r * vocabulary + targets[r]]);
    }
    return sum;
  }
  std::vector<Slope> slopes() override { return {{"dLogits", &variable, &dLogits}}; }
};

}  // namespace

void addLossCases(CaseList& list) {
  addCase<EmbeddingCase<float>>(list, int64_t{9}, int64_t{5}, int64_t{7});
  addCase<EmbeddingCase<Bfloat16>>(list, int64_t{9}, int64_t{5}, int64_t{7});
  addCase<EmbeddingCase<float>>(list, int64_t{300}, int64_t{50}, int64_t{64});
  addCase<EmbeddingCase<Bfloat16>>(list, int64_t{300}, int64_t{50}, int64_t{64});
  for (const bool adds : {false, true}) {
    addCase<EmbeddingBackwardCase<float>>(list, int64_t{9}, int64_t{5}, int64_t{7}, adds);
    addCase<EmbeddingBackwardCase<Bfloat16>>(list, int64_t{9}, int64_t{5}, int64_t{7}, adds);
    addCase<EmbeddingBackwardCase<float>>(list, int64_t{300}, int64_t{50}, int64_t{64}, adds);
    addCase<EmbeddingBackwardCase<Bfloat16>>(list, int64_t{300}, int64_t{50}, int64_t{64}, adds);
    addCase<EmbeddingBackwardCase<float>>(list, int64_t{0}, int64_t{3}, int64_t{4}, adds);
    addCase<EmbeddingBackwardCase<Bfloat16>>(list, int64_t{0}, int64_t{3}, int64_t{4}, adds);
  }
  for (const auto& [rows, vocabulary] :
       {std::pair<int64_t, int64_t>{1, 1}, {5, 3}, {7, 130}, {3, 5001}, {0, 4}}) {
    addCase<CrossEntropyCase>(list, rows, vocabulary);
    addCase<CrossEntropyBackwardCase>(list, rows, vocabulary, false);
    addCase<CrossEntropyBackwardCase>(list, rows, vocabulary, true);
  }
  addCase<EmbeddingCase<float>>(list, Size::large, int64_t{8192}, int64_t{20000}, int64_t{1024});
  addCase<CrossEntropyCase>(list, Size::large, int64_t{256}, int64_t{151936});
  addCase<CrossEntropyBackwardCase>(list, Size::large, int64_t{256}, int64_t{151936}, true);
}

}  // namespace conformance
