#include "core/fault.h"

#include <charconv>
#include <cmath>

namespace libra {
namespace {

void appendQuoted(std::string& out, std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

void Details::name(std::string_view name) {
  if (!fields_.empty()) fields_ += ',';
  appendQuoted(fields_, name);
  fields_ += ':';
}

Details& Details::number(std::string_view field, double value) {
  name(field);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::isfinite(value) ? value : 0).ptr;
  fields_.append(text, end);
  return *this;
}

Details& Details::text(std::string_view field, std::string_view value) {
  name(field);
  appendQuoted(fields_, value);
  return *this;
}

Details& Details::list(std::string_view field, const std::vector<int>& values) {
  name(field);
  fields_ += "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) fields_ += ',';
    fields_ += std::to_string(values[i]);
  }
  fields_ += "]";
  return *this;
}

std::string joined(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) {
    if (!text.empty()) text += ", ";
    text += std::to_string(value);
  }
  return text;
}

}  // namespace libra
