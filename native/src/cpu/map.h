// Element-wise loops in vectors, with their rest and with stores that pass the caches by.
#pragma once

#include "bfloat16.h"

namespace libra::cpu::LIBRA_SET {

/// Stores without first reading the line, for results that no cache would hold until they are
/// used. `to` must be aligned to a vector.
LIBRA_INLINE void storePast(float* to, Floats x) {
#if LIBRA_VECTOR_BYTES == 64
  _mm512_stream_ps(to, x);
#elif LIBRA_VECTOR_BYTES == 32
  _mm256_stream_ps(to, x);
#elif defined(__SSE__)
  _mm_stream_ps(to, x);
#else
  store(to, x);
#endif
}
LIBRA_INLINE void storePast(Bfloat16* to, Floats x) {
  const Halves halves = narrowed(x);
#if LIBRA_VECTOR_BYTES == 64
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(halves));
#elif LIBRA_VECTOR_BYTES == 32
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(halves));
#elif defined(__SSE__)
  _mm_stream_si64(reinterpret_cast<long long*>(to), __builtin_bit_cast(long long, halves));
#else
  store(to, x);
#endif
}

/// The first `count` lanes; reads and writes nothing beyond.
LIBRA_INLINE Floats loadSome(const Bfloat16* from, int64_t count) {
  Floats x{};
  for (int64_t i = 0; i < count; ++i) x[i] = widened(from[i]);
  return x;
}
LIBRA_INLINE void storeSome(Bfloat16* to, Floats x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) storeOne(to + i, x[i]);
}

/// A vector of elements `at`, at + 1, … of the tensors that a body reads and writes; keep() writes
/// what is soon read again, fetch() asks for what lies `ahead` elements further.
struct WholePlace {
  int64_t at;
  template <class Element>
  LIBRA_INLINE Floats read(const Element* from) const {
    return load(from + at);
  }
  template <class Element>
  LIBRA_INLINE void write(Element* to, Floats x) const {
    store(to + at, x);
  }
  LIBRA_INLINE void keep(float* to, Floats x) const { store(to + at, x); }
  template <class Element>
  LIBRA_INLINE void fetch(const Element* from, int64_t ahead) const {
    __builtin_prefetch(from + at + ahead);
  }
};
struct PassingPlace {
  int64_t at;
  template <class Element>
  LIBRA_INLINE Floats read(const Element* from) const {
    return load(from + at);
  }
  template <class Element>
  LIBRA_INLINE void write(Element* to, Floats x) const {
    storePast(to + at, x);
  }
  LIBRA_INLINE void keep(float* to, Floats x) const { store(to + at, x); }
  template <class Element>
  LIBRA_INLINE void fetch(const Element* from, int64_t ahead) const {
    __builtin_prefetch(from + at + ahead);
  }
};
struct PartPlace {
  int64_t at;
  int64_t count;
  template <class Element>
  LIBRA_INLINE Floats read(const Element* from) const {
    return loadSome(from + at, count);
  }
  template <class Element>
  LIBRA_INLINE void write(Element* to, Floats x) const {
    storeSome(to + at, x, count);
  }
  LIBRA_INLINE void keep(float* to, Floats x) const { storeSome(to + at, x, count); }
  template <class Element>
  LIBRA_INLINE void fetch(const Element* from, int64_t ahead) const {
    __builtin_prefetch(from + at + ahead);
  }
};

/// Whether a result of `count` elements should pass the caches by: larger than what the last cache
/// keeps for a core or two.
inline constexpr int64_t passingBytes = int64_t{32} << 20;
template <class Element>
LIBRA_INLINE bool passes(const Element* to, int64_t count) {
  constexpr int64_t bytes = sizeof(Element);
  return count * bytes >= passingBytes && reinterpret_cast<uintptr_t>(to) % (lanes * bytes) == 0;
}

/// How far ahead of a row's last pass to ask for memory: the next row, which nothing reads while
/// this one is computed, or beyond the page where the machine's own prefetcher stops.
LIBRA_INLINE int64_t aheadOf(int64_t width) { return width < 1024 ? 1024 : width; }

/// body(place) over elements [first, last). `passing`: writes pass the caches by; every tensor
/// written must then be aligned at `first`.
template <class Body>
LIBRA_INLINE void mapElements(int64_t first, int64_t last, bool passing, Body&& body) {
  int64_t i = first;
  if (passing) {
    for (; i + lanes <= last; i += lanes) body(PassingPlace{i});
  } else {
    for (; i + lanes <= last; i += lanes) body(WholePlace{i});
  }
  if (i < last) body(PartPlace{i, last - i});
}

/// mapElements with `count` places at a time, for bodies whose long chains of operations should
/// advance side by side: body(places), an array of `count` or, for the rest, of one.
template <int count, class Body>
LIBRA_INLINE void mapGroups(int64_t first, int64_t last, bool passing, Body&& body) {
  constexpr int64_t group = count * lanes;
  const auto groups = [&](auto place) LIBRA_LAMBDA {
    int64_t i = first;
    for (; i + group <= last; i += group) {
      decltype(place) places[count];
      for (int p = 0; p < count; ++p) places[p].at = i + p * lanes;
      body(places);
    }
    return i;
  };
  const int64_t rest = passing ? groups(PassingPlace{0}) : groups(WholePlace{0});
  mapElements(rest, last, passing, [&](auto place) LIBRA_LAMBDA {
    const decltype(place) places[] = {place};
    body(places);
  });
}

}  // namespace libra::cpu::LIBRA_SET
