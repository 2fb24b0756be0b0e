// Turning a call of libra.h into a kernel call on a stream.
#pragma once

#include <memory>
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
  /// Null when the tensor is not given.
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

template <class Arguments>
void enqueue(libra_stream* handle, const char* kind, Kernel<Arguments> kernel, Tensors& tensors,
             const Arguments& arguments) {
  Stream& stream = *handle->stream;
  World& world = stream.world();
  const auto function = world.kernels().*kernel;
  stream.enqueue(
      std::make_unique<KernelCall>(kind, world.workers(stream.rank()),
                                   [function, arguments, held = tensors.take()](Workers& workers) {
                                     function(workers, arguments);
                                   }));
}

}  // namespace libra::api
