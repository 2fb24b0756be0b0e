// Rows of a table by id, and the table's gradient.
#include "bfloat16.h"
#include "errors.h"
#include "kernel-list.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

void checkIds(const int32_t* ids, int64_t tokens, int64_t vocabulary) {
  for (int64_t t = 0; t < tokens; ++t) {
    if (ids[t] < 0 || ids[t] >= vocabulary) throwOutside("ids", t, ids[t], vocabulary);
  }
}

template <class Element>
void takeRows(Workers& workers, const EmbeddingOf<Element>& a) {
  checkIds(a.ids, a.tokens, a.vocabulary);
  forRanges(workers, a.tokens, rowsOfTask(a.width), [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      __builtin_memcpy(a.out + t * a.width, a.table + a.ids[t] * a.width,
                       sizeof(Element) * a.width);
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
