// Times linear layers on request: packages/runtime/bench/linear.bench.mjs asks.
//
// Reads one request a line, answers one JSON object a line:
//   has                                                  {"dnnl"}: whether oneDNN is built in
//   peak THREADS                                         {"fp32", "bf16", "foreign"}
//   run PROGRAM DTYPE PASS TOKENS INPUTS OUTPUTS THREADS {"seconds", "flops", "foreign"}
// PROGRAM: libra or dnnl; PASS: forward, input or weight (the two gradients).
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

#include "dnnl-linear.h"
#include "libra/kernels.h"
#include "timing.h"

namespace bench {
namespace {

struct Layer {
  int64_t tokens, inputs, outputs;
  std::vector<float> x, weight, y;

  Layer(int64_t tokens, int64_t inputs, int64_t outputs)
      : tokens(tokens),
        inputs(inputs),
        outputs(outputs),
        x(tokens * inputs),
        weight(outputs * inputs),
        y(tokens * outputs) {
    std::minstd_rand engine(1);
    for (auto* tensor : {&x, &weight, &y}) {
      for (float& value : *tensor) value = static_cast<float>(engine() % 2001) / 1000 - 1;
    }
  }

  void run(libra::Workers& workers, const std::string& pass) {
    const libra::Kernels& kernels = libra::kernels();
    if (pass == "forward") {
      kernels.linear(workers, {.x = x.data(),
                               .weight = weight.data(),
                               .out = y.data(),
                               .rows = tokens,
                               .in = inputs,
                               .outputs = outputs});
    } else if (pass == "input") {
      kernels.linearBackwardInput(workers,
                                  {y.data(), weight.data(), x.data(), tokens, inputs, outputs});
    } else {
      kernels.linearBackwardWeight(workers,
                                   {y.data(), x.data(), weight.data(), tokens, inputs, outputs});
    }
  }
};

class Server {
 public:
  void answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "has") {
      std::cout << "{\"dnnl\":" << (hasDnnl() ? "true" : "false") << "}" << std::endl;
    } else if (command == "peak") {
      int threads;
      words >> threads;
      std::cout << peakAnswer(pool_(threads)) << std::endl;
    } else {
      run(words);
    }
  }

 private:
  void run(std::istream& words) {
    std::string program, dtype, pass;
    int64_t tokens, inputs, outputs;
    int threads;
    words >> program >> dtype >> pass >> tokens >> inputs >> outputs >> threads;
    if (layer_ == nullptr || layer_->tokens != tokens || layer_->inputs != inputs ||
        layer_->outputs != outputs) {
      layer_ = std::make_unique<Layer>(tokens, inputs, outputs);
    }
    Layer& l = *layer_;
    const double flops = 2.0 * static_cast<double>(tokens) * static_cast<double>(inputs * outputs);
    const auto once = [&] {
      if (program == "libra") {
        l.run(pool_(threads), pass);
      } else {
        dnnlLinear(pass, l.tokens, l.inputs, l.outputs, l.x.data(), l.weight.data(), l.y.data(),
                   threads);
      }
    };
    // The first run of a program on a layer makes its plans and touches its pages.
    if (const std::string key = program + pass + std::to_string(threads); key != last_[0]) {
      if (key != last_[1]) once();
      last_[1] = std::exchange(last_[0], key);
    }
    std::cout << timedAnswer(once, flops, threads) << std::endl;
  }

  Pool pool_;
  std::unique_ptr<Layer> layer_;
  std::string last_[2];
};

}  // namespace
}  // namespace bench

int main() {
  std::cout.precision(10);
  bench::Server server;
  for (std::string line; std::getline(std::cin, line);) server.answer(line);
}
