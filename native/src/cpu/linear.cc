// Linear layers in products of floats; bfloat16 is widened when it is packed.
#include "kernel-list.h"
#include "linear-passes.h"

namespace libra::cpu::LIBRA_SET {

void linear(Workers& workers, const LinearArguments& l) { multiplyForward<float>(workers, l); }
void linearBackwardInput(Workers& workers, const LinearBackwardInputArguments& l) {
  multiplyBackwardInput<float>(workers, l);
}
void linearBackwardWeight(Workers& workers, const LinearBackwardWeightArguments& l) {
  multiplyBackwardWeight<float>(workers, l);
}

void linearBfloat16(Workers& workers, const LinearBfloat16Arguments& l) {
  multiplyForward<float>(workers, l);
}
void linearBfloat16Wide(Workers& workers, const LinearBfloat16WideArguments& l) {
  multiplyForward<float>(workers, l);
}
void linearBackwardInputBfloat16(Workers& workers, const LinearBackwardInputBfloat16Arguments& l) {
  multiplyBackwardInput<float>(workers, l);
}
void linearBackwardWeightBfloat16(Workers& workers,
                                  const LinearBackwardWeightBfloat16Arguments& l) {
  multiplyBackwardWeight<float>(workers, l);
}

}  // namespace libra::cpu::LIBRA_SET
