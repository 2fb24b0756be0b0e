// Turns a function of libra.h into a JavaScript function.
//
// Arguments are taken in order: a handle, a number, a boolean, a string, a typed array for a
// libra_column; a libra_tensor takes two, the storage (or null) and the offset in bytes. The
// environment is not an argument, a trailing handle** becomes the result.
#pragma once

#include <napi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "addon/environment.h"
#include "libra/libra.h"

namespace libra::addon {

/// A handle of libra.h inside a JavaScript external value.
template <class Handle>
struct HandleType;  // name and release, one per handle

#define LIBRA_HANDLE(type, releaseFunction)                        \
  template <>                                                      \
  struct HandleType<type> {                                        \
    static constexpr const char* name = #type;                     \
    static void release(type* handle) { releaseFunction(handle); } \
  };
LIBRA_HANDLE(libra_world, libra_world_release)
LIBRA_HANDLE(libra_stream, libra_stream_release)
LIBRA_HANDLE(libra_event, libra_event_release)
LIBRA_HANDLE(libra_communicator, libra_communicator_release)
LIBRA_HANDLE(libra_storage, libra_storage_destroy)
LIBRA_HANDLE(libra_block_list, libra_block_list_release)
LIBRA_HANDLE(libra_vector_blocks, libra_vector_blocks_release)
LIBRA_HANDLE(libra_vector_runs, libra_vector_runs_release)
LIBRA_HANDLE(libra_segments, libra_segments_release)
#undef LIBRA_HANDLE

struct Boxed {
  const char* name;
  void* handle;
};

template <class Handle>
Napi::Value box(Napi::Env env, Handle* handle) {
  return Napi::External<Boxed>::New(
      env, new Boxed{HandleType<Handle>::name, handle}, [](Napi::Env, Boxed* boxed) {
        HandleType<Handle>::release(static_cast<Handle*>(boxed->handle));
        delete boxed;
      });
}

template <class Handle>
Handle* unbox(const Napi::Value& value) {
  if (value.IsExternal()) {
    const Boxed* boxed = value.As<Napi::External<Boxed>>().Data();
    if (boxed->name == HandleType<Handle>::name) return static_cast<Handle*>(boxed->handle);
  }
  throw Napi::TypeError::New(value.Env(),
                             std::string("Expected a native ") + HandleType<Handle>::name);
}

/// Any numeric typed array as 64-bit integers.
std::vector<int64_t> columnOf(const Napi::Value& value);

/// Reads a call's arguments and owns what the C arguments point to.
class Reader {
 public:
  explicit Reader(const Napi::CallbackInfo& info) : info_(info) {}

  template <class Type>
  Type take() {
    if constexpr (std::is_same_v<Type, libra_environment*>) {
      return dataOf(info_.Env()).environment;
    } else if constexpr (std::is_same_v<Type, libra_tensor>) {
      const Napi::Value storage = next();
      const int64_t offset = next().As<Napi::Number>().Int64Value();
      return {storage.IsNull() ? nullptr : unbox<libra_storage>(storage), offset};
    } else if constexpr (std::is_same_v<Type, libra_column>) {
      const auto& values = columns_.emplace_back(columnOf(next()));
      return {values.data(), static_cast<int64_t>(values.size())};
    } else if constexpr (std::is_same_v<Type, const char*>) {
      return strings_.emplace_back(next().As<Napi::String>().Utf8Value()).c_str();
    } else if constexpr (std::is_same_v<Type, double>) {
      return number().DoubleValue();
    } else if constexpr (std::is_same_v<Type, int64_t>) {
      return number().Int64Value();
    } else if constexpr (std::is_same_v<Type, int>) {
      const Napi::Value value = next();
      if (value.IsBoolean()) return value.As<Napi::Boolean>().Value() ? 1 : 0;
      if (!value.IsNumber()) throw Napi::TypeError::New(info_.Env(), "Expected a number");
      return value.As<Napi::Number>().Int32Value();
    } else if constexpr (std::is_pointer_v<std::remove_pointer_t<Type>>) {
      return nullptr;  // the result, filled by the caller
    } else {
      return unbox<std::remove_pointer_t<Type>>(next());
    }
  }

 private:
  Napi::Value next() { return info_[next_++]; }
  Napi::Number number() {
    const Napi::Value value = next();
    if (!value.IsNumber()) throw Napi::TypeError::New(info_.Env(), "Expected a number");
    return value.As<Napi::Number>();
  }
  const Napi::CallbackInfo& info_;
  size_t next_ = 0;
  std::deque<std::vector<int64_t>> columns_;
  std::deque<std::string> strings_;
};

template <class Type>
constexpr bool isResult = std::is_pointer_v<Type> && std::is_pointer_v<std::remove_pointer_t<Type>>;

template <auto Function>
struct Bound;

template <class Result, class... Arguments, Result (*Function)(Arguments...)>
struct Bound<Function> {
  static Napi::Value call(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Reader reader(info);
    std::tuple<Arguments...> arguments{reader.take<Arguments>()...};
    if constexpr ((isResult<Arguments> || ...)) {
      using Handle = std::remove_pointer_t<std::remove_pointer_t<
          std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>>;
      Handle* handle = nullptr;
      std::get<sizeof...(Arguments) - 1>(arguments) = &handle;
      check(env, std::apply(Function, arguments));
      return box(env, handle);
    } else if constexpr (std::is_same_v<Result, libra_status>) {
      check(env, std::apply(Function, arguments));
      return env.Undefined();
    } else if constexpr (std::is_void_v<Result>) {
      std::apply(Function, arguments);
      return env.Undefined();
    } else if constexpr (std::is_same_v<Result, const char*>) {
      return Napi::String::New(env, std::apply(Function, arguments));
    } else {
      return Napi::Number::New(env, static_cast<double>(std::apply(Function, arguments)));
    }
  }
};

}  // namespace libra::addon
