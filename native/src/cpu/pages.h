// Memory for tensors and scratch.
#pragma once

#include <cstddef>

namespace libra {

/// Uninitialized memory of at least `bytes`, aligned to 64 bytes; large pieces ask the system for
/// huge pages: far fewer page faults when first written, fewer page table walks after. nullptr when
/// there is none; std::free gives it back.
void* allocatePages(size_t bytes);

}  // namespace libra
