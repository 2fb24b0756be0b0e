// Row operators: RMSNorm and RoPE.
#include <cmath>

#include "case.h"

namespace conformance {
namespace {

double square(double x) { return x * x; }

struct RmsNormCase : Case {
  const int64_t rows, width;
  Buffer x, weight, out, inverse;
  RmsNormCase(int64_t rows, int64_t width)
      : Case("rmsNorm", describe(field("rows", rows), field("width", width))),
        rows(rows),
        width(width),
        x(rows * width),
        weight(width),
        out(rows * width),
        inverse(rows) {
    random.fill(x);
    random.fill(weight);
    output(out, "out");
    output(inverse, "inverseRms");
    bytes = 8.0 * rows * width;
  }
  void run(const Kernels& k, Workers& w) override {
    k.rmsNorm(w, {x.data(), weight.data(), out.data(), inverse.data(), rows, width, 1e-6f});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t i = 0; i < width; ++i) sum += square(x[r * width + i]);
      const double scale = 1 / std::sqrt(sum / width + 1e-6);
      e[1].values[r] = scale;
      for (int64_t i = 0; i < width; ++i)
        e[0].values[r * width + i] = x[r * width + i] * scale * weight[i];
    }
  }
};

struct RmsNormBackwardCase : Case {
  const int64_t rows, width;
  const bool adds;
  Buffer x, weight, dOut, inverse, dx, dWeight, dxBefore, dWeightBefore;
  std::vector<double> xVariable, weightVariable;
  RmsNormBackwardCase(int64_t rows, int64_t width, bool adds)
      : Case("rmsNormBackward",
             describe(field("rows", rows), field("width", width), field("adds", adds))),
        rows(rows),
        width(width),
        adds(adds),
        x(rows * width),
        weight(width),
        dOut(rows * width),
        inverse(rows),
        dx(rows * width),
        dWeight(width),
        dxBefore(rows * width),
        dWeightBefore(width) {
    random.fill(x);
    random.fill(weight);
    random.fill(dOut);
    if (adds) {
      random.fill(dxBefore);
      random.fill(dWeightBefore);
    }
    xVariable = x.widened();
    weightVariable = weight.widened();
    for (int64_t r = 0; r < rows; ++r) inverse[r] = static_cast<float>(scaleOf(r));
    output(dx, "dx");
    output(dWeight, "dWeight");
    bytes = 12.0 * rows * width;
  }
  double scaleOf(int64_t row) const {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) sum += square(xVariable[row * width + i]);
    return 1 / std::sqrt(sum / width + 1e-6);
  }
  void prepare() override {
    if (!adds) return;
    dx = dxBefore;
    dWeight = dWeightBefore;
  }
  void run(const Kernels& k, Workers& w) override {
    k.rmsNormBackward(w, {dOut.data(), x.data(), weight.data(), inverse.data(), dx.data(),
                          dWeight.data(), rows, width, adds, adds});
  }
  void reference(std::vector<Expected>& e) override {
    e[0].values = dxBefore.widened();
    e[1].values = dWeightBefore.widened();
    for (int64_t r = 0; r < rows; ++r) {
      const double scale = scaleOf(r);
      double dot = 0;
      for (int64_t i = 0; i < width; ++i) {
        dot += static_cast<double>(dOut[r * width + i]) * weight[i] * x[r * width + i];
      }
      for (int64_t i = 0; i < width; ++i) {
        const double g = dOut[r * width + i];
        e[0].values[r * width + i] +=
            scale * (g * weight[i] - x[r * width + i] * dot * scale * scale / width);
        e[1].values[i] += g * x[r * width + i] * scale;
      }
    }
  }
  double loss() override {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const double scale = scaleOf(r);
      for (int64_t i = 0; i < width; ++i) {
        sum += xVariable[r * width + i] * scale * weightVariable[i] * dOut[r * width + i];
      }
    }
    return sum;
  }
  std::vector<Slope> slopes() override {
    if (adds) return {};
    return {{"dx", &xVariable, &dx}, {"dWeight", &weightVariable, &dWeight}};
  }
};

struct RopeCase : Case {
  const int64_t tokens, heads, dim;
  const bool inverse;
  Buffer x, out;
  std::vector<int32_t> positions;
  RopeCase(int64_t tokens, int64_t heads, int64_t dim, bool inverse)
      : Case("rope", describe(field("tokens", tokens), field("heads", heads), field("headDim", dim),
                              field("inverse", inverse))),
        tokens(tokens),
        heads(heads),
        dim(dim),
        inverse(inverse),
        x(tokens * heads * dim),
        out(x.size()),
        positions(tokens) {
    random.fill(x);
    for (int64_t t = 0; t < tokens; ++t) {
      positions[t] = static_cast<int32_t>(t % 3 == 0 ? random.below(1 << 20) : t);
    }
    output(out, "out");
    bytes = 8.0 * x.size();
  }
  void run(const Kernels& k, Workers& w) override {
    k.rope(w, {x.data(), positions.data(), out.data(), tokens, heads, dim, 1e6, inverse});
  }
  void reference(std::vector<Expected>& e) override {
    const int64_t half = dim / 2;
    for (int64_t t = 0; t < tokens; ++t) {
      for (int64_t d = 0; d < half; ++d) {
        const double angle = positions[t] * std::pow(1e6, -2.0 * d / dim);
        const double s = inverse ? -std::sin(angle) : std::sin(angle);
        const double c = std::cos(angle);
        for (int64_t at = t * heads * dim + d; at < (t + 1) * heads * dim; at += dim) {
          e[0].values[at] = x[at] * c - x[at + half] * s;
          e[0].values[at + half] = x[at + half] * c + x[at] * s;
        }
      }
    }
  }
};

}  // namespace

void addRowCases(CaseList& list) {
  for (const auto& [rows, width] :
       {std::pair<int64_t, int64_t>{1, 2}, {3, 7}, {130, 64}, {5, 1000}, {0, 8}}) {
    addCase<RmsNormCase>(list, rows, width);
    addCase<RmsNormBackwardCase>(list, rows, width, false);
    addCase<RmsNormBackwardCase>(list, rows, width, true);
  }
  for (const bool inverse : {false, true}) {
    addCase<RopeCase>(list, int64_t{5}, int64_t{3}, int64_t{2}, inverse);
    addCase<RopeCase>(list, int64_t{7}, int64_t{1}, int64_t{96}, inverse);
    addCase<RopeCase>(list, int64_t{70}, int64_t{4}, int64_t{128}, inverse);
  }
  // Results above 32 MiB pass the caches by.
  addCase<RmsNormCase>(list, Size::wide, int64_t{2100}, int64_t{4096});
  addCase<RmsNormBackwardCase>(list, Size::wide, int64_t{2100}, int64_t{4096}, false);
  addCase<RopeCase>(list, Size::wide, int64_t{2100}, int64_t{32}, int64_t{128}, false);
  addCase<RmsNormCase>(list, Size::large, int64_t{8192}, int64_t{4096});
  addCase<RmsNormBackwardCase>(list, Size::large, int64_t{8192}, int64_t{4096}, false);
  addCase<RopeCase>(list, Size::large, int64_t{8192}, int64_t{32}, int64_t{128}, false);
}

}  // namespace conformance
