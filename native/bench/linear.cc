// Times linear layers on request: packages/runtime/bench/linear.bench.mjs asks.
//
// Reads one request a line, answers one JSON object a line:
//   has                                                  {"dnnl"}: whether oneDNN is built in
//   peak THREADS                                         {"fp32", "bf16", "foreign"}
//   run PROGRAM DTYPE PASS TOKENS INPUTS OUTPUTS THREADS {"seconds", "flops", "foreign"}
// PROGRAM: libra or dnnl; PASS: forward, input or weight (the two gradients).
#include <bit>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

#include "dnnl-linear.h"
#include "libra/kernels.h"
#include "page-vector.h"
#include "timing.h"

namespace bench {
namespace {

using libra::Bfloat16;

/// Tensors of one layer; they are as large for bfloat16, of which they then hold the first half.
struct Layer {
  int64_t tokens, inputs, outputs;
  bool bfloat16;
  PageVector<float> x, weight, y;

  Layer(int64_t tokens, int64_t inputs, int64_t outputs, bool bfloat16)
      : tokens(tokens),
        inputs(inputs),
        outputs(outputs),
        bfloat16(bfloat16),
        x(tokens * inputs),
        weight(outputs * inputs),
        y(tokens * outputs) {
    std::minstd_rand engine(1);
    for (auto* tensor : {&x, &weight, &y}) {
      for (int64_t i = 0; i < static_cast<int64_t>(tensor->size()); ++i) {
        const float value = static_cast<float>(engine() % 2001) / 1000 - 1;
        if (bfloat16) {
          reinterpret_cast<Bfloat16*>(tensor->data())[i].bits =
              static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
        } else {
          (*tensor)[i] = value;
        }
      }
    }
  }

  template <class Element, class Forward, class Input, class Weight>
  void run(libra::Workers& workers, const std::string& pass, Forward forward, Input input,
           Weight weightGradient) {
    Element* in = reinterpret_cast<Element*>(x.data());
    Element* matrix = reinterpret_cast<Element*>(weight.data());
    Element* out = reinterpret_cast<Element*>(y.data());
    if (pass == "forward") {
      forward(workers, {.x = in,
                        .weight = matrix,
                        .out = out,
                        .rows = tokens,
                        .in = inputs,
                        .outputs = outputs});
    } else if (pass == "input") {
      input(workers, {out, matrix, in, tokens, inputs, outputs});
    } else {
      weightGradient(workers, {out, in, weight.data(), tokens, inputs, outputs});
    }
  }

  void run(libra::Workers& workers, const std::string& pass) {
    const libra::Kernels& k = libra::kernels();
    if (bfloat16) {
      run<Bfloat16>(workers, pass, k.linearBfloat16, k.linearBackwardInputBfloat16,
                    k.linearBackwardWeightBfloat16);
    } else {
      run<float>(workers, pass, k.linear, k.linearBackwardInput, k.linearBackwardWeight);
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
        layer_->outputs != outputs || layer_->bfloat16 != (dtype == "bfloat16")) {
      layer_.reset();
      layer_ = std::make_unique<Layer>(tokens, inputs, outputs, dtype == "bfloat16");
      for (std::string& program : last_) program.clear();
    }
    Layer& l = *layer_;
    const double flops = 2.0 * static_cast<double>(tokens) * static_cast<double>(inputs * outputs);
    const auto once = [&] {
      if (program == "libra") {
        l.run(pool_(threads), pass);
      } else {
        dnnlLinear(pass, l.bfloat16, l.tokens, l.inputs, l.outputs, l.x.data(), l.weight.data(),
                   l.y.data(), threads);
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
