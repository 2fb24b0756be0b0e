// Vectors in the kind of memory that the runtime's tensors have.
#pragma once

#include <cstdlib>
#include <new>
#include <vector>

#include "cpu/pages.h"

namespace bench {

template <class Value>
struct PageAllocator {
  using value_type = Value;
  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>&) {}
  Value* allocate(size_t count) {
    void* memory = libra::allocatePages(count * sizeof(Value));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, size_t) { std::free(memory); }
  bool operator==(const PageAllocator&) const { return true; }
};

template <class Value>
using PageVector = std::vector<Value, PageAllocator<Value>>;

}  // namespace bench
