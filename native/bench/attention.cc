// Times attention and the machine's peaks on request: packages/runtime/bench/attention.bench.mjs
// asks, so that trials can alternate with those of other programs.
//
// Reads one request a line, answers one JSON object a line:
//   peak THREADS                                            {"fp32", "bf16", "foreign"}
//   run DTYPE PASS LENGTHS QUERYHEADS KVHEADS HEADDIM THREADS
//                                                           {"seconds", "flops", "foreign"}
// PASS: forward or forward+backward; LENGTHS: documents, separated by commas.
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

#include "libra/kernels.h"
#include "timing.h"

namespace bench {
namespace {

struct Problem {
  std::vector<int64_t> lengths;
  int64_t queryHeads, kvHeads, headDim;
  std::vector<float> q, k, v, out, dOut, logSumExp, delta, dq, dk, dv;
  std::vector<libra::AttentionSegment> segments;
  double flops = 0;  // of the forward pass

  explicit Problem(std::istream& words) {
    std::string list;
    words >> list >> queryHeads >> kvHeads >> headDim;
    std::istringstream numbers(list);
    for (std::string word; std::getline(numbers, word, ',');) lengths.push_back(std::stoll(word));
    int64_t rows = 0;
    for (const int64_t length : lengths) {
      for (int64_t g = 0; g < kvHeads; ++g) {
        const int64_t group = queryHeads / kvHeads;
        segments.push_back({rows * queryHeads + g * group, queryHeads, group, length,
                            rows * kvHeads + g, kvHeads, length, true});
      }
      rows += length;
      const double pairs = static_cast<double>(length) * static_cast<double>(length + 1) / 2;
      flops += 4 * pairs * static_cast<double>(headDim * queryHeads);
    }
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    for (auto* tensor : {&q, &dOut, &k, &v}) {
      tensor->resize(rows * headDim * (tensor == &q || tensor == &dOut ? queryHeads : kvHeads));
      for (float& x : *tensor) x = normal(engine);
    }
    out.resize(q.size());
    dq.resize(q.size());
    dk.resize(k.size());
    dv.resize(v.size());
    logSumExp.resize(rows * queryHeads);
    delta.resize(rows * queryHeads);
  }

  void forward(const libra::Kernels& kernels, libra::Workers& workers) {
    kernels.attentionForward(
        workers, {q.data(), k.data(), v.data(), out.data(), logSumExp.data(), segments.data(),
                  static_cast<int64_t>(segments.size()), scale(), headDim, headDim});
  }

  void backward(const libra::Kernels& kernels, libra::Workers& workers) {
    for (std::vector<float>* gradient : {&dq, &dk, &dv}) {
      kernels.fill(workers, {gradient->data(), static_cast<int64_t>(gradient->size()), 0});
    }
    kernels.attentionDelta(workers, {out.data(), dOut.data(), delta.data(),
                                     static_cast<int64_t>(delta.size()), headDim});
    kernels.attentionBackward(
        workers, {q.data(), k.data(), v.data(), dOut.data(), logSumExp.data(), delta.data(),
                  dq.data(), dk.data(), dv.data(), segments.data(),
                  static_cast<int64_t>(segments.size()), scale(), headDim, headDim});
  }

  float scale() const { return 1 / std::sqrt(static_cast<float>(headDim)); }
};

class Server {
 public:
  void answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "peak") {
      int threads;
      words >> threads;
      std::cout << peakAnswer(pool_(threads)) << std::endl;
    } else {
      run(words, line);
    }
  }

 private:
  void run(std::istream& words, const std::string& key) {
    std::string dtype, pass;
    words >> dtype >> pass;
    std::unique_ptr<Problem>& problem = problems_[key];
    const bool first = problem == nullptr;
    if (first) problem = std::make_unique<Problem>(words);
    const int threads = std::stoi(key.substr(key.rfind(' ') + 1));
    const bool backward = pass == "forward+backward";
    const auto once = [&] {
      problem->forward(libra::kernels(), pool_(threads));
      if (backward) problem->backward(libra::kernels(), pool_(threads));
    };
    if (first) once();  // touches the pages
    std::cout << timedAnswer(once, problem->flops * (backward ? 3.5 : 1), threads) << std::endl;
  }

  Pool pool_;
  std::map<std::string, std::unique_ptr<Problem>> problems_;
};

}  // namespace
}  // namespace bench

int main() {
  std::cout.precision(10);
  bench::Server server;
  for (std::string line; std::getline(std::cin, line);) server.answer(line);
}
