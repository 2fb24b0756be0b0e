#include "addon/bind.h"

namespace libra::addon {
namespace {

template <class Element>
std::vector<int64_t> widened(const Napi::TypedArray& array) {
  const auto typed = array.As<Napi::TypedArrayOf<Element>>();
  return {typed.Data(), typed.Data() + typed.ElementLength()};
}

}  // namespace

std::vector<int64_t> columnOf(const Napi::Value& value) {
  if (value.IsTypedArray()) {
    const auto array = value.As<Napi::TypedArray>();
    switch (array.TypedArrayType()) {
      case napi_int32_array:
        return widened<int32_t>(array);
      case napi_uint32_array:
        return widened<uint32_t>(array);
      case napi_uint8_array:
        return widened<uint8_t>(array);
      case napi_float64_array:
        return widened<double>(array);
      default:
        break;
    }
  }
  throw Napi::TypeError::New(value.Env(),
                             "Expected an Int32Array, Uint32Array, Uint8Array or Float64Array");
}

}  // namespace libra::addon
