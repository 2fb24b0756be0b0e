// The bitwise rules of attention-rules.cc hold for bfloat16 too.
#include "case.h"
#include "checks.h"
#include "halves.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

/// Results of one document of 1000 rows, 4 heads and 2 KV heads under a list of segments.
struct CutResult {
  std::vector<uint16_t> out;
  Buffer logSumExp, dq, dk, dv;
};

CutResult solveCut(const Kernels& kernels, int threads,
                   const std::vector<AttentionSegment>& segments) {
  const int64_t rows = 1000, heads = 4, dim = 32;
  Random random(5);
  Halves q(rows * heads * dim), dOut(q.size()), k(rows * 2 * dim), v(k.size()), out(q.size());
  for (Halves* tensor : {&q, &k, &v, &dOut}) tensor->fill(random);
  CutResult result{{}, Buffer(rows * heads), Buffer(q.size()), Buffer(k.size()), Buffer(k.size())};
  Buffer delta(rows * heads);
  libra::ThreadWorkers w(threads);
  const int64_t count = static_cast<int64_t>(segments.size());
  kernels.attentionForwardBfloat16(
      w, {q.data(), k.data(), v.data(), out.data(), result.logSumExp.data(), segments.data(), count,
          0.2f, dim, dim});
  kernels.attentionDeltaBfloat16(w, {out.data(), dOut.data(), delta.data(), rows * heads, dim});
  kernels.attentionBackwardBfloat16(
      w, {q.data(), k.data(), v.data(), dOut.data(), result.logSumExp.data(), delta.data(),
          result.dq.data(), result.dk.data(), result.dv.data(), segments.data(), count, 0.2f, dim,
          dim});
  for (int64_t i = 0; i < out.size(); ++i) result.out.push_back(out.data()[i].bits);
  return result;
}

}  // namespace

int checkBfloat16Rules(const Kernels& kernels) {
  Checks checks(kernels.instructionSet);
  const int64_t rows = 1000;
  std::vector<AttentionSegment> whole, cut, blocks;
  for (int64_t g = 0; g < 2; ++g) whole.push_back({2 * g, 4, 2, rows, g, 2, rows, true});
  const int64_t borders[] = {0, 1, 101, 500, 777, rows};
  for (int i = 0; i < 5; ++i) {
    for (int64_t h = 0; h < 4; ++h) {
      cut.push_back(
          {borders[i] * 4 + h, 4, 1, borders[i + 1] - borders[i], h / 2, 2, borders[i + 1], true});
    }
  }
  for (const int64_t first : {int64_t{0}, 7 * kernels.rowBlock}) {
    const int64_t last = first == 0 ? 7 * kernels.rowBlock : rows;
    for (int64_t g = 0; g < 2; ++g) {
      blocks.push_back({first * 4 + 2 * g, 4, 2, last - first, g, 2, last, true});
    }
  }
  const CutResult expected = solveCut(kernels, 1, whole);
  const CutResult anyCut = solveCut(kernels, 2, cut);
  const CutResult blockCut = solveCut(kernels, 3, blocks);
  for (const CutResult* other : {&anyCut, &blockCut}) {
    checks.holds("bfloat16, cut rows: out", other->out == expected.out);
    checks.holds("bfloat16, cut rows: lse", other->logSumExp.sameBits(expected.logSumExp));
    checks.holds("bfloat16, cut rows: dq", other->dq.sameBits(expected.dq));
  }
  checks.holds("bfloat16, block cut: dk", blockCut.dk.sameBits(expected.dk));
  checks.holds("bfloat16, block cut: dv", blockCut.dv.sameBits(expected.dv));
  return checks.failures();
}

}  // namespace conformance
