#include "scratch.h"

#include <cstdlib>
#include <new>
#include <vector>

#include "pages.h"

namespace libra::cpu {
namespace {

constexpr int64_t alignment = 64;
/// Small, as each stream of each rank has a thread, and there may be hundreds.
constexpr int64_t leastBlock = int64_t{1} << 20;
/// More than this is given back to the system when the outermost frame ends.
constexpr int64_t keptBytes = int64_t{48} << 20;

struct Block {
  char* memory;
  int64_t size;
};

Block allocate(int64_t size) {
  void* memory = allocatePages(static_cast<size_t>(size));
  if (memory == nullptr) throw std::bad_alloc();
  return {static_cast<char*>(memory), size};
}

/// A stack over several blocks; when it empties, the next first block has their total size.
struct Stack {
  std::vector<Block> blocks;
  int64_t wanted = leastBlock;
  int64_t block = 0;
  int64_t used = 0;

  void* take(int64_t count) {
    const int64_t size = (count + alignment - 1) / alignment * alignment;
    while (block < static_cast<int64_t>(blocks.size()) && used + size > blocks[block].size) {
      ++block;
      used = 0;
    }
    if (block == static_cast<int64_t>(blocks.size())) {
      blocks.push_back(allocate(size < wanted ? wanted : size));
      used = 0;
    }
    void* memory = blocks[block].memory + used;
    used += size;
    return memory;
  }

  void trim() {
    int64_t total = 0;
    for (const Block& owned : blocks) total += owned.size;
    if (blocks.size() <= 1 && total <= keptBytes) return;
    clear();
    wanted = total < keptBytes ? total : keptBytes;
  }

  void clear() {
    for (const Block& owned : blocks) std::free(owned.memory);
    blocks.clear();
    block = used = 0;
  }

  ~Stack() { clear(); }
};

thread_local Stack stack;

}  // namespace

ScratchFrame::ScratchFrame() : block_(stack.block), used_(stack.used) {}

ScratchFrame::~ScratchFrame() {
  stack.block = block_;
  stack.used = used_;
  if (block_ == 0 && used_ == 0) stack.trim();
}

void* ScratchFrame::bytes(int64_t count) { return stack.take(count); }

}  // namespace libra::cpu
