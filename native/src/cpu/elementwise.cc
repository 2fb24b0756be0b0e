// Sums, products, fills and copies of whole tensors.
#include "kernel-list.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {

void add(Workers& workers, const AddArguments& a) {
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) a.out[i] = a.a[i] + a.b[i];
  });
}

void scale(Workers& workers, const ScaleArguments& a) {
  const float factor = a.factorTensor == nullptr ? a.factor : a.factor * *a.factorTensor;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) a.out[i] = a.x[i] * factor;
  });
}

void fill(Workers& workers, const FillArguments& a) {
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) a.out[i] = a.value;
  });
}

void copy(Workers& workers, const CopyArguments& a) {
  const char* from = static_cast<const char*>(a.from);
  char* to = static_cast<char*>(a.to);
  forRanges(workers, a.bytes, 4 * taskElements, [&](int64_t first, int64_t last) {
    __builtin_memcpy(to + first, from + first, last - first);
  });
}

}  // namespace libra::cpu::LIBRA_SET
