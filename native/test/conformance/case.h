// What a conformance case gives: one operator at one shape.
//
// Adding an operator is one struct derived from Case and one line per shape in its list function:
//
//   struct Negate : Case {
//     Buffer x{5}, out{5};
//     Negate() : Case("negate", "count=5") { random.fill(x); output(out, "out"); }
//     void run(const Kernels& k, Workers& w) override { k.negate(w, {x.data(), out.data(), 5}); }
//     void reference(std::vector<Expected>& e) override { for (…) e[0].values[i] = -x[i]; }
//   };
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "buffer.h"
#include "libra/kernels.h"

namespace conformance {

using libra::Kernels;
using libra::Workers;

/// An output, its float64 value and the error allowed against the largest value.
struct Expected {
  Buffer* actual;
  std::string label;
  double tolerance;
  std::vector<double> values;
};

/// A gradient to hold against finite differences of the case's loss() by `variable`.
struct Slope {
  std::string label;
  std::vector<double>* variable;
  const Buffer* gradient;
};

class Case {
 public:
  Case(std::string name, std::string shape) : name(std::move(name)), shape(std::move(shape)) {}
  virtual ~Case() = default;

  /// Runs the kernel on the case's buffers. Called several times; prepare() comes before each call.
  virtual void run(const Kernels& kernels, Workers& workers) = 0;
  /// Resets outputs that the kernel adds to. Others are filled with garbage before each call.
  virtual void prepare() {}
  /// Fills values of every output, in the order of output(), from the inputs in float64.
  virtual void reference(std::vector<Expected>& expected) = 0;
  /// Gradients to check by finite differences; empty when the operator is none.
  virtual std::vector<Slope> slopes() { return {}; }
  /// Loss whose gradients slopes() lists, in float64, of the variables' current values.
  virtual double loss() { return 0; }

  double flops = 0;  // of one run
  double bytes = 0;  // that one run must move

  const std::string name;
  const std::string shape;
  std::vector<Expected> outputs;

 protected:
  void output(Buffer& buffer, const std::string& label, double tolerance = 2e-6) {
    outputs.push_back({&buffer, label, tolerance, {}});
  }
  Random random{1};
};

/// small: modes test and grad; wide: mode test (results above 32 MiB pass the caches by); large:
/// mode perf, too much for the float64 reference.
enum class Size { small, wide, large };

struct Entry {
  Size size;
  std::function<std::unique_ptr<Case>()> build;
};
using CaseList = std::vector<Entry>;

/// Appends a case that is built only when its turn comes.
template <class Derived, class... Arguments>
void addCase(CaseList& list, Size size, Arguments... arguments) {
  list.push_back({size, [=] { return std::make_unique<Derived>(arguments...); }});
}
template <class Derived, class... Arguments>
void addCase(CaseList& list, Arguments... arguments) {
  addCase<Derived>(list, Size::small, arguments...);
}

void addLinearCases(CaseList& list);
void addRowCases(CaseList& list);
void addSwigluCases(CaseList& list);
void addLossCases(CaseList& list);
void addOptimizerCases(CaseList& list);
void addVectorCases(CaseList& list);
void addAttentionCases(CaseList& list);
void addBfloat16Cases(CaseList& list);

/// Checks that are not one operator against its reference. Each returns the number of failures and
/// prints them.
int checkKnownValues(const Kernels& kernels, Workers& workers);
int checkAttentionRules(const Kernels& kernels);
int checkBfloat16Rules(const Kernels& kernels);
int checkLargeOffsets(const Kernels& kernels, Workers& workers);
int checkAccuracy(const Kernels& kernels, Workers& workers);
int checkBfloat16Accuracy(const Kernels& kernels, Workers& workers);

/// "rows=3 in=5"
template <class... Pairs>
std::string describe(Pairs... pairs) {
  std::string text;
  const auto append = [&](const auto& pair) {
    if (!text.empty()) text += ' ';
    text += pair.first;
    text += '=';
    text += std::to_string(pair.second);
  };
  (append(pairs), ...);
  return text;
}
inline std::pair<const char*, int64_t> field(const char* name, int64_t value) {
  return {name, value};
}

}  // namespace conformance
