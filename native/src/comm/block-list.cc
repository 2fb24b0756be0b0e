#include "comm/block-list.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/fault.h"

namespace libra {
namespace {

/// Walks the runs of consecutive vectors of a list of blocks.
class Cursor {
 public:
  Cursor(const Block* begin, const Block* end) : block_(begin), end_(end) { enter(); }
  bool atEnd() const { return block_ == end_; }
  /// Vectors left in the current run.
  int64_t run() const { return run_ - taken_; }
  int64_t vector() const { return block_->offset + row_ * block_->stride + taken_; }
  int buffer() const { return block_->buffer; }
  void take(int64_t vectors) {
    taken_ += vectors;
    if (taken_ < run_) return;
    taken_ = 0;
    if (++row_ < rows_) return;
    ++block_;
    enter();
  }

 private:
  void enter() {
    while (block_ != end_ && (block_->rows == 0 || block_->width == 0)) ++block_;
    row_ = taken_ = 0;
    if (block_ == end_) return;
    const bool whole = block_->stride == block_->width;
    rows_ = whole ? 1 : block_->rows;
    run_ = whole ? block_->rows * block_->width : block_->width;
  }
  const Block* block_;
  const Block* end_;
  int64_t rows_ = 0, run_ = 0, row_ = 0, taken_ = 0;
};

}  // namespace

BlockList::BlockList(std::vector<int64_t> peerOffsets, std::vector<Block> blocks)
    : peerOffsets_(std::move(peerOffsets)), blocks_(std::move(blocks)) {
  const auto count = static_cast<int64_t>(blocks_.size());
  if (peerOffsets_.size() < 2 || peerOffsets_.front() != 0 || peerOffsets_.back() != count ||
      !std::is_sorted(peerOffsets_.begin(), peerOffsets_.end())) {
    throw Error("ARGUMENT", "Expected ascending offsets from 0 to " + std::to_string(count) +
                                " (the number of blocks) for peerOffsets");
  }
  vectors_.assign(peerOffsets_.size() - 1, 0);
  for (int peer = 0; peer < peers(); ++peer) {
    for (const Block* block = begin(peer); block != end(peer); ++block) {
      if (block->offset < 0 || block->rows < 0 || block->width < 0 || block->stride < 0) {
        throw Error("ARGUMENT", "Expected offset, rows, stride and width of at least 0 for block " +
                                    std::to_string(block - blocks_.data()));
      }
      if (block->rows == 0 || block->width == 0) continue;
      vectors_[peer] += block->rows * block->width;
      if (block->buffer >= static_cast<int>(extents_.size())) extents_.resize(block->buffer + 1);
      int64_t& extent = extents_[block->buffer];
      extent = std::max(extent, block->offset + (block->rows - 1) * block->stride + block->width);
    }
  }
}

void copyVectors(const BlockList& send, int to, const std::vector<const char*>& sendBases,
                 const BlockList& receive, int from, const std::vector<char*>& receiveBases,
                 int64_t vectorBytes) {
  Cursor source(send.begin(to), send.end(to));
  Cursor destination(receive.begin(from), receive.end(from));
  while (!source.atEnd() && !destination.atEnd()) {
    const int64_t vectors = std::min(source.run(), destination.run());
    const char* read = sendBases[source.buffer()] + source.vector() * vectorBytes;
    char* write = receiveBases[destination.buffer()] + destination.vector() * vectorBytes;
    // A rank may list a vector for itself where it already is.
    if (read != write) std::memmove(write, read, static_cast<size_t>(vectors * vectorBytes));
    source.take(vectors);
    destination.take(vectors);
  }
}

}  // namespace libra
