// Which vectors of which buffers go to, or come from, which peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libra {

/// `rows` groups of `width` consecutive vectors; group g begins at offset + g · stride.
struct Block {
  int64_t offset;
  int64_t rows;
  int64_t stride;
  int64_t width;
  int buffer;
};

class BlockList {
 public:
  /// peerOffsets: blocks of peer p are [peerOffsets[p], peerOffsets[p+1]). Throws ARGUMENT.
  BlockList(std::vector<int64_t> peerOffsets, std::vector<Block> blocks);
  int peers() const { return static_cast<int>(vectors_.size()); }
  /// Vectors moved to or from a peer.
  int64_t vectors(int peer) const { return vectors_[peer]; }
  /// Number of vectors each buffer must hold at least; its size is the number of buffers used.
  const std::vector<int64_t>& extents() const { return extents_; }
  const Block* begin(int peer) const { return blocks_.data() + peerOffsets_[peer]; }
  const Block* end(int peer) const { return blocks_.data() + peerOffsets_[peer + 1]; }

 private:
  std::vector<int64_t> peerOffsets_;
  std::vector<Block> blocks_;
  std::vector<int64_t> vectors_;
  std::vector<int64_t> extents_;
};

/// Copies the vectors that `send` lists for peer `to` over those that `receive` lists for peer
/// `from`, in order; both list the same number. bases: by buffer.
void copyVectors(const BlockList& send, int to, const std::vector<const char*>& sendBases,
                 const BlockList& receive, int from, const std::vector<char*>& receiveBases,
                 int64_t vectorBytes);

}  // namespace libra
