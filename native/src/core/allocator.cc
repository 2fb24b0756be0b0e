#include "core/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "core/fault.h"
#include "cpu/pages.h"

namespace libra {
namespace {

// All bits set: a NaN as float32 and float64, -1 as int32.
constexpr int poisonByte = 0xFF;

}  // namespace

Storage::Storage(std::shared_ptr<Allocator> allocator, char* data, size_t bytes, size_t block)
    : allocator_(std::move(allocator)), data_(data), bytes_(bytes), block_(block) {}

Storage::~Storage() { allocator_->release(data_, bytes_, block_); }

void Storage::noteLeak() {
  std::lock_guard lock(allocator_->mutex_);
  ++allocator_->statistics_.leaked;
}

Allocator::~Allocator() { trim(); }

size_t Allocator::blockBytes(size_t bytes) {
  if (bytes <= storageAlignment) return storageAlignment;
  const size_t step = std::max(storageAlignment, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

std::shared_ptr<Storage> Allocator::allocate(size_t bytes) {
  const size_t block = blockBytes(bytes);
  char* data = nullptr;
  bool reused = false;
  {
    std::lock_guard lock(mutex_);
    auto found = cache_.find(block);
    if (found != cache_.end() && !found->second.empty()) {
      data = found->second.back();
      found->second.pop_back();
      statistics_.cachedBytes -= static_cast<int64_t>(block);
      reused = true;
    }
  }
  if (data == nullptr) data = static_cast<char*>(allocatePages(block));
  if (data == nullptr) {
    trim();
    data = static_cast<char*>(allocatePages(block));
  }
  if (data == nullptr) {
    throw Error("NATIVE", "Could not allocate " + std::to_string(bytes) + " bytes",
                Details().number("bytes", static_cast<double>(bytes)).json());
  }
  if (poison_) std::memset(data, poisonByte, block);
  std::lock_guard lock(mutex_);
  ++statistics_.allocations;
  if (reused) ++statistics_.reuses;
  ++statistics_.liveBlocks;
  statistics_.liveBytes += static_cast<int64_t>(bytes);
  statistics_.peakBytes = std::max(statistics_.peakBytes, statistics_.liveBytes);
  return std::make_shared<Storage>(shared_from_this(), data, bytes, block);
}

void Allocator::release(char* data, size_t bytes, size_t block) {
  if (poison_) std::memset(data, poisonByte, block);
  std::lock_guard lock(mutex_);
  --statistics_.liveBlocks;
  statistics_.liveBytes -= static_cast<int64_t>(bytes);
  if (closed_) {
    std::free(data);
    return;
  }
  statistics_.cachedBytes += static_cast<int64_t>(block);
  cache_[block].push_back(data);
}

MemoryStatistics Allocator::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

void Allocator::trim() {
  std::lock_guard lock(mutex_);
  for (auto& [block, blocks] : cache_) {
    for (char* data : blocks) std::free(data);
  }
  cache_.clear();
  statistics_.cachedBytes = 0;
}

void Allocator::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  trim();
}

}  // namespace libra
