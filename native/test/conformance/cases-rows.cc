// Row operators: RMSNorm and RoPE.
#include <cmath>

#include "typed.h"

namespace conformance {
namespace {

double square(double x) { return x * x; }

template <class Element>
struct RmsNormCase : Case {
  const int64_t rows, width;
  TensorOf<Element> x, out;
  Buffer weight, inverse;
  RmsNormCase(int64_t rows, int64_t width)
      : Case(named<Element>("rmsNorm"), describe(field("rows", rows), field("width", width))),
        rows(rows),
        width(width),
        x(rows * width),
        out(rows * width),
        weight(width),
        inverse(rows) {
    fill(random, x);
    random.fill(weight);
    output(out.wide(), "out", toleranceOf<Element>());
    output(inverse, "inverseRms");
    bytes = 2.0 * sizeof(Element) * rows * width;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.rmsNorm, k.rmsNormBfloat16)(
        w, {x.data(), weight.data(), out.data(), inverse.data(), rows, width, 1e-6f});
    out.gather();
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

template <class Element>
struct RmsNormBackwardCase : Case {
  const int64_t rows, width;
  const bool adds;
  TensorOf<Element> x, dOut, dx, dxBefore;
  Buffer weight, inverse, dWeight, dWeightBefore;
  std::vector<double> xVariable, weightVariable;
  RmsNormBackwardCase(int64_t rows, int64_t width, bool adds)
      : Case(named<Element>("rmsNormBackward"),
             describe(field("rows", rows), field("width", width), field("adds", adds))),
        rows(rows),
        width(width),
        adds(adds),
        x(rows * width),
        dOut(rows * width),
        dx(rows * width),
        dxBefore(rows * width),
        weight(width),
        inverse(rows),
        dWeight(width),
        dWeightBefore(width) {
    fill(random, x);
    random.fill(weight);
    fill(random, dOut);
    if (adds) {
      fill(random, dxBefore);
      random.fill(dWeightBefore);
    }
    xVariable = x.widened();
    weightVariable = weight.widened();
    for (int64_t r = 0; r < rows; ++r) inverse[r] = static_cast<float>(scaleOf(r));
    output(dx.wide(), "dx", toleranceOf<Element>());
    output(dWeight, "dWeight");
    bytes = 3.0 * sizeof(Element) * rows * width;
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
    pick<Element>(k.rmsNormBackward, k.rmsNormBackwardBfloat16)(
        w, {dOut.data(), x.data(), weight.data(), inverse.data(), dx.data(), dWeight.data(), rows,
            width, adds, adds});
    dx.gather();
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
    if (narrow<Element> || adds) return {};
    return {{"dx", &xVariable, &dx.wide()}, {"dWeight", &weightVariable, &dWeight}};
  }
};

template <class Element>
struct RopeCase : Case {
  const int64_t tokens, heads, dim;
  const bool inverse;
  TensorOf<Element> x, out;
  std::vector<int32_t> positions;
  RopeCase(int64_t tokens, int64_t heads, int64_t dim, bool inverse)
      : Case(named<Element>("rope"), describe(field("tokens", tokens), field("heads", heads),
                                              field("headDim", dim), field("inverse", inverse))),
        tokens(tokens),
        heads(heads),
        dim(dim),
        inverse(inverse),
        x(tokens * heads * dim),
        out(x.size()),
        positions(tokens) {
    fill(random, x);
    for (int64_t t = 0; t < tokens; ++t) {
      positions[t] = static_cast<int32_t>(t % 3 == 0 ? random.below(1 << 20) : t);
    }
    output(out.wide(), "out", toleranceOf<Element>());
    bytes = 2.0 * sizeof(Element) * x.size();
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.rope, k.ropeBfloat16)(
        w, {x.data(), positions.data(), out.data(), tokens, heads, dim, 1e6, inverse});
    out.gather();
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

template <class Element>
void addSmallCases(CaseList& list) {
  for (const auto& [rows, width] :
       {std::pair<int64_t, int64_t>{1, 2}, {3, 7}, {130, 64}, {5, 1000}, {0, 8}}) {
    addCase<RmsNormCase<Element>>(list, rows, width);
    addCase<RmsNormBackwardCase<Element>>(list, rows, width, false);
    addCase<RmsNormBackwardCase<Element>>(list, rows, width, true);
  }
  for (const bool inverse : {false, true}) {
    addCase<RopeCase<Element>>(list, int64_t{5}, int64_t{3}, int64_t{2}, inverse);
    addCase<RopeCase<Element>>(list, int64_t{7}, int64_t{1}, int64_t{96}, inverse);
    addCase<RopeCase<Element>>(list, int64_t{70}, int64_t{4}, int64_t{128}, inverse);
  }
}

/// Results above 32 MiB pass the caches by.
template <class Element>
void addWideCases(CaseList& list, int64_t rows) {
  addCase<RmsNormCase<Element>>(list, Size::wide, rows, int64_t{4096});
  addCase<RmsNormBackwardCase<Element>>(list, Size::wide, rows, int64_t{4096}, false);
  addCase<RopeCase<Element>>(list, Size::wide, rows, int64_t{32}, int64_t{128}, false);
}

}  // namespace

void addRowCases(CaseList& list) {
  addSmallCases<float>(list);
  addSmallCases<Bfloat16>(list);
  addWideCases<float>(list, 2100);
  addWideCases<Bfloat16>(list, 4100);
  addCase<RmsNormCase<float>>(list, Size::large, int64_t{8192}, int64_t{4096});
  addCase<RmsNormBackwardCase<float>>(list, Size::large, int64_t{8192}, int64_t{4096}, false);
  addCase<RopeCase<float>>(list, Size::large, int64_t{8192}, int64_t{32}, int64_t{128}, false);
}

}  // namespace conformance
