// Rows of a table by id, and the table's gradient.
#include "errors.h"
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

void checkIds(const int32_t* ids, int64_t tokens, int64_t vocabulary) {
  for (int64_t t = 0; t < tokens; ++t) {
    if (ids[t] < 0 || ids[t] >= vocabulary) throwOutside("ids", t, ids[t], vocabulary);
  }
}

/// A row, bits unchanged, past the caches; `next` is asked for meanwhile.
template <class Element>
LIBRA_INLINE void copyPast(const Element* from, Element* to, int64_t width, const Element* next) {
  const int64_t floats = width * static_cast<int64_t>(sizeof(Element)) / 4;
  const float* words = reinterpret_cast<const float*>(from);
  mapElements(0, floats, true, [&](auto place) LIBRA_LAMBDA {
    place.fetch(reinterpret_cast<const float*>(next), 0);
    place.write(reinterpret_cast<float*>(to), place.read(words));
  });
}

template <class Element>
void takeRows(Workers& workers, const EmbeddingOf<Element>& a) {
  checkIds(a.ids, a.tokens, a.vocabulary);
  constexpr int64_t vector = LIBRA_VECTOR_BYTES / sizeof(Element);
  const bool passing = passes(a.out, a.tokens * a.width) && a.width % vector == 0 &&
                       reinterpret_cast<uintptr_t>(a.out) % LIBRA_VECTOR_BYTES == 0;
  forRanges(workers, a.tokens, rowsOfTask(a.width), [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      const Element* from = a.table + a.ids[t] * a.width;
      Element* to = a.out + t * a.width;
      if (!passing) {
        __builtin_memcpy(to, from, sizeof(Element) * a.width);
        continue;
      }
      // Rows lie anywhere: the machine's own prefetcher does not find the next one.
      const Element* next = a.table + a.ids[t + 1 < a.tokens ? t + 1 : t] * a.width;
      copyPast(from, to, a.width, next);
    }
  });
}

/// A task owns a range of ids and walks over all tokens, so that equal ids add in token order.
template <class Element>
void addRows(Workers& workers, const EmbeddingBackwardOf<Element>& a) {
  checkIds(a.ids, a.tokens, a.vocabulary);
  const int64_t tasks = 4 * static_cast<int64_t>(workers.threads());
  const int64_t grain = (a.vocabulary + tasks - 1) / tasks;
  forRanges(workers, a.vocabulary, grain < 1 ? 1 : grain, [&](int64_t first, int64_t last) {
    if (!a.accumulate) {
      __builtin_memset(a.dTable + first * a.width, 0, sizeof(float) * (last - first) * a.width);
    }
    for (int64_t t = 0; t < a.tokens; ++t) {
      if (a.ids[t] < first || a.ids[t] >= last) continue;
      const Element* from = a.dOut + t * a.width;
      float* to = a.dTable + a.ids[t] * a.width;
      for (int64_t i = 0; i < a.width; ++i) to[i] += widened(from[i]);
    }
  });
}

}  // namespace

void embedding(Workers& workers, const EmbeddingArguments& a) { takeRows(workers, a); }
void embeddingBfloat16(Workers& workers, const EmbeddingBfloat16Arguments& a) {
  takeRows(workers, a);
}

void embeddingBackward(Workers& workers, const EmbeddingBackwardArguments& a) {
  addRows(workers, a);
}
void embeddingBackwardBfloat16(Workers& workers, const EmbeddingBackwardBfloat16Arguments& a) {
  addRows(workers, a);
}

}  // namespace libra::cpu::LIBRA_SET
