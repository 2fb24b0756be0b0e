#include "core/element.h"

#include <algorithm>
#include <cstring>

namespace libra {

const char* nameOf(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return "float32";
    case ElementType::int32:
      return "int32";
    case ElementType::float64:
      return "float64";
    case ElementType::bfloat16:
      return "bfloat16";
  }
  return "unknown";
}

int64_t elementBytes(ElementType type) {
  switch (type) {
    case ElementType::bfloat16:
      return 2;
    case ElementType::float64:
      return 8;
    default:
      return 4;
  }
}

void takeIn(ElementType type, const void* from, char* to, int64_t count) {
  if (count == 0) return;
  if (type == ElementType::bfloat16) {
    const auto* wide = static_cast<const float*>(from);
    std::transform(wide, wide + count, reinterpret_cast<Bfloat16*>(to), narrowed);
  } else {
    std::memcpy(to, from, static_cast<size_t>(count * elementBytes(type)));
  }
}

void giveOut(ElementType type, const char* from, void* to, int64_t count) {
  if (count == 0) return;
  if (type == ElementType::bfloat16) {
    const auto* narrow = reinterpret_cast<const Bfloat16*>(from);
    std::transform(narrow, narrow + count, static_cast<float*>(to), widened);
  } else {
    std::memcpy(to, from, static_cast<size_t>(count * elementBytes(type)));
  }
}

}  // namespace libra
