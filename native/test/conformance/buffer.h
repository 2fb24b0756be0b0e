// Float buffers with guards on both sides, and their double-precision twins.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace conformance {

/// Floats between two zones of NaN: a kernel that reads outside spoils its result, one that writes
/// outside is caught by intact().
class Buffer {
 public:
  explicit Buffer(int64_t count = 0, float value = 0) { resize(count, value); }
  void resize(int64_t count, float value = 0) {
    count_ = count;
    memory_.assign(static_cast<size_t>(count + 2 * guard), guardValue());
    for (int64_t i = 0; i < count; ++i) data()[i] = value;
  }
  float* data() { return memory_.data() + guard; }
  const float* data() const { return memory_.data() + guard; }
  int64_t size() const { return count_; }
  float& operator[](int64_t i) { return data()[i]; }
  float operator[](int64_t i) const { return data()[i]; }
  bool intact() const {
    const float value = guardValue();
    for (int64_t i = 0; i < guard; ++i) {
      if (std::memcmp(&memory_[i], &value, 4) != 0) return false;
      if (std::memcmp(&memory_[count_ + guard + i], &value, 4) != 0) return false;
    }
    return true;
  }
  bool sameBits(const Buffer& other) const {
    return count_ == other.count_ &&
           std::memcmp(data(), other.data(), static_cast<size_t>(count_) * 4) == 0;
  }
  std::vector<double> widened() const { return {data(), data() + count_}; }

 private:
  static constexpr int64_t guard = 64;
  static float guardValue() { return std::numeric_limits<float>::quiet_NaN(); }
  /// Aligned as kernels' tensors are, so that their aligned paths run.
  template <class T>
  struct Aligned {
    using value_type = T;
    T* allocate(size_t count) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* memory, size_t) { ::operator delete(memory, std::align_val_t{64}); }
    friend bool operator==(Aligned, Aligned) { return true; }
  };
  std::vector<float, Aligned<float>> memory_;
  int64_t count_ = 0;
};

/// Seeded values; roughly normal, rounded to float.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  float normal(double scale = 1) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += engine_() / 4294967296.0 - 0.5;
    return static_cast<float>(sum * 1.732 * scale);
  }
  int64_t below(int64_t limit) { return static_cast<int64_t>(engine_() % limit); }
  void fill(Buffer& buffer, double scale = 1) {
    for (int64_t i = 0; i < buffer.size(); ++i) buffer[i] = normal(scale);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace conformance
