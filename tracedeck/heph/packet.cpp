#include "tracedeck/heph/packet.hpp"

#include <fmt/format.h>

namespace tracedeck::heph {

AttributeWalk::AttributeWalk(const std::uint8_t* packet, const std::uint8_t* end)
    : at_(packet + kDescriptionOffset), end_(end) {
  const std::uint8_t* const begin = at_;
  if (end - packet < static_cast<std::ptrdiff_t>(kLeastEventSize) || !take_string(description_))
    static_cast<void>(fail(RuleId::kDescription, begin));
}

bool AttributeWalk::fail(RuleId rule, const std::uint8_t* at) {
  faulty_ = true;
  rule_ = rule;
  fault_ = at;
  return false;
}

bool AttributeWalk::take_string(std::string_view& text) {
  if (end_ - at_ < static_cast<std::ptrdiff_t>(kLengthSize)) return false;
  const std::size_t size = load_be<std::uint16_t>(at_);
  if (static_cast<std::size_t>(end_ - at_) - kLengthSize < size) return false;
  text = as_text({at_ + kLengthSize, size});
  at_ += kLengthSize + size;
  return true;
}

bool AttributeWalk::next(AttributePlace& attribute) {
  if (faulty_ || at_ == end_) return false;
  const std::uint8_t* const begin = at_;
  name_ = {};
  if (!take_string(name_) || at_ == end_) return fail(RuleId::kAttributeName, begin);
  attribute = {.name = name_, .type = *at_};
  if (!is_value_type(attribute.type)) return fail(RuleId::kAttributeType, at_);
  ++at_;
  const std::uint8_t* const value = at_;
  return take_value(attribute) || fail(RuleId::kAttributeValue, value);
}

bool AttributeWalk::take_value(AttributePlace& attribute) {
  const auto left = static_cast<std::size_t>(end_ - at_);
  const bool is_string = attribute.value_type() == ValueType::kString;
  if (!attribute.is_array()) {
    std::string_view text;
    if (is_string ? !take_string(text) : left < kScalarSize) return false;
    if (is_string) {
      attribute.value = as_bytes(text).data();
      attribute.size = static_cast<std::uint32_t>(text.size());
    } else {
      attribute.value = at_;
      attribute.size = kScalarSize;
      at_ += kScalarSize;
    }
    return true;
  }
  if (left < kLengthSize) return false;
  attribute.count = load_be<std::uint16_t>(at_);
  at_ += kLengthSize;
  attribute.value = at_;
  if (is_string) {
    std::string_view text;
    for (std::uint32_t i = 0; i < attribute.count; ++i) {
      if (!take_string(text)) return false;
    }
  } else {
    const std::size_t size = attribute.count * kScalarSize;
    if (left - kLengthSize < size) return false;
    at_ += size;
  }
  attribute.size = static_cast<std::uint32_t>(at_ - attribute.value);
  return true;
}

Fault AttributeWalk::fault() const {
  Fault fault{.rule = rule_, .at = fault_};
  switch (rule_) {
    case RuleId::kDescription:
      fault.text = "the description of an event reaches past the end of its packet";
      break;
    case RuleId::kAttributeName:
      fault.text = fmt::format("an attribute's name reaches past the end of the packet of `{}`",
                               description_);
      break;
    case RuleId::kAttributeType:
      fault.text = fmt::format("attribute `{}` of `{}` has the unknown type 0x{:02X}", name_,
                               description_, *fault_);
      break;
    default:
      fault.text = fmt::format(
          "the value of attribute `{}` reaches past the end of the packet of "
          "`{}`",
          name_, description_);
  }
  return fault;
}

bool read_option(const std::uint8_t* packet, std::size_t size, Option& option, Fault& fault) {
  const std::uint8_t* const name = packet + kOptionNameOffset;
  const std::size_t length = load_be<std::uint16_t>(name);
  if (size - kLeastMetadataSize < length) {
    fault = {.rule = RuleId::kOptionName,
             .at = name,
             .text = "the name of an option reaches past the end of its packet"};
    return false;
  }
  option.name = as_text({name + kLengthSize, length});
  option.value = {name + kLengthSize + length, size - kLeastMetadataSize - length};
  if (option.is_epoch() && option.value.size() != kEpochValueSize) {
    fault = {.rule = RuleId::kEpochValue,
             .at = option.value.data(),
             .text = fmt::format("the value of `epoch` takes {} bytes instead of 8",
                                 option.value.size())};
    return false;
  }
  return true;
}

}  // namespace tracedeck::heph
