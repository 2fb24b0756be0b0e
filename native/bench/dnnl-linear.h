// oneDNN's matrix products on the layouts of a linear layer; a peer of the benchmark only.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

/// Whether the build found oneDNN.
bool hasDnnl();

/// pass "forward": y[T,N] = x[T,K] · weight[N,K]ᵀ; "input": x = y · weight; "weight": weight = yᵀ ·
/// x.
void dnnlLinear(const std::string& pass, int64_t tokens, int64_t inputs, int64_t outputs, float* x,
                float* weight, float* y, int threads);

}  // namespace bench
