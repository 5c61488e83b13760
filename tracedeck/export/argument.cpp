#include "tracedeck/export/argument.hpp"

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::exporting {

namespace {

using Kind = query::Value::Kind;

Argument written(std::string_view text) {
  return {.kind = Argument::Kind::kText, .boolean = false, .text = text};
}

}  // namespace

Argument ArgumentReader::read(const query::Value& value) {
  scratch_.clear();
  switch (value.kind) {
    case Kind::kUnknown:
    case Kind::kBuckets:
      return {};
    case Kind::kBoolean:
      return {.kind = Argument::Kind::kBoolean, .boolean = value.boolean, .text = {}};
    case Kind::kInteger:
      return integer(value);
    case Kind::kReal:
      return {.kind = Argument::Kind::kReal, .real = value.real, .text = {}};
    case Kind::kText:
      return written(value.text);
    case Kind::kBlob: {
      append_json_base64(scratch_, as_bytes(value.text));
      const std::string_view quoted = scratch_.view();
      return written(quoted.substr(1, quoted.size() - 2));
    }
    case Kind::kWide:
    case Kind::kCompound:
      json_.append(scratch_, value.slot, value.field_class);
      return written(scratch_.view());
  }
  return {};
}

Argument ArgumentReader::integer(const query::Value& value) {
  if (value.labels != nullptr || value.has_name) {
    const query::Value label = query::apply(query::Operator::kLabel, value);
    if (label.known()) return written(label.text);
  }
  if (const auto natural = value.integer.to_unsigned())
    return {.kind = value.is_hexadecimal ? Argument::Kind::kAddress : Argument::Kind::kUnsigned,
            .natural = *natural,
            .text = {}};
  if (const auto number = value.integer.to_signed())
    return {.kind = Argument::Kind::kSigned, .integer = *number, .text = {}};
  scratch_.append(value.integer.to_string());
  return written(scratch_.view());
}

}  // namespace tracedeck::exporting
