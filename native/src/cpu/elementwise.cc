// Sums, products, fills and copies of whole tensors.
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

template <class Element>
void addElements(Workers& workers, const AddOf<Element>& a) {
  const bool passing = passes(a.out, a.count) && a.out != a.a && a.out != a.b;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapElements(first, last, passing, [&](auto place) LIBRA_LAMBDA {
      place.write(a.out, place.read(a.a) + place.read(a.b));
    });
  });
}

template <class Element>
void fillElements(Workers& workers, const FillOf<Element>& a) {
  const Floats value = splat(a.value);
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapElements(first, last, passes(a.out, a.count),
                [&](auto place) LIBRA_LAMBDA { place.write(a.out, value); });
  });
}

}  // namespace

void add(Workers& workers, const AddArguments& a) { addElements(workers, a); }
void addBfloat16(Workers& workers, const AddBfloat16Arguments& a) { addElements(workers, a); }

void fill(Workers& workers, const FillArguments& a) { fillElements(workers, a); }
void fillBfloat16(Workers& workers, const FillBfloat16Arguments& a) { fillElements(workers, a); }

void scale(Workers& workers, const ScaleArguments& a) {
  const Floats factor = splat(a.factorTensor == nullptr ? a.factor : a.factor * *a.factorTensor);
  const bool passing = passes(a.out, a.count) && a.out != a.x;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapElements(first, last, passing,
                [&](auto place) LIBRA_LAMBDA { place.write(a.out, place.read(a.x) * factor); });
  });
}

void copy(Workers& workers, const CopyArguments& a) {
  const char* from = static_cast<const char*>(a.from);
  char* to = static_cast<char*>(a.to);
  const bool passing = passes(static_cast<float*>(a.to), a.bytes / 4);
  forRanges(workers, a.bytes, 4 * taskElements, [&](int64_t first, int64_t last) {
    if (passing && last - first == 4 * taskElements) {
      mapElements(0, taskElements, true, [&](auto place) LIBRA_LAMBDA {
        place.write(reinterpret_cast<float*>(to + first),
                    place.read(reinterpret_cast<const float*>(from + first)));
      });
    } else {
      __builtin_memcpy(to + first, from + first, last - first);
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
