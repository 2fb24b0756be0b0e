// Linear layers of bfloat16 in the machine's products of pairs.
#include "kernel-list.h"
#include "linear-passes.h"

namespace libra::cpu::LIBRA_SET {

void linearBfloat16(Workers& workers, const LinearBfloat16Arguments& l) {
  multiplyForward<Pair>(workers, l);
}
void linearBfloat16Wide(Workers& workers, const LinearBfloat16WideArguments& l) {
  multiplyForward<Pair>(workers, l);
}
void linearBackwardInputBfloat16(Workers& workers, const LinearBackwardInputBfloat16Arguments& l) {
  multiplyBackwardInput<Pair>(workers, l);
}
void linearBackwardWeightBfloat16(Workers& workers,
                                  const LinearBackwardWeightBfloat16Arguments& l) {
  multiplyBackwardWeight<Pair>(workers, l);
}

}  // namespace libra::cpu::LIBRA_SET
