#include "dnnl-linear.h"

#ifdef LIBRA_DNNL
#include <omp.h>

#include <dnnl.hpp>
#include <map>

namespace bench {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine only(dnnl::engine::kind::cpu, 0);
  return only;
}

memory wrap(int64_t rows, int64_t columns, bool transposed, memory::data_type type, void* data) {
  const auto tag = transposed ? memory::format_tag::ba : memory::format_tag::ab;
  return memory({{rows, columns}, type, tag}, engine(), data);
}

}  // namespace

bool hasDnnl() { return true; }

void dnnlLinear(const std::string& pass, bool bfloat16, int64_t tokens, int64_t inputs,
                int64_t outputs, void* x, void* weight, void* y, int threads) {
  omp_set_num_threads(threads);
  const auto type = bfloat16 ? memory::data_type::bf16 : memory::data_type::f32;
  memory a, b, c;
  if (pass == "forward") {
    a = wrap(tokens, inputs, false, type, x);
    b = wrap(inputs, outputs, true, type, weight);
    c = wrap(tokens, outputs, false, type, y);
  } else if (pass == "input") {
    a = wrap(tokens, outputs, false, type, y);
    b = wrap(outputs, inputs, false, type, weight);
    c = wrap(tokens, inputs, false, type, x);
  } else {
    a = wrap(outputs, tokens, true, type, y);
    b = wrap(tokens, inputs, false, type, x);
    c = wrap(outputs, inputs, false, memory::data_type::f32, weight);
  }
  // oneDNN keeps made primitives: only the first call of a shape compiles.
  const dnnl::matmul::desc description(a.get_desc(), b.get_desc(), c.get_desc());
  dnnl::matmul product(dnnl::matmul::primitive_desc(description, engine()));
  dnnl::stream stream(engine());
  product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
  stream.wait();
}

}  // namespace bench

#else

namespace bench {

bool hasDnnl() { return false; }
void dnnlLinear(const std::string&, bool, int64_t, int64_t, int64_t, void*, void*, void*, int) {}

}  // namespace bench

#endif
