// Which instruction set this translation unit is compiled for.
//
// The kernels' sources are compiled once for each set, with its -march flags, and live in a
// namespace of their own: libra::cpu::avx512, avx2 and base on x86-64, arm64 on arm64, base alone
// elsewhere; avx512bf16 holds a few more for bfloat16. They must not instantiate templates or
// inline functions of the standard library that are not always inlined: the linker keeps one copy
// of those, perhaps the one of a set that the machine lacks. Code that needs containers belongs in
// the common files, which are compiled once for the oldest machine.
#pragma once

/// The set that every machine of this architecture has.
#ifdef __aarch64__
#define LIBRA_BASE_SET arm64
#else
#define LIBRA_BASE_SET base
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#ifdef __AVX512BF16__
#define LIBRA_SET avx512bf16
#else
#define LIBRA_SET avx512
#endif
#define LIBRA_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define LIBRA_SET avx2
#define LIBRA_VECTOR_BYTES 32
#else
#define LIBRA_SET LIBRA_BASE_SET
#define LIBRA_VECTOR_BYTES 16
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIBRA_SANITIZED  // checked accesses by the hundred: fewer and rolled loops compile in time
#endif

#define LIBRA_INLINE inline __attribute__((always_inline))
#define LIBRA_NOINLINE __attribute__((noinline))
/// Between a lambda's parameters and its body.
#define LIBRA_LAMBDA __attribute__((always_inline))
