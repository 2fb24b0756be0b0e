// One attention problem with random tensors: documents of given lengths, heads interleaved by row.
#pragma once

#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "libra/kernels.h"
#include "page-vector.h"

namespace bench {

struct AttentionShape {
  std::vector<int64_t> lengths;
  int64_t queryHeads = 0, kvHeads = 0, headDim = 0;

  AttentionShape() = default;
  bool operator==(const AttentionShape&) const = default;

  /// "LENGTHS QUERYHEADS KVHEADS HEADDIM"
  explicit AttentionShape(std::istream& words) {
    std::string list;
    words >> list >> queryHeads >> kvHeads >> headDim;
    std::istringstream numbers(list);
    for (std::string word; std::getline(numbers, word, ',');) lengths.push_back(std::stoll(word));
  }

  int64_t rows() const {
    int64_t sum = 0;
    for (const int64_t length : lengths) sum += length;
    return sum;
  }

  /// Of the forward pass, causal pairs only.
  double flops() const {
    double pairs = 0;
    for (const int64_t n : lengths)
      pairs += static_cast<double>(n) * static_cast<double>(n + 1) / 2;
    return 4 * pairs * static_cast<double>(headDim * queryHeads);
  }

  std::vector<libra::AttentionSegment> segments() const {
    std::vector<libra::AttentionSegment> list;
    const int64_t group = queryHeads / kvHeads;
    int64_t row = 0;
    for (const int64_t length : lengths) {
      for (int64_t g = 0; g < kvHeads; ++g) {
        list.push_back({row * queryHeads + g * group, queryHeads, group, length, row * kvHeads + g,
                        kvHeads, length, true});
      }
      row += length;
    }
    return list;
  }
};

class AttentionProblem {
 public:
  virtual ~AttentionProblem() = default;
  virtual void forward(libra::Workers& workers) = 0;
  /// Needs a forward before it.
  virtual void backward(libra::Workers& workers) = 0;
};

template <class Element>
class AttentionProblemOf final : public AttentionProblem {
 public:
  explicit AttentionProblemOf(const AttentionShape& shape)
      : shape_(shape),
        segments_(shape.segments()),
        q_(random(shape.queryHeads, 1)),
        k_(random(shape.kvHeads, 2)),
        v_(random(shape.kvHeads, 3)),
        dOut_(random(shape.queryHeads, 4)),
        out_(q_.size()),
        dq_(q_.size()),
        dk_(k_.size()),
        dv_(v_.size()),
        logSumExp_(shape.rows() * shape.queryHeads),
        delta_(logSumExp_.size()) {}

  void forward(libra::Workers& workers) override {
    const libra::AttentionForwardOf<Element> arguments{
        q_.data(),        k_.data(), v_.data(), out_.data(),    logSumExp_.data(),
        segments_.data(), count(),   scale(),   shape_.headDim, shape_.headDim};
    if constexpr (narrow) {
      libra::kernels().attentionForwardBfloat16(workers, arguments);
    } else {
      libra::kernels().attentionForward(workers, arguments);
    }
  }

  void backward(libra::Workers& workers) override {
    const libra::Kernels& kernels = libra::kernels();
    for (PageVector<float>* gradient : {&dq_, &dk_, &dv_}) {
      kernels.fill(workers, {gradient->data(), static_cast<int64_t>(gradient->size()), 0});
    }
    const libra::AttentionDeltaOf<Element> delta{out_.data(), dOut_.data(), delta_.data(),
                                                 static_cast<int64_t>(delta_.size()),
                                                 shape_.headDim};
    const libra::AttentionBackwardOf<Element> arguments{
        q_.data(),     k_.data(),  v_.data(),      dOut_.data(),  logSumExp_.data(),
        delta_.data(), dq_.data(), dk_.data(),     dv_.data(),    segments_.data(),
        count(),       scale(),    shape_.headDim, shape_.headDim};
    if constexpr (narrow) {
      kernels.attentionDeltaBfloat16(workers, delta);
      kernels.attentionBackwardBfloat16(workers, arguments);
    } else {
      kernels.attentionDelta(workers, delta);
      kernels.attentionBackward(workers, arguments);
    }
  }

 private:
  static constexpr bool narrow = sizeof(Element) != sizeof(float);

  PageVector<Element> random(int64_t heads, unsigned seed) const {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    PageVector<Element> tensor(shape_.rows() * shape_.headDim * heads);
    for (Element& element : tensor) {
      const float x = normal(engine);
      if constexpr (narrow) {
        element.bits = static_cast<uint16_t>(__builtin_bit_cast(uint32_t, x) >> 16);
      } else {
        element = x;
      }
    }
    return tensor;
  }

  int64_t count() const { return static_cast<int64_t>(segments_.size()); }
  float scale() const { return 1 / std::sqrt(static_cast<float>(shape_.headDim)); }

  AttentionShape shape_;
  std::vector<libra::AttentionSegment> segments_;
  PageVector<Element> q_, k_, v_, dOut_, out_;
  PageVector<float> dq_, dk_, dv_, logSumExp_, delta_;
};

}  // namespace bench
