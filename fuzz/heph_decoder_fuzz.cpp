// Any bytes through the native decoder of Heph. Decoded packets and damaged ranges must account for
// every byte, values must lie inside their packets, and leaving the damaged ranges out must leave
// the same events. What is decoded and encoded again must be the same bytes.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/encoder.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file

void require(bool holds) {
  if (!holds) std::abort();
}

struct Visitor {
  std::uint64_t events = 0;
  std::uint64_t findings = 0;
  std::uint64_t consumed = 0;
  heph::Encoder encoder = {};
  std::vector<std::vector<std::string_view>> texts = {};
  std::vector<heph::Attribute> attributes = {};
  std::vector<Finding> problems = {};

  void option(const heph::Option& option, std::uint64_t offset) {
    require(offset == consumed);
    consumed += heph::kLeastMetadataSize + option.name.size() + option.value.size();
    require(encoder.set_option(option.name, option.value).has_value());
  }
  void event(const heph::EventView& view) {
    ++events;
    require(view.offset == consumed);
    consumed += view.packet.size();
    if (view.type->is_overflow) return;
    require(view.values.size() == view.type->attributes.size());
    texts.clear();
    texts.reserve(view.values.size());
    attributes.clear();
    for (std::size_t i = 0; i < view.values.size(); ++i) {
      const heph::Value& value = view.values[i];
      require(value.type == view.type->attributes[i].type);
      attributes.push_back({view.type->attributes[i].name, again(value, view.packet)});
    }
    const std::size_t before = encoder.bytes().size();
    require(encoder.write(view.head, view.type->description, attributes).has_value());
    const ByteSpan encoded = encoder.bytes().subspan(before);
    require(as_text(encoded) == as_text(view.packet));
  }
  void problem(const Finding& finding) {
    require(finding.length > 0 && finding.offset == consumed);
    consumed += finding.length;
    problems.push_back(finding);
  }
  void finding(const Finding&) { ++findings; }

  heph::AttributeValue again(const heph::Value& value, ByteSpan packet) {
    using heph::ValueType;
    const bool points = value.is_array() || value.value_type() == ValueType::kString;
    if (points) {
      require(value.pointer >= packet.data() &&
              value.pointer + value.size <= packet.data() + packet.size());
    }
    if (value.is_array() && value.value_type() == ValueType::kString) {
      std::vector<std::string_view>& strings = texts.emplace_back();
      heph::StringArray elements = value.strings();
      std::string_view text;
      while (elements.next(text)) strings.push_back(text);
      return strings;
    }
    if (value.is_array()) {
      return heph::AttributeValue::from_wire(value.value_type(), value.count,
                                             {value.pointer, value.size});
    }
    switch (value.value_type()) {
      case ValueType::kUnsigned:
        return value.unsigned_integer();
      case ValueType::kSigned:
        return value.signed_integer();
      case ValueType::kReal:
        return value.real();
      case ValueType::kString:
        break;
    }
    return value.text();
  }
};

Visitor decode(ByteSpan bytes) {
  const PaddedBytes padded(bytes);
  Visitor visitor;
  heph::decode(padded.view(), visitor);
  require(visitor.consumed == bytes.size());
  return visitor;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Visitor whole = decode({data, size});
  std::vector<std::uint8_t> rest;
  std::size_t at = 0;
  for (const Finding& problem : whole.problems) {
    rest.insert(rest.end(), data + at, data + problem.offset);
    at = problem.offset + problem.length;
  }
  rest.insert(rest.end(), data + at, data + size);
  const Visitor clean = decode(rest);
  require(clean.problems.empty());
  require(clean.events == whole.events && clean.findings == whole.findings);
  return 0;
}
