// Times the operators that only stream memory, on request: packages/runtime/bench/rows.bench.mjs.
//
// Reads one request a line, answers one JSON object a line:
//   list                      {"operators": [names]}; bfloat16 ones end with "Bfloat16"
//   run OPERATOR THREADS      {"seconds", "bytes", "foreign"}; bytes: what one run must move
// The operator "copy" is the C library's memcpy of as many bytes as the others stream.
#include <cstring>
#include <functional>
#include <iostream>
#include <sstream>
#include <vector>

#include "cpu/pages.h"
#include "libra/kernels.h"
#include "timing.h"

namespace bench {
namespace {

using libra::Bfloat16;
using libra::Workers;

constexpr int64_t rows = 8192, width = 4096, count = rows * width;  // 128 MiB a float tensor
constexpr int64_t headDim = 128, vocabulary = 32768;

/// Memory as the runtime's tensors have it, touched; values in [−1, 1].
template <class Element>
class Tensor {
 public:
  explicit Tensor(int64_t size)
      : memory_(static_cast<Element*>(
            libra::allocatePages(static_cast<size_t>(size) * sizeof(Element)))) {
    for (int64_t i = 0; i < size; ++i) {
      const float value = static_cast<float>(i % 1021) / 512 - 1;
      if constexpr (sizeof(Element) == 4) {
        memory_[i] = value;
      } else {
        memory_[i].bits = static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16);
      }
    }
  }
  ~Tensor() { std::free(memory_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  operator Element*() { return memory_; }  // NOLINT: stands for a pointer everywhere here

 private:
  Element* memory_;
};

struct Operator {
  std::string name;
  double bytes;
  std::function<void(Workers&)> run;
};

/// The tensors of one element type.
template <class Element>
struct Tensors {
  Tensor<Element> a{count}, b{count}, c{count}, d{count};
};

class Server {
 public:
  Server() {
    for (size_t i = 0; i < ids_.size(); ++i) ids_[i] = static_cast<int32_t>(i * 7919 % rows);
    for (int64_t i = 0; i < rows; ++i) positions_[i] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < count; ++i) wide_.b[i] = wide_.b[i] < 0 ? -wide_.b[i] : wide_.b[i];
    const libra::Kernels& k = libra::kernels();
    addOperator("copy", 8, [&](Workers& w) { copy(w); });
    addTyped("", wide_, k.add, k.rmsNorm, k.rmsNormBackward, k.rope, k.swiglu, k.swigluBackward,
             k.embedding, k.embeddingBackward);
    addTyped("Bfloat16", narrow_, k.addBfloat16, k.rmsNormBfloat16, k.rmsNormBackwardBfloat16,
             k.ropeBfloat16, k.swigluBfloat16, k.swigluBackwardBfloat16, k.embeddingBfloat16,
             k.embeddingBackwardBfloat16);
    addWide(k, wide_.a, wide_.b, wide_.c, wide_.d);
  }

  void answer(const std::string& line) {
    std::istringstream words(line);
    std::string command, name;
    int threads;
    words >> command >> name >> threads;
    if (command == "list") {
      std::cout << "{\"operators\":[";
      for (const Operator& o : operators_) {
        std::cout << (&o == &operators_.front() ? "\"" : ",\"") << o.name << "\"";
      }
      std::cout << "]}" << std::endl;
      return;
    }
    for (const Operator& o : operators_) {
      if (name != o.name) continue;
      std::cout << timedAnswer([&] { o.run(pool_(threads)); }, o.bytes, threads, "bytes")
                << std::endl;
    }
  }

 private:
  template <class Body>
  void addOperator(const std::string& name, double bytesPerElement, Body body,
                   int64_t elements = count) {
    operators_.push_back({name, bytesPerElement * static_cast<double>(elements), body});
  }

  /// Operators that exist for both element types.
  template <class Element, class Add, class Norm, class NormBackward, class Rope, class Swiglu,
            class SwigluBackward, class Embedding, class EmbeddingBackward>
  void addTyped(const std::string& type, Tensors<Element>& t, Add add, Norm norm,
                NormBackward normBackward, Rope rope, Swiglu swiglu, SwigluBackward swigluBackward,
                Embedding embedding, EmbeddingBackward embeddingBackward) {
    constexpr double size = sizeof(Element);
    addOperator("add" + type, 3 * size, [=, &t](Workers& w) { add(w, {t.a, t.b, t.c, count}); });
    addOperator("rmsNorm" + type, 2 * size, [=, this, &t](Workers& w) {
      norm(w, {t.a, weight_, t.c, small_, rows, width, 1e-6f});
    });
    addOperator("rmsNormBackward" + type, 3 * size, [=, this, &t](Workers& w) {
      normBackward(w, {t.a, t.b, weight_, small_, t.c, weight_ + width, rows, width});
    });
    addOperator("headNorm" + type, 2 * size, [=, this, &t](Workers& w) {
      norm(w, {t.a, weight_, t.c, small_, count / headDim, headDim, 1e-6f});
    });
    addOperator("headNormBackward" + type, 3 * size, [=, this, &t](Workers& w) {
      normBackward(w, {t.a, t.b, weight_, small_, t.c, weight_ + width, count / headDim, headDim});
    });
    addOperator("rope" + type, 2 * size, [=, this, &t](Workers& w) {
      rope(w, {t.a, positions_.data(), t.c, rows, width / headDim, headDim, 1e6});
    });
    addOperator("swiglu" + type, 3 * size,
                [=, &t](Workers& w) { swiglu(w, {t.a, t.b, t.c, count}); });
    addOperator(
        "swigluBackward" + type, 5 * size,
        [=, &t](Workers& w) {
          swigluBackward(w,
                         {t.a, t.b, static_cast<Element*>(t.b) + count / 2, t.c, t.d, count / 2});
        },
        count / 2);
    addOperator("embedding" + type, 2 * size, [=, this, &t](Workers& w) {
      embedding(w, {ids_.data(), t.a, t.c, rows, rows, width});
    });
    addOperator("embeddingBackward" + type, size + 8, [=, this, &t](Workers& w) {
      embeddingBackward(w, {ids_.data(), t.a, wide_.c, rows, rows, width, true});
    });
  }

  /// Operators of float32 tensors only, and the conversions.
  void addWide(const libra::Kernels& k, float* a, float* b, float* c, float* d) {
    addOperator("scale", 8, [=, &k](Workers& w) { k.scale(w, {a, c, count, 2}); });
    addOperator("narrow", 6, [=, this, &k](Workers& w) { k.narrow(w, {a, narrow_.c, count}); });
    addOperator("widen", 6, [=, this, &k](Workers& w) { k.widen(w, {narrow_.a, c, count}); });
    addOperator("crossEntropy", 4, [=, this, &k](Workers& w) {
      k.crossEntropy(w, {a, ids_.data(), sums_, small_, count / vocabulary, vocabulary});
    });
    addOperator("crossEntropyBackward", 8, [=, this, &k](Workers& w) {
      k.crossEntropyBackward(w, {a, ids_.data(), small_, c, count / vocabulary, vocabulary, 0.5f});
    });
    addOperator("sumSquares", 4, [=, this, &k](Workers& w) { k.sumSquares(w, {a, sums_, count}); });
    addOperator("adamW", 28, [=, &k](Workers& w) {
      k.adamW(w, {c, a, d, b, count, 1e-3, 0.9, 0.95, 1e-8, 0.1, 5});
    });
    addOperator("attentionDelta", 8, [=, this, &k](Workers& w) {
      k.attentionDelta(w, {a, b, small_, count / headDim, headDim});
    });
  }

  void copy(Workers& workers) {
    const int threads = workers.threads();
    workers.run(threads, [&](int task, int) {
      const int64_t part = count / threads;
      std::memcpy(wide_.c + task * part, wide_.a + task * part, static_cast<size_t>(part) * 4);
    });
  }

  Tensors<float> wide_;
  Tensors<Bfloat16> narrow_;
  Tensor<float> small_{count / headDim}, weight_{2 * width};
  std::vector<int32_t> ids_ = std::vector<int32_t>(rows), positions_ = std::vector<int32_t>(rows);
  double sums_[2];
  std::vector<Operator> operators_;
  Pool pool_;
};

}  // namespace
}  // namespace bench

int main() {
  bench::Server server;
  for (std::string line; std::getline(std::cin, line);) server.answer(line);
}
