// The bitwise rules that planners rely on: how a document's rows, heads and layout are cut into
// segments must not show in the results.
#include <cmath>

#include "attention-call.h"
#include "case.h"
#include "checks.h"

namespace conformance {
namespace {

using libra::AttentionSegment;

constexpr int64_t heads = 4;
constexpr int64_t dim = 32;

AttentionCall randomCall(int64_t rows, int64_t kvHeads, int64_t headDim = dim) {
  AttentionCall call(rows * heads, rows * kvHeads, headDim, headDim,
                     1 / std::sqrt(static_cast<float>(headDim)));
  Random random(7);
  for (Buffer* buffer : {&call.q, &call.k, &call.v, &call.dOut}) random.fill(*buffer, 2);
  return call;
}

void solve(AttentionCall& call, const Kernels& kernels, int threads,
           const std::vector<AttentionSegment>& segments) {
  libra::ThreadWorkers workers(threads);
  call.clearGradients();
  call.forward(kernels, workers, segments);
  call.computeDelta(kernels, workers);
  call.backward(kernels, workers, segments);
}

/// The whole document, one segment for each KV head.
std::vector<AttentionSegment> whole(int64_t rows, int64_t kvHeads) {
  std::vector<AttentionSegment> segments;
  const int64_t group = heads / kvHeads;
  for (int64_t g = 0; g < kvHeads; ++g) {
    segments.push_back({g * group, heads, group, rows, g, kvHeads, rows, true});
  }
  return segments;
}

/// Any cut of rows and heads: out, lse and dq keep their bits.
void checkAnyCut(const Kernels& kernels, Checks& checks) {
  const int64_t rows = 1000;
  AttentionCall call = randomCall(rows, 2);
  solve(call, kernels, 1, whole(rows, 2));
  AttentionCall cut = randomCall(rows, 2);
  std::vector<AttentionSegment> segments;
  const int64_t borders[] = {0, 1, 17, 100, 101, 500, 777, 999, 1000};
  for (int i = 0; i + 1 < 9; ++i) {
    for (int64_t h = 0; h < heads; ++h) {
      segments.push_back({borders[i] * heads + h, heads, 1, borders[i + 1] - borders[i], h / 2, 2,
                          borders[i + 1], true});
    }
  }
  solve(cut, kernels, 2, segments);
  checks.holds("any cut: out", cut.out.sameBits(call.out));
  checks.holds("any cut: lse", cut.logSumExp.sameBits(call.logSumExp));
  checks.holds("any cut: dq", cut.dq.sameBits(call.dq));
}

/// Cuts at row-block borders, in one call and in successive calls: dk and dv keep their bits too.
void checkBlockCut(const Kernels& kernels, Checks& checks) {
  const int64_t rows = 900;
  AttentionCall call = randomCall(rows, 1);
  solve(call, kernels, 1, whole(rows, 1));
  std::vector<AttentionSegment> segments;
  const int64_t borders[] = {0, kernels.rowBlock, 5 * kernels.rowBlock, 16 * kernels.rowBlock,
                             rows};
  for (int i = 0; i + 1 < 5; ++i) {
    segments.push_back({borders[i] * heads, heads, heads, borders[i + 1] - borders[i], 0, 1,
                        borders[i + 1], true});
  }
  for (const int threads : {1, 3}) {
    AttentionCall cut = randomCall(rows, 1);
    solve(cut, kernels, threads, segments);
    checks.holds("block cut: dq", cut.dq.sameBits(call.dq));
    checks.holds("block cut: dk", cut.dk.sameBits(call.dk));
    checks.holds("block cut: dv", cut.dv.sameBits(call.dv));
    libra::ThreadWorkers workers(threads);
    cut.clearGradients();
    for (const AttentionSegment& segment : segments) cut.backward(kernels, workers, {segment});
    checks.holds("successive calls: dq", cut.dq.sameBits(call.dq));
    checks.holds("successive calls: dk", cut.dk.sameBits(call.dk));
    checks.holds("successive calls: dv", cut.dv.sameBits(call.dv));
  }
}

/// One KV head and several key panels: panels become tasks of their own with more threads.
void checkThreads(const Kernels& kernels, Checks& checks) {
  const int64_t rows = 1800;
  AttentionCall call = randomCall(rows, 1, 16);
  solve(call, kernels, 1, whole(rows, 1));
  for (const int threads : {2, 5}) {
    AttentionCall other = randomCall(rows, 1, 16);
    solve(other, kernels, threads, whole(rows, 1));
    const std::string with = std::to_string(threads) + " threads: ";
    checks.holds(with + "out", other.out.sameBits(call.out));
    checks.holds(with + "dq", other.dq.sameBits(call.dq));
    checks.holds(with + "dk", other.dk.sameBits(call.dk));
    checks.holds(with + "dv", other.dv.sameBits(call.dv));
  }
}

/// Vectors of one head next to each other (staging) and interleaved (home): equal bits.
void checkLayouts(const Kernels& kernels, Checks& checks) {
  const int64_t rows = 300, kvHeads = 2;
  AttentionCall home = randomCall(rows, kvHeads);
  solve(home, kernels, 1, whole(rows, kvHeads));
  AttentionCall staged = randomCall(rows, kvHeads);
  for (int64_t g = 0; g < kvHeads; ++g) {
    for (int64_t i = 0; i < rows * dim; ++i) {
      const int64_t from = (i / dim * kvHeads + g) * dim + i % dim;
      staged.k[g * rows * dim + i] = home.k[from];
      staged.v[g * rows * dim + i] = home.v[from];
    }
  }
  std::vector<AttentionSegment> segments = whole(rows, kvHeads);
  for (int64_t g = 0; g < kvHeads; ++g) {
    segments[g].keyOffset = g * rows;
    segments[g].keyStride = 1;
  }
  solve(staged, kernels, 2, segments);
  checks.holds("layouts: out", staged.out.sameBits(home.out));
  checks.holds("layouts: dq", staged.dq.sameBits(home.dq));
  for (int64_t g = 0; g < kvHeads; ++g) {
    for (int64_t i = 0; i < rows * dim; ++i) {
      const int64_t from = (i / dim * kvHeads + g) * dim + i % dim;
      checks.holds("layouts: dk and dv", staged.dk[g * rows * dim + i] == home.dk[from] &&
                                             staged.dv[g * rows * dim + i] == home.dv[from]);
    }
  }
}

/// NaN in a key reaches the rows that see it and no other.
void checkNotANumber(const Kernels& kernels, Checks& checks) {
  const int64_t rows = 150, bad = 70;
  AttentionCall call = randomCall(rows, 1);
  call.k[bad * dim + 3] = NAN;
  libra::ThreadWorkers workers(1);
  call.forward(kernels, workers, whole(rows, 1));
  for (int64_t i = 0; i < call.out.size(); ++i) {
    checks.holds("NaN in a key", std::isnan(call.out[i]) == (i / (heads * dim) >= bad));
  }
}

}  // namespace

int checkAttentionRules(const Kernels& kernels) {
  Checks checks(kernels.instructionSet);
  checkAnyCut(kernels, checks);
  checkBlockCut(kernels, checks);
  checkThreads(kernels, checks);
  checkLayouts(kernels, checks);
  checkNotANumber(kernels, checks);
  return checks.failures();
}

}  // namespace conformance
