// Rotary position embedding in Hugging Face's half rotation: element i of the first half turns with
// element i of the second by the angle position · theta^(−2i / D).
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"
#include "scratch.h"
#include "simd.h"

namespace libra::cpu::LIBRA_SET {
namespace {

typedef int64_t Longs __attribute__((vector_size(LIBRA_VECTOR_BYTES)));
typedef double LooseDoubles __attribute__((vector_size(LIBRA_VECTOR_BYTES), aligned(8), may_alias));

/// Sine and cosine by Taylor polynomials on [−π/4, π/4], error below 2e−9. Angles are doubles: a
/// float angle at position 65,536 would be off by 4e−3.
LIBRA_INLINE void sineCosine(Doubles angle, HalfFloats& sine, HalfFloats& cosine) {
  const Doubles shift = 6755399441055744.0 - Doubles{};  // 1.5 · 2^52: adding it rounds
  const Doubles shifted = angle * 0.63661977236758134308 + shift;
  const Doubles quarter = shifted - shift;
  Doubles r = angle - quarter * 1.5707963267341256142;  // π/2 in two parts
  r = r - quarter * 6.0771005065061922e-11;
  const Doubles s = r * r;
  const Doubles sinePart =
      r + r * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880))));
  const Doubles cosinePart =
      1.0 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 - s / 3628800))));
  const Longs quadrant = reinterpret_cast<Longs>(shifted);
  const Longs swapped = (quadrant & 1) != 0;
  const Longs sineNegative = (quadrant & 2) != 0;
  const Longs cosineNegative = ((quadrant + 1) & 2) != 0;
  const Doubles first = swapped ? cosinePart : sinePart;
  const Doubles second = swapped ? sinePart : cosinePart;
  sine = __builtin_convertvector(sineNegative ? -first : first, HalfFloats);
  cosine = __builtin_convertvector(cosineNegative ? -second : second, HalfFloats);
}

template <class Element>
LIBRA_INLINE void rotate(const Element* x, Element* out, const float* sine, const float* cosine,
                         int64_t half, int64_t ahead, bool passing) {
  mapElements(0, half, passing, [&](auto place) LIBRA_LAMBDA {
    place.fetch(x, ahead);
    place.fetch(x + half, ahead);
    const Floats a = place.read(x);
    const Floats b = place.read(x + half);
    const Floats s = place.read(sine);
    const Floats c = place.read(cosine);
    place.write(out, a * c - b * s);
    place.write(out + half, b * c + a * s);
  });
}

template <class Element>
void rotateHeads(Workers& workers, const RopeOf<Element>& a) {
  const int64_t half = a.headDim / 2;
  const int64_t padded = (half + halfLanes - 1) / halfLanes * halfLanes;
  ScratchFrame frame;
  double* frequencies = frame.doubles(padded);
  for (int64_t i = 0; i < padded; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(a.headDim);
    frequencies[i] = i < half ? __builtin_pow(a.theta, exponent) : 0;
  }
  const int64_t width = a.heads * a.headDim;
  const bool passing = passes(a.out, a.tokens * width) && half % lanes == 0 && a.out != a.x;
  forRanges(workers, a.tokens, rowsOfTask(width), [&](int64_t first, int64_t last) {
    ScratchFrame own;
    float* sine = own.floats(padded);
    float* cosine = own.floats(padded);
    for (int64_t token = first; token < last; ++token) {
      const double position = a.positions[token];
      for (int64_t i = 0; i < padded; i += halfLanes) {
        const Doubles angle = *reinterpret_cast<const LooseDoubles*>(frequencies + i) * position;
        HalfFloats s;
        HalfFloats c;
        sineCosine(angle, s, c);
        *reinterpret_cast<LooseHalfFloats*>(sine + i) = a.inverse ? -s : s;
        *reinterpret_cast<LooseHalfFloats*>(cosine + i) = c;
      }
      for (int64_t head = 0; head < a.heads; ++head) {
        const int64_t at = token * width + head * a.headDim;
        rotate(a.x + at, a.out + at, sine, cosine, half, aheadOf(width), passing);
      }
    }
  });
}

}  // namespace

void rope(Workers& workers, const RopeArguments& a) { rotateHeads(workers, a); }
void ropeBfloat16(Workers& workers, const RopeBfloat16Arguments& a) { rotateHeads(workers, a); }

}  // namespace libra::cpu::LIBRA_SET
