// Turning a call of libra.h into a kernel call on a stream.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/api.h"
#include "libra/kernels.h"

namespace libra::api {

/// Checks the tensors of one call and keeps their storages alive until it has run.
class Tensors {
 public:
  float* floats(const libra_tensor& tensor, int64_t elements, const char* name) {
    return reinterpret_cast<float*>(bytes(tensor, elements * 4, name));
  }
  double* doubles(const libra_tensor& tensor, int64_t elements, const char* name) {
    return reinterpret_cast<double*>(bytes(tensor, elements * 8, name));
  }
  int32_t* integers(const libra_tensor& tensor, int64_t elements, const char* name) {
    return reinterpret_cast<int32_t*>(bytes(tensor, elements * 4, name));
  }
  /// In the type of the model: float or Bfloat16.
  template <class Element>
  Element* elements(const libra_tensor& tensor, int64_t elements, const char* name) {
    return reinterpret_cast<Element*>(bytes(tensor, elements * sizeof(Element), name));
  }
  /// Null when the tensor is not given.
  template <class Element>
  Element* optionalElements(const libra_tensor& tensor, int64_t elements, const char* name) {
    return tensor.storage == nullptr ? nullptr : this->elements<Element>(tensor, elements, name);
  }
  float* optionalFloats(const libra_tensor& tensor, int64_t elements, const char* name) {
    return tensor.storage == nullptr ? nullptr : floats(tensor, elements, name);
  }
  char* bytes(const libra_tensor& tensor, int64_t bytes, const char* name) {
    Memory memory = memoryOf(tensor, bytes, name);
    held_.push_back(std::move(memory.storage));
    return memory.data;
  }
  /// Anything else the call reads.
  void hold(std::shared_ptr<const void> other) { held_.push_back(std::move(other)); }
  std::vector<std::shared_ptr<const void>> take() { return std::move(held_); }

 private:
  std::vector<std::shared_ptr<const void>> held_;
};

template <class Arguments>
using Kernel = void (*Kernels::*)(Workers&, const Arguments&);

/// The kernel for tensors of an element type.
template <class Element, class Floats, class Bfloats>
constexpr auto kernelFor(Floats floats, Bfloats bfloats) {
  if constexpr (std::is_same_v<Element, Bfloat16>) {
    return bfloats;
  } else {
    return floats;
  }
}

/// Calls body with a float or a Bfloat16, whose type is that of the model's tensors.
template <class Body>
void withElement(int type, Body body) {
  switch (typeOf(type)) {
    case ElementType::float32:
      return body(float{});
    case ElementType::bfloat16:
      return body(Bfloat16{});
    default:
      throw Error("ARGUMENT", std::string("Expected float32 or bfloat16 for type but received ") +
                                  nameOf(typeOf(type)));
  }
}

/// call(workers) runs in the stream's order.
template <class Call>
void enqueueCall(libra_stream* handle, const char* kind, Tensors& tensors, Call call) {
  Stream& stream = *handle->stream;
  stream.enqueue(std::make_unique<KernelCall>(
      kind, stream.world().workers(stream.rank()),
      [call, held = tensors.take()](Workers& workers) { call(workers); }));
}

template <class Arguments>
void enqueue(libra_stream* handle, const char* kind, Kernel<Arguments> kernel, Tensors& tensors,
             const Arguments& arguments) {
  const auto function = handle->stream->world().kernels().*kernel;
  enqueueCall(handle, kind, tensors,
              [function, arguments](Workers& workers) { function(workers, arguments); });
}

}  // namespace libra::api
