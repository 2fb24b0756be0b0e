// oneDNN's matrix products on the layouts of a linear layer; a peer of the benchmark only.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

/// Whether the build found oneDNN.
bool hasDnnl();

/// pass "forward": y[T,N] = x[T,K] · weight[N,K]ᵀ; "input": x = y · weight; "weight": weight = yᵀ ·
/// x.
/// bfloat16: x, weight and y hold bfloat16, except that the weight's gradient is float.
void dnnlLinear(const std::string& pass, bool bfloat16, int64_t tokens, int64_t inputs,
                int64_t outputs, void* x, void* weight, void* y, int threads);

}  // namespace bench
