#include "pages.h"

#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace libra {
namespace {

constexpr size_t alignment = 64;
constexpr size_t hugePage = size_t{2} << 20;
// Below this the edges of huge pages would waste a good part.
constexpr size_t large = 2 * hugePage;

}  // namespace

void* allocatePages(size_t bytes) {
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  // Not aligned_alloc, whose sizes must be multiples of the alignment.
  void* memory = nullptr;
  if (posix_memalign(&memory, rounded < large ? alignment : hugePage, rounded) != 0) return nullptr;
#ifdef __linux__
  // A hint for whole huge pages alone; what follows the last one is not ours to advise.
  if (rounded >= large) madvise(memory, rounded / hugePage * hugePage, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace libra
