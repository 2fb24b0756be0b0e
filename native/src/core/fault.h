// What went wrong, in words and as data.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace libra {

/// Writes a JSON object field by field: the `details` of a fault.
class Details {
 public:
  Details& number(std::string_view name, double value);
  Details& text(std::string_view name, std::string_view value);
  Details& list(std::string_view name, const std::vector<int>& values);
  std::string json() const { return "{" + fields_ + "}"; }

 private:
  void name(std::string_view name);
  std::string fields_;
};

struct Fault {
  std::string code;     // stable UPPER_SNAKE word
  std::string message;  // one sentence for the user
  std::string details = "{}";
};

class Error : public std::runtime_error {
 public:
  explicit Error(Fault fault) : std::runtime_error(fault.message), fault_(std::move(fault)) {}
  Error(std::string code, std::string message, std::string details = "{}")
      : Error(Fault{std::move(code), std::move(message), std::move(details)}) {}
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

/// "2, 5, 7"
std::string joined(const std::vector<int>& values);

}  // namespace libra
