// A device's memory: blocks of a few sizes, kept for reuse.
//
// A block goes back when the last holder of its Storage lets go: an operation in a queue holds the
// storages it touches, so freeing a tensor right after enqueueing work on it is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace libra {

inline constexpr size_t storageAlignment = 64;

struct MemoryStatistics {
  int64_t liveBytes = 0;    // asked for by living storages
  int64_t liveBlocks = 0;   // number of living storages
  int64_t peakBytes = 0;    // largest liveBytes so far
  int64_t cachedBytes = 0;  // held for reuse
  int64_t allocations = 0;  // storages made so far
  int64_t reuses = 0;       // of these, from the cache
  int64_t leaked = 0;       // found by the garbage collector, never freed
};

class Allocator;

class Storage {
 public:
  Storage(std::shared_ptr<Allocator> allocator, char* data, size_t bytes, size_t block);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  void noteLeak();

 private:
  std::shared_ptr<Allocator> allocator_;
  char* data_;
  size_t bytes_;
  size_t block_;
};

class Allocator : public std::enable_shared_from_this<Allocator> {
 public:
  /// poison: a block holds NaN patterns whenever nobody has written it.
  explicit Allocator(bool poison) : poison_(poison) {}
  ~Allocator();
  std::shared_ptr<Storage> allocate(size_t bytes);
  MemoryStatistics statistics() const;
  /// Gives cached blocks back to the system.
  void trim();
  /// trim(), and keeps nothing from now on.
  void close();
  /// The size of the block that serves `bytes`: at most an eighth is unused above 512 bytes.
  static size_t blockBytes(size_t bytes);

 private:
  friend class Storage;
  void release(char* data, size_t bytes, size_t block);
  const bool poison_;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<char*>> cache_;
  MemoryStatistics statistics_;
  bool closed_ = false;
};

}  // namespace libra
