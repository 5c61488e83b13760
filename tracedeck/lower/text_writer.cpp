#include "tracedeck/lower/text_writer.hpp"

#include <fmt/format.h>

#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::lower {
namespace {

std::string hexadecimal(ByteSpan bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

// A class on the way to those inside of it.
struct Open {
  const FieldClass* field_class;
  std::vector<const FieldClass*> inside = {};
  std::size_t next = 0;

  explicit Open(const FieldClass* of) : field_class(of) {
    for_each_child(*of, [&](const FieldClassPtr& each) {
      if (each != nullptr) inside.push_back(each.get());
    });
  }
};

}  // namespace

void ClassOrder::add(const FieldClass* root) {
  if (root == nullptr || places_.contains(root)) return;
  std::vector<Open> open;
  open.emplace_back(root);
  while (!open.empty()) {
    Open& last = open.back();
    if (last.next == last.inside.size()) {
      places_.emplace(last.field_class, classes_.size());
      classes_.push_back(last.field_class);
      open.pop_back();
      continue;
    }
    const FieldClass* const inside = last.inside[last.next++];
    if (!places_.contains(inside)) open.emplace_back(inside);
  }
}

std::optional<std::size_t> ClassOrder::find(const FieldClass* field_class) const {
  const auto found = places_.find(field_class);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void TextWriter::field_classes() {
  out_.key("fields").begin_array();
  for (const FieldClass* const each : order_.classes()) put(*each);
  out_.end_array();
}

void TextWriter::put(const FieldClass& field_class) {
  out_.begin_object();
  out_.key("kind").string(kKindWords[field_class.kind.index()]);
  std::visit([this](const auto& kind) { members(kind, std::decay_t<decltype(kind)>{}); },
             field_class.kind);
  members(field_class, FieldClass{.kind = DynamicClass{}});
  out_.end_object();
}

void TextWriter::members(const IntegerLayout& layout, const IntegerLayout& usual) {
  if (const auto* const fixed = std::get_if<FixedLayout>(&layout)) {
    members(*fixed, std::get<FixedLayout>(usual));
  } else {
    out_.key("leb128").boolean(true);
  }
}

void TextWriter::put(std::string_view text) {
  if (is_valid_utf8(text)) return out_.string(text);
  out_.begin_object();
  out_.key("hex").string(hexadecimal(as_bytes(text)));
  out_.end_object();
}

void TextWriter::put(const Uuid& uuid) { out_.string(hexadecimal(uuid)); }

void TextWriter::put(const Tick& tick) {
  out_.begin_array();
  put(tick.numerator);
  put(tick.denominator);
  out_.end_array();
}

void TextWriter::put(const Identity& identity) {
  out_.begin_object();
  members(identity, Identity{});
  out_.end_object();
}

void TextWriter::put(const FieldClassPtr& field_class) {
  const auto place = order_.find(field_class.get());
  if (place) return put(std::uint64_t{*place});
  out_.null();
}

void TextWriter::put(const RareList<std::string>& roles) {
  out_.begin_array();
  for (const std::string& role : roles) put(role);
  out_.end_array();
}

void TextWriter::put(const Attributes& attributes) {
  out_.begin_array();
  for (const Attribute& each : attributes) {
    out_.begin_array();
    put(each.key);
    put(each.value);
    if (each.is_json) put(each.is_json);
    out_.end_array();
  }
  out_.end_array();
}

void TextWriter::bounds(const IntegerRanges& ranges) {
  if (ranges.size() == 1 && ranges[0].lower == ranges[0].upper) return put(ranges[0].lower);
  for (const IntegerRange& range : ranges) {
    put(range.lower);
    put(range.upper);
  }
}

void TextWriter::put(const IntegerRanges& ranges) {
  out_.begin_array();
  bounds(ranges);
  out_.end_array();
}

void TextWriter::put(const std::vector<Mapping>& mappings) {
  out_.begin_array();
  for (const Mapping& each : mappings) {
    out_.begin_array();
    put(each.label);
    bounds(each.ranges);
    out_.end_array();
  }
  out_.end_array();
}

void TextWriter::put(const FieldLocation& location) {
  out_.begin_array();
  put(location.root);
  for (const auto& step : location.path) {
    if (step) {
      put(*step);
    } else {
      out_.null();
    }
  }
  out_.end_array();
}

void TextWriter::put(const Extent& extent) {
  out_.begin_object();
  out_.key(kExtentWords[extent.index()]);
  if (const auto* const fixed = std::get_if<StaticLength>(&extent)) {
    put(fixed->length);
  } else if (const auto* const prefix = std::get_if<LengthPrefixed>(&extent)) {
    out_.begin_object();
    members(*prefix, LengthPrefixed{});
    out_.end_object();
  } else if (const auto* const field = std::get_if<LengthField>(&extent)) {
    put(field->location);
  } else {
    out_.boolean(true);
  }
  out_.end_object();
}

void TextWriter::put(const std::vector<Member>& members) {
  out_.begin_array();
  for (const Member& each : members) {
    out_.begin_array();
    put(each.name);
    put(each.field_class);
    if (!each.attributes.empty()) put(each.attributes);
    out_.end_array();
  }
  out_.end_array();
}

void TextWriter::put(const std::vector<VariantOption>& options) {
  out_.begin_array();
  for (const VariantOption& each : options) {
    out_.begin_array();
    put(each.name);
    put(each.field_class);
    put(each.ranges);
    if (!each.attributes.empty()) put(each.attributes);
    out_.end_array();
  }
  out_.end_array();
}

void TextWriter::put(const std::vector<StreamKey>& keys) {
  out_.begin_array();
  for (const StreamKey& each : keys) {
    out_.begin_array();
    put(each.name);
    put(each.value);
    if (!each.digits.empty()) put(each.digits);
    out_.end_array();
  }
  out_.end_array();
}

}  // namespace tracedeck::lower
