// What every call of libra.h checks of its tensors, columns and types.
#include "core/api.h"

namespace libra::api {

Memory memoryOf(const libra_tensor& tensor, int64_t bytes, const char* name) {
  if (tensor.storage == nullptr) {
    throw Error("ARGUMENT", std::string("Expected a tensor for ") + name + " but received none");
  }
  const auto& storage = tensor.storage->storage;
  if (!storage) {
    throw Error("STATE", std::string("Expected a living tensor for ") + name +
                             " but received one that was freed");
  }
  const int64_t left = static_cast<int64_t>(storage->bytes()) - tensor.offset;
  if (tensor.offset < 0 || bytes < 0 || bytes > left) {
    throw Error("ARGUMENT", "Expected " + std::to_string(bytes) + " bytes for " + name +
                                " but received " + std::to_string(left));
  }
  return {storage, storage->data() + tensor.offset, bytes};
}

ElementType typeOf(int type) {
  switch (type) {
    case LIBRA_FLOAT32:
      return ElementType::float32;
    case LIBRA_INT32:
      return ElementType::int32;
    case LIBRA_FLOAT64:
      return ElementType::float64;
    case LIBRA_BFLOAT16:
      return ElementType::bfloat16;
    default:
      throw Error("ARGUMENT",
                  "Expected an element type for type but received " + std::to_string(type));
  }
}

int64_t sameCount(std::initializer_list<std::pair<const char*, const libra_column*>> columns) {
  const auto& [firstName, first] = *columns.begin();
  for (const auto& [name, column] : columns) {
    if (column->count == first->count) continue;
    throw Error("ARGUMENT", "Expected " + std::to_string(first->count) + " entries (as " +
                                firstName + ") for " + name + " but received " +
                                std::to_string(column->count));
  }
  return first->count;
}

}  // namespace libra::api
