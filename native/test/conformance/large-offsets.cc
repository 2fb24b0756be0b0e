// Offsets beyond 2^31 elements: 32-bit arithmetic would read and write finite but wrong places.
//
// The tensors are address space only: a few pages of them are ever touched.
#include <sys/mman.h>

#include "attention-call.h"
#include "case.h"
#include "checks.h"

namespace conformance {
namespace {

/// Zeros that take memory only where they are written; null when the system refuses.
class Sparse {
 public:
  explicit Sparse(int64_t floats) : bytes_(static_cast<size_t>(floats) * 4) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = memory == MAP_FAILED ? nullptr : static_cast<float*>(memory);
  }
  ~Sparse() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  float* data() { return data_; }

 private:
  size_t bytes_;
  float* data_;
};

constexpr int64_t width = 9728;
constexpr int64_t farRow = 225304;  // farRow · width = 2,191,757,312 > 2^31

void checkRows(const Kernels& kernels, Workers& workers, Checks& checks, float* table) {
  for (int64_t i = 0; i < width; ++i) table[farRow * width + i] = static_cast<float>(i);
  const int32_t ids[] = {static_cast<int32_t>(farRow), 0};
  Buffer out(2 * width);
  kernels.embedding(workers, {ids, table, out.data(), 2, farRow + 1, width});
  checks.holds("embedding far into the table", out[5] == 5 && out[width + 5] == 0);
  const libra::VectorBlock block{farRow, 1, 1, 1};
  Buffer packed(width);
  kernels.gatherVectors(workers, {table, packed.data(), &block, 1, width});
  checks.holds("gather from far", packed[7] == 7);
  const Buffer ones(width, 1);
  const libra::VectorRun run{0, farRow, 1, 1};
  kernels.accumulateVectors(workers, {ones.data(), table, &run, 1, width});
  checks.holds("sum into far", table[farRow * width + 7] == 8);
}

void checkAttention(const Kernels& kernels, Workers& workers, Checks& checks, float* far) {
  const int64_t dim = 64, rows = 60, offset = (int64_t{1} << 31) / dim + 3;
  AttentionCall call(rows, rows, dim, dim, 0.125f);
  Random random(3);
  for (Buffer* buffer : {&call.q, &call.k, &call.v, &call.dOut}) random.fill(*buffer);
  const libra::AttentionSegment near{0, 1, 1, rows, 0, 1, rows, true};
  call.forward(kernels, workers, {near});
  call.computeDelta(kernels, workers);
  call.backward(kernels, workers, {near});
  // The same keys and queries, far away in one address range.
  float* place = far + offset * dim;
  std::copy(call.q.data(), call.q.data() + rows * dim, place);
  std::copy(call.k.data(), call.k.data() + rows * dim, place + rows * dim);
  std::copy(call.v.data(), call.v.data() + rows * dim, place + 2 * rows * dim);
  Buffer out(rows * dim), logSumExp(rows);
  const libra::AttentionSegment segment{offset, 1, 1, rows, offset, 1, rows, true};
  kernels.attentionForward(workers,
                           {far, far + rows * dim, far + 2 * rows * dim, out.data() - offset * dim,
                            logSumExp.data() - offset, &segment, 1, call.scale, dim, dim});
  checks.holds("attention far into its tensors", out.sameBits(call.out));
}

}  // namespace

int checkLargeOffsets(const Kernels& kernels, Workers& workers) {
  Checks checks(kernels.instructionSet);
  Sparse sparse((farRow + 1) * width);
  if (sparse.data() == nullptr) {
    std::printf("skipped: no address space for offsets above 2^31\n");
    return 0;
  }
  checkRows(kernels, workers, checks, sparse.data());
  checkAttention(kernels, workers, checks, sparse.data());
  return checks.failures();
}

}  // namespace conformance
