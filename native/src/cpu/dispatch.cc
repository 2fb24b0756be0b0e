#include "dispatch.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace libra {
namespace {

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
      found.push_back(&cpu::avx512::table);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
      found.push_back(&cpu::avx2::table);
    }
#endif
    found.push_back(&cpu::base::table);
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
