// The tables that this build holds.
#pragma once

#include "isa.h"
#include "libra/kernels.h"

namespace libra::cpu {

namespace LIBRA_BASE_SET {
extern const Kernels table;
}
#ifdef LIBRA_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
/// What AVX-512 does better where it has products of bfloat16 pairs.
namespace avx512bf16 {
void linearBfloat16(Workers&, const LinearBfloat16Arguments&);
void linearBfloat16Wide(Workers&, const LinearBfloat16WideArguments&);
void linearBackwardInputBfloat16(Workers&, const LinearBackwardInputBfloat16Arguments&);
void linearBackwardWeightBfloat16(Workers&, const LinearBackwardWeightBfloat16Arguments&);
void rmsNormBfloat16(Workers&, const RmsNormBfloat16Arguments&);
void rmsNormBackwardBfloat16(Workers&, const RmsNormBackwardBfloat16Arguments&);
void ropeBfloat16(Workers&, const RopeBfloat16Arguments&);
void swigluBfloat16(Workers&, const SwigluBfloat16Arguments&);
void swigluBackwardBfloat16(Workers&, const SwigluBackwardBfloat16Arguments&);
void addBfloat16(Workers&, const AddBfloat16Arguments&);
void attentionForwardBfloat16(Workers&, const AttentionForwardBfloat16Arguments&);
void attentionBackwardBfloat16(Workers&, const AttentionBackwardBfloat16Arguments&);
}  // namespace avx512bf16
#endif

}  // namespace libra::cpu
