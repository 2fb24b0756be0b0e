#include "dispatch.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace libra {
namespace {

#ifdef LIBRA_X86
bool multipliesPairs() {
  const char* wanted = std::getenv("LIBRA_BF16");
  if (wanted != nullptr && std::string_view(wanted) == "convert") return false;
  return __builtin_cpu_supports("avx512bf16");
}

const Kernels& avx512() {
  static const Kernels table = [] {
    Kernels kernels = cpu::avx512::table;
    if (multipliesPairs()) {
      kernels.bfloat16 = "dot";
      kernels.linearBfloat16 = cpu::avx512bf16::linearBfloat16;
      kernels.linearBfloat16Wide = cpu::avx512bf16::linearBfloat16Wide;
      kernels.linearBackwardInputBfloat16 = cpu::avx512bf16::linearBackwardInputBfloat16;
      kernels.linearBackwardWeightBfloat16 = cpu::avx512bf16::linearBackwardWeightBfloat16;
      kernels.rmsNormBfloat16 = cpu::avx512bf16::rmsNormBfloat16;
      kernels.rmsNormBackwardBfloat16 = cpu::avx512bf16::rmsNormBackwardBfloat16;
      kernels.ropeBfloat16 = cpu::avx512bf16::ropeBfloat16;
      kernels.swigluBfloat16 = cpu::avx512bf16::swigluBfloat16;
      kernels.swigluBackwardBfloat16 = cpu::avx512bf16::swigluBackwardBfloat16;
      kernels.addBfloat16 = cpu::avx512bf16::addBfloat16;
      kernels.attentionForwardBfloat16 = cpu::avx512bf16::attentionForwardBfloat16;
      kernels.attentionBackwardBfloat16 = cpu::avx512bf16::attentionBackwardBfloat16;
    }
    return kernels;
  }();
  return table;
}
#endif

/// Tables that this machine can run, widest first.
const std::vector<const Kernels*>& available() {
  static const std::vector<const Kernels*> tables = [] {
    std::vector<const Kernels*> found;
#ifdef LIBRA_X86
    __builtin_cpu_init();
    // Clang and GCC accept literals only. The names are those of x86-64-v4 and v3.
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      found.push_back(&avx512());
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
      found.push_back(&cpu::avx2::table);
    }
#endif
    found.push_back(&cpu::LIBRA_BASE_SET::table);
    return found;
  }();
  return tables;
}

const Kernels& chooseDefault() {
  const char* wanted = std::getenv("LIBRA_ISA");
  return wanted == nullptr || *wanted == 0 ? *available().front() : kernels(wanted);
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = chooseDefault();
  return chosen;
}

const Kernels& kernels(std::string_view instructionSet) {
  for (const Kernels* table : available()) {
    if (instructionSet == table->instructionSet) return *table;
  }
  throw std::invalid_argument("Expected one of " + std::string(instructionSets()) +
                              " for the instruction set (LIBRA_ISA) but received " +
                              std::string(instructionSet));
}

std::string_view instructionSets() {
  static const std::string names = [] {
    std::string list;
    for (const Kernels* table : available()) {
      if (!list.empty()) list += ' ';
      list += table->instructionSet;
    }
    return list;
  }();
  return names;
}

}  // namespace libra
