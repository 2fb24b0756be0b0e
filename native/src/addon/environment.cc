#include "addon/environment.h"

#include <utility>

namespace libra::addon {
namespace {

// A worker thread that is terminated: what runs ends, what is queued is dropped. In other cases
// the listener of the process's exit event has drained before.
constexpr double drainMs = 0;

void close(EnvironmentData* data) {
  // From here on no JavaScript value may be made: completions see that it is gone.
  libra_environment* environment = std::exchange(data->environment, nullptr);
  libra_environment_drain(environment, drainMs);
  libra_environment_release(environment);
}

}  // namespace

EnvironmentData& dataOf(Napi::Env env) { return *env.GetInstanceData<EnvironmentData>(); }

Napi::Value errorOf(Napi::Env env, const FaultCopy& fault) {
  const EnvironmentData& data = dataOf(env);
  if (data.errorClass.IsEmpty()) {
    auto error = Napi::Error::New(env, fault.message).Value();
    error.Set("code", fault.code);
    return error;
  }
  auto json = env.Global().Get("JSON").As<Napi::Object>();
  auto parse = json.Get("parse").As<Napi::Function>();
  auto options = Napi::Object::New(env);
  options.Set("details", parse.Call(json, {Napi::String::New(env, fault.details)}));
  return data.errorClass.New(
      {Napi::String::New(env, fault.code), Napi::String::New(env, fault.message), options});
}

void throwLastFault(Napi::Env env) {
  throw Napi::Error(env, errorOf(env, FaultCopy(*libra_last_fault())));
}

void setUp(Napi::Env env) {
  auto* data = new EnvironmentData;
  data->environment = libra_environment_create();
  data->thread = std::this_thread::get_id();
  env.SetInstanceData(data);
  auto nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  data->completed = Napi::ThreadSafeFunction::New(env, nothing, "libra", 0, 1);
  data->completed.Unref(env);
  // Hooks run last in, first out: this one before the thread-safe function is torn down.
  env.AddCleanupHook(close, data);
}

}  // namespace libra::addon
