// Which operators work where, as the Markdown table that docs/support.md quotes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace conformance {

/// One row an operator, one column an instruction set and element type. A case named after an
/// operator with "Bfloat16" in it tells about that operator's bfloat16 form.
class SupportTable {
 public:
  /// Adds a case's result on one instruction set.
  void add(const std::string& name, const std::string& instructionSet, int failures);
  /// bfloat16Products: of each set, "dot" or "convert".
  void print(const std::vector<std::string>& instructionSets,
             const std::vector<std::string>& bfloat16Products) const;

 private:
  std::vector<std::string> order_;
  /// Failures by operator and column.
  std::map<std::string, std::map<std::string, int>> failures_;
};

}  // namespace conformance
