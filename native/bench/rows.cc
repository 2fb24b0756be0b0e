// Times the operators that only stream memory, on request: packages/runtime/bench/rows.bench.mjs.
//
// Reads one request a line, answers one JSON object a line:
//   list                      {"operators": [names]}
//   run OPERATOR THREADS      {"seconds", "bytes", "foreign"}; bytes: what one run must move
// The operator "copy" is the C library's memcpy of as many bytes as the others stream.
#include <cstring>
#include <functional>
#include <iostream>
#include <sstream>
#include <vector>

#include "libra/kernels.h"
#include "timing.h"

namespace bench {
namespace {

constexpr int64_t rows = 8192, width = 4096, count = rows * width;  // 128 MiB a tensor
constexpr int64_t headDim = 128, vocabulary = 32768;

/// 64-byte aligned, as the runtime's tensors are, and touched.
class Floats {
 public:
  explicit Floats(int64_t size)
      : memory_(static_cast<float*>(std::aligned_alloc(1 << 21, static_cast<size_t>(size) * 4))) {
    for (int64_t i = 0; i < size; ++i) memory_[i] = static_cast<float>(i % 1021) / 512 - 1;
  }
  ~Floats() { std::free(memory_); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  operator float*() { return memory_; }  // NOLINT: stands for a pointer everywhere here

 private:
  float* memory_;
};

struct Operator {
  const char* name;
  double bytesPerElement;
  std::function<void(libra::Workers&)> run;
};

class Server {
 public:
  Server()
      : a_(count),
        b_(count),
        c_(count),
        d_(count),
        small_(count / headDim),
        ids_(count / vocabulary + rows),
        positions_(rows) {
    for (size_t i = 0; i < ids_.size(); ++i) ids_[i] = static_cast<int32_t>(i * 7919 % rows);
    for (int64_t i = 0; i < rows; ++i) positions_[i] = static_cast<int32_t>(i);
    const libra::Kernels& k = libra::kernels();
    operators_ = {
        {"copy", 8, [&](libra::Workers& w) { copy(w); }},
        {"add", 12, [&](libra::Workers& w) { k.add(w, {a_, b_, c_, count}); }},
        {"scale", 8, [&](libra::Workers& w) { k.scale(w, {a_, c_, count, 2}); }},
        {"rmsNorm", 8,
         [&](libra::Workers& w) { k.rmsNorm(w, {a_, b_, c_, small_, rows, width, 1e-6f}); }},
        {"rmsNormBackward", 12,
         [&](libra::Workers& w) {
           k.rmsNormBackward(w, {a_, b_, d_, small_, c_, small_ + rows, rows, width});
         }},
        {"headNorm", 8,
         [&](libra::Workers& w) {
           k.rmsNorm(w, {a_, b_, c_, small_, count / headDim, headDim, 1e-6f});
         }},
        {"rope", 8,
         [&](libra::Workers& w) {
           k.rope(w, {a_, positions_.data(), c_, rows, width / headDim, headDim, 1e6});
         }},
        {"swiglu", 12, [&](libra::Workers& w) { k.swiglu(w, {a_, b_, c_, count}); }},
        {"swigluBackward", 20,
         [&](libra::Workers& w) { k.swigluBackward(w, {a_, b_, c_, d_, e_, count / 2}); }},
        {"embedding", 8,
         [&](libra::Workers& w) { k.embedding(w, {ids_.data(), a_, c_, rows, rows, width}); }},
        {"crossEntropy", 4,
         [&](libra::Workers& w) {
           k.crossEntropy(w, {a_, ids_.data(), sums_, small_, count / vocabulary, vocabulary});
         }},
        {"crossEntropyBackward", 8,
         [&](libra::Workers& w) {
           k.crossEntropyBackward(
               w, {a_, ids_.data(), small_, c_, count / vocabulary, vocabulary, 0.5f});
         }},
        {"sumSquares", 4, [&](libra::Workers& w) { k.sumSquares(w, {a_, sums_, count}); }},
        {"adamW", 28,
         [&](libra::Workers& w) {
           k.adamW(w, {c_, a_, d_, b_, count, 1e-3, 0.9, 0.95, 1e-8, 0.1, 5});
         }},
        {"attentionDelta", 8,
         [&](libra::Workers& w) {
           k.attentionDelta(w, {a_, b_, small_, count / headDim, headDim});
         }},
    };
    for (int64_t i = 0; i < count; ++i) b_[i] = b_[i] < 0 ? -b_[i] : b_[i];  // adamW's v
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
      const double elements = static_cast<double>(name == "swigluBackward" ? count / 2 : count);
      std::cout << timedAnswer([&] { o.run(pool_(threads)); }, o.bytesPerElement * elements,
                               threads, "bytes")
                << std::endl;
    }
  }

 private:
  void copy(libra::Workers& workers) {
    const int threads = workers.threads();
    workers.run(threads, [&](int task, int) {
      const int64_t part = count / threads;
      std::memcpy(c_ + task * part, a_ + task * part, static_cast<size_t>(part) * 4);
    });
  }

  Floats a_, b_, c_, d_, small_;
  float* e_ = static_cast<float*>(d_) + count / 2;
  std::vector<int32_t> ids_, positions_;
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
