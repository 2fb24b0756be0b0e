#include "support.h"

#include <algorithm>
#include <cstdio>

namespace conformance {
namespace {

const std::string bfloat16 = "Bfloat16";

std::string column(const std::string& instructionSet, bool half) {
  return half ? instructionSet + " bfloat16" : instructionSet;
}

}  // namespace

void SupportTable::add(const std::string& name, const std::string& instructionSet, int failures) {
  const size_t at = name.find(bfloat16);
  const bool half = at != std::string::npos;
  const std::string operation = name.substr(0, at);
  if (failures_.find(operation) == failures_.end()) order_.push_back(operation);
  failures_[operation][column(instructionSet, half)] += failures;
}

void SupportTable::print(const std::vector<std::string>& instructionSets,
                         const std::vector<std::string>& bfloat16Products) const {
  std::vector<std::string> columns;
  for (const bool half : {false, true}) {
    for (const std::string& set : instructionSets) columns.push_back(column(set, half));
  }
  std::printf("| operator |");
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t set = i - std::min(i, instructionSets.size());
    const bool half = i >= instructionSets.size();
    std::printf(" %s%s%s |", columns[i].c_str(), half ? ", " : "",
                half ? bfloat16Products[set].c_str() : "");
  }
  std::printf("\n| --- |");
  for (size_t i = 0; i < columns.size(); ++i) std::printf(" --- |");
  for (const std::string& operation : order_) {
    std::printf("\n| %s |", operation.c_str());
    const auto& row = failures_.at(operation);
    for (const std::string& name : columns) {
      const auto found = row.find(name);
      std::printf(" %s |", found == row.end() ? "–" : found->second == 0 ? "yes" : "no");
    }
  }
  std::printf("\n");
}

}  // namespace conformance
