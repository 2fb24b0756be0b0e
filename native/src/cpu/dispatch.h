// The tables that this build holds.
#pragma once

#include "libra/kernels.h"

namespace libra::cpu {

namespace base {
extern const Kernels table;
}
#ifdef LIBRA_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

}  // namespace libra::cpu
