// Work memory of kernels: one growing stack for each thread, kept between calls.
//
//   ScratchFrame frame;
//   float* panel = frame.floats(rows * columns);  // 64-byte aligned, until the frame ends
#pragma once

#include <cstdint>

namespace libra::cpu {

/// Takes memory from the calling thread's stack and gives all of it back at the end of its scope.
/// Frames of one thread nest. Memory may be read and written by other threads meanwhile.
class ScratchFrame {
 public:
  ScratchFrame();
  ~ScratchFrame();
  ScratchFrame(const ScratchFrame&) = delete;
  ScratchFrame& operator=(const ScratchFrame&) = delete;
  /// Uninitialised; throws std::bad_alloc.
  void* bytes(int64_t count);
  float* floats(int64_t count) { return static_cast<float*>(bytes(count * 4)); }
  double* doubles(int64_t count) { return static_cast<double*>(bytes(count * 8)); }

 private:
  int64_t block_;
  int64_t used_;
};

}  // namespace libra::cpu
