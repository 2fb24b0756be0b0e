// Times attention and the machine's peaks on request: packages/runtime/bench/attention.bench.mjs
// asks, so that trials can alternate with those of other programs.
//
// Reads one request a line, answers one JSON object a line:
//   peak THREADS                                            {"fp32", "bf16", "foreign"}
//   run DTYPE PASS LENGTHS QUERYHEADS KVHEADS HEADDIM THREADS
//                                                           {"seconds", "flops", "foreign"}
// DTYPE: float32 or bfloat16; PASS: forward, backward or forward+backward; LENGTHS: documents,
// separated by commas.
#include <iostream>
#include <memory>

#include "attention-problem.h"
#include "timing.h"

namespace bench {
namespace {

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
      run(words);
    }
  }

 private:
  void run(std::istream& words) {
    std::string dtype, pass;
    words >> dtype >> pass;
    const AttentionShape shape(words);
    int threads;
    words >> threads;
    AttentionProblem& problem = find(dtype, shape);
    libra::Workers& workers = pool_(threads);
    const bool forward = pass != "backward";
    const bool backward = pass != "forward";
    const auto once = [&] {
      if (forward) problem.forward(workers);
      if (backward) problem.backward(workers);
    };
    const double passes = (forward ? 1 : 0) + (backward ? 2.5 : 0);
    std::cout << timedAnswer(once, shape.flops() * passes, threads) << std::endl;
  }

  /// The last problem is kept; a new one has run once, which touches its pages.
  AttentionProblem& find(const std::string& dtype, const AttentionShape& shape) {
    if (problem_ == nullptr || dtype != dtype_ || !(shape == shape_)) {
      problem_.reset();
      problem_ = dtype == "float32" ? make<float>(shape) : make<libra::Bfloat16>(shape);
      dtype_ = dtype;
      shape_ = shape;
      problem_->forward(pool_(1));
      problem_->backward(pool_(1));
    }
    return *problem_;
  }

  template <class Element>
  static std::unique_ptr<AttentionProblem> make(const AttentionShape& shape) {
    return std::make_unique<AttentionProblemOf<Element>>(shape);
  }

  Pool pool_;
  std::string dtype_;
  AttentionShape shape_;
  std::unique_ptr<AttentionProblem> problem_;
};

}  // namespace
}  // namespace bench

int main() {
  std::cout.precision(10);
  bench::Server server;
  for (std::string line; std::getline(std::cin, line);) server.answer(line);
}
