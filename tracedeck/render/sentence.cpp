#include "tracedeck/render/sentence.hpp"

namespace tracedeck::render {

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

void SentenceValue::append_to(std::string& out) const {
  if (!number_)
    out += text_;
  else
    out += is_plain_ ? std::to_string(*number_) : with_separators(*number_);
}

std::string filled(std::string_view text, std::initializer_list<SentenceValue> values) {
  std::string out;
  const SentenceValue* value = values.begin();
  std::optional<std::uint64_t> number;
  while (text.contains('{')) {
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}', open);
    out += text.substr(0, open);
    const std::string_view place = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    if (const std::size_t between = place.find('/'); between != std::string_view::npos) {
      out += number == 1 ? place.substr(0, between) : place.substr(between + 1);
      continue;
    }
    if (value->number()) number = value->number();
    if (!place.ends_with('#')) value->append_to(out);
    ++value;
  }
  return out.append(text);
}

}  // namespace tracedeck::render
