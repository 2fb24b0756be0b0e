// Between float32 and bfloat16.
#include "bfloat16.h"
#include "kernel-list.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

template <class From, class To>
void convert(Workers& workers, const ConvertOf<From, To>& a) {
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    int64_t i = first;
    for (; i + lanes <= last; i += lanes) store(a.to + i, load(a.from + i));
    for (; i < last; ++i) storeOne(a.to + i, widened(a.from[i]));
  });
}

}  // namespace

void narrow(Workers& workers, const NarrowArguments& a) { convert(workers, a); }
void widen(Workers& workers, const WidenArguments& a) { convert(workers, a); }

}  // namespace libra::cpu::LIBRA_SET
