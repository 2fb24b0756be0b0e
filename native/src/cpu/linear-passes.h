// A linear layer's three passes as products.
#pragma once

#include "libra/kernels.h"
#include "linear-product.h"

namespace libra::cpu::LIBRA_SET {

template <class Panel, class Element, class Out>
void multiplyForward(Workers& workers, const LinearOf<Element, Out>& l) {
  multiply<Panel>(
      workers,
      Product<Element, Out>{
          {l.x, l.in, true}, {l.weight, l.in, true}, l.out, l.rows, l.outputs, l.in, l.residual});
}

template <class Panel, class Element>
void multiplyBackwardInput(Workers& workers, const LinearBackwardInputOf<Element>& l) {
  multiply<Panel>(workers, Product<Element, Element>{{l.dOut, l.outputs, true},
                                                     {l.weight, l.in, false},
                                                     l.dx,
                                                     l.rows,
                                                     l.in,
                                                     l.outputs,
                                                     l.accumulate ? l.dx : nullptr});
}

template <class Panel, class Element>
void multiplyBackwardWeight(Workers& workers, const LinearBackwardWeightOf<Element>& l) {
  multiply<Panel>(workers, Product<Element, float>{{l.dOut, l.outputs, false},
                                                   {l.x, l.in, false},
                                                   l.dWeight,
                                                   l.outputs,
                                                   l.in,
                                                   l.rows,
                                                   l.accumulate ? l.dWeight : nullptr});
}

}  // namespace libra::cpu::LIBRA_SET
