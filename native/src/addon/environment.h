// What the addon keeps for one JavaScript environment.
#pragma once

#include <napi.h>

#include <string>
#include <thread>

#include "libra/libra.h"

namespace libra::addon {

struct EnvironmentData {
  libra_environment* environment = nullptr;
  std::thread::id thread;              // JavaScript's
  Napi::FunctionReference errorClass;  // LibraError, once setErrorClass was called
  Napi::ThreadSafeFunction completed;  // brings completions to the JavaScript thread
  int pending = 0;                     // completions not yet delivered: they keep the loop alive
};

EnvironmentData& dataOf(Napi::Env env);

/// A copy of a fault, whose strings the core owns.
struct FaultCopy {
  explicit FaultCopy(const libra_fault& fault)
      : code(fault.code), message(fault.message), details(fault.details) {}
  std::string code, message, details;
};

/// The LibraError of a fault.
Napi::Value errorOf(Napi::Env env, const FaultCopy& fault);

/// Throws what the core's last call on this thread left.
[[noreturn]] void throwLastFault(Napi::Env env);

inline void check(Napi::Env env, libra_status status) {
  if (status != LIBRA_OK) throwLastFault(env);
}

void setUp(Napi::Env env);

}  // namespace libra::addon
