#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "core/allocator.h"
#include "core_check.h"

using libra::Allocator;
using libra::storageAlignment;

namespace {

void blocksAreAlignedAndALittleLarger() {
  for (const size_t bytes : {0, 1, 63, 64, 65, 1000, 4097, 1 << 20, (1 << 20) + 1}) {
    const size_t block = Allocator::blockBytes(bytes);
    CHECK(block >= bytes);
    CHECK(block % storageAlignment == 0);
    if (bytes > 512) CHECK(block - bytes <= bytes / 8);
    CHECK(Allocator::blockBytes(block) == block);
  }
}

void aBlockComesBackWhenItsLastHolderGoes() {
  auto allocator = std::make_shared<Allocator>(false);
  auto first = allocator->allocate(1000);
  CHECK(reinterpret_cast<uintptr_t>(first->data()) % storageAlignment == 0);
  auto held = first;  // as an operation in a queue would
  char* data = first->data();
  first.reset();
  auto other = allocator->allocate(1000);
  CHECK(other->data() != data);
  held.reset();
  auto again = allocator->allocate(990);
  CHECK(again->data() == data);
  const auto statistics = allocator->statistics();
  CHECK(statistics.allocations == 3);
  CHECK(statistics.reuses == 1);
  CHECK(statistics.liveBlocks == 2);
  CHECK(statistics.liveBytes == 1990);
  CHECK(statistics.peakBytes == 2000);
  CHECK(statistics.cachedBytes == 0);
}

void poisonedMemoryReadsAsNaN() {
  auto allocator = std::make_shared<Allocator>(true);
  auto storage = allocator->allocate(256);
  float value;
  std::memcpy(&value, storage->data() + 128, sizeof value);
  CHECK(std::isnan(value));
  std::memset(storage->data(), 0, 256);
  storage.reset();
  storage = allocator->allocate(256);
  CHECK(allocator->statistics().reuses == 1);
  std::memcpy(&value, storage->data() + 128, sizeof value);
  CHECK(std::isnan(value));
}

void aClosedAllocatorKeepsNothing() {
  auto allocator = std::make_shared<Allocator>(false);
  auto living = allocator->allocate(4096);
  allocator->allocate(4096);
  CHECK(allocator->statistics().cachedBytes == 4096);
  allocator->close();
  CHECK(allocator->statistics().cachedBytes == 0);
  std::weak_ptr<Allocator> watched = allocator;
  allocator.reset();
  CHECK(!watched.expired());  // the storage needs it
  living.reset();
  CHECK(watched.expired());
}

void largeBlocksAreWholeToTheirEnds() {
  auto allocator = std::make_shared<Allocator>(false);
  for (const size_t bytes : {size_t{4} << 20, (size_t{5} << 20) + 1, (size_t{9} << 20) - 64}) {
    auto storage = allocator->allocate(bytes);
    CHECK(reinterpret_cast<uintptr_t>(storage->data()) % (size_t{2} << 20) == 0);
    std::memset(storage->data(), 1, Allocator::blockBytes(bytes));
    CHECK(storage->data()[0] == 1 && storage->data()[bytes - 1] == 1);
  }
}

void threadsShareIt() {
  auto allocator = std::make_shared<Allocator>(false);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&allocator, thread] {
      for (int i = 0; i < 500; ++i) {
        auto storage = allocator->allocate(static_cast<size_t>(64 << (i % 5)));
        std::memset(storage->data(), thread, storage->bytes());
        for (size_t at = 0; at < storage->bytes(); at += 64) CHECK(storage->data()[at] == thread);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(allocator->statistics().liveBlocks == 0);
}

}  // namespace

int main() {
  return libra::test::runAll(blocksAreAlignedAndALittleLarger, aBlockComesBackWhenItsLastHolderGoes,
                             poisonedMemoryReadsAsNaN, aClosedAllocatorKeepsNothing,
                             largeBlocksAreWholeToTheirEnds, threadsShareIt);
}
