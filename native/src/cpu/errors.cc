#include "errors.h"

#include <stdexcept>
#include <string>

namespace libra::cpu {

void throwOutside(const char* what, int64_t at, int64_t value, int64_t limit) {
  throw std::out_of_range("Expected an id in [0, " + std::to_string(limit) + ") for " + what + "[" +
                          std::to_string(at) + "] but received " + std::to_string(value));
}

}  // namespace libra::cpu
