#include "tracedeck/render/babeltrace_line.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/babeltrace_leftovers.hpp"
#include "tracedeck/render/number.hpp"
#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {
namespace {

const Attribute* environment_entry(const TraceDescription* trace, std::string_view key) {
  if (trace == nullptr) return nullptr;
  const Attribute* found = nullptr;
  for (const Attribute& entry : trace->environment()) {
    if (entry.key == key) found = &entry;
  }
  return found;
}

// An entry that is an integer; one above 2^63-1 is taken for the negative one of the same bits.
std::optional<std::int64_t> environment_integer(const TraceDescription* trace,
                                                std::string_view key) {
  const Attribute* const entry = environment_entry(trace, key);
  if (entry == nullptr || !entry->is_json) return {};
  const char* const end = entry->value.data() + entry->value.size();
  std::int64_t value = 0;
  if (std::from_chars(entry->value.data(), end, value).ptr == end) return value;
  std::uint64_t magnitude = 0;
  if (std::from_chars(entry->value.data(), end, magnitude).ptr == end)
    return static_cast<std::int64_t>(magnitude);
  return {};
}

// Who recorded a trace: `host:proc:(7) `.
void append_origin(TextBuffer& out, const TraceDescription* trace) {
  bool any = false;
  const auto separate = [&] {
    if (std::exchange(any, true)) out.append(':');
  };
  if (const std::string* const host = environment_text(trace, "hostname")) {
    separate();
    out.append(*host);
  }
  if (const std::string* const process = environment_text(trace, "procname")) {
    separate();
    out.append(*process);
  }
  if (const auto id = environment_integer(trace, "vpid")) {
    separate();
    out.append('(');
    append_decimal(out, *id);
    out.append(')');
  }
  if (any) out.append(' ');
}

}  // namespace

const std::string* environment_text(const TraceDescription* trace, std::string_view key) {
  const Attribute* const entry = environment_entry(trace, key);
  return entry == nullptr || entry->is_json ? nullptr : &entry->value;
}

BabeltraceLine::BabeltraceLine(const EventClass& event_class,
                               std::shared_ptr<BabeltracePackets> packets,
                               BabeltracePalette palette)
    : common_context_(
          event_class.stream_class == nullptr ? nullptr : event_class.stream_class->common_context),
      specific_context_(event_class.specific_context),
      payload_(event_class.payload),
      clock_(event_class.clock),
      packets_(std::move(packets)),
      notes_(palette) {
  make_head(event_class, palette);
  make_fields(palette);
}

void BabeltraceLine::make_head(const EventClass& event_class, BabeltracePalette palette) {
  TextBuffer text(nullptr, 1024);
  const DataStreamClass* const stream_class = event_class.stream_class;
  append_origin(text, stream_class == nullptr ? nullptr : stream_class->trace);
  if (event_class.name && !event_class.name->empty()) {
    palette.text(text, BabeltracePaint::kEvent, *event_class.name);
  } else {
    palette.text(text, BabeltracePaint::kUnknown, "<unknown>");
  }
  text.append(": ");
  head_ = text.view();
}

// A key is all that stands before a value: the name, and what closed and opened since the last one.
void BabeltraceLine::make_fields(BabeltracePalette palette) {
  const std::array<const FieldClass*, kStructures> roots = {
      common_context_.get(), specific_context_.get(), payload_.get()};
  notes_.study(roots);
  has_text_ = std::ranges::any_of(roots, render::has_text);
  TextBuffer keys(nullptr, 1024);
  std::size_t key = 0;
  for (std::size_t i = 0; i < kStructures; ++i) {
    const auto* const structure = class_as<StructureClass>(roots[i]);
    if (structure == nullptr) continue;
    const std::vector<bool>* const shown = notes_.shown_members(structure);
    const bool shows = notes_.shows(roots[i]);
    if (shows) keys.append(has_structures_ ? ", {" : "{");
    has_structures_ = has_structures_ || shows;
    bool first = true;
    for (std::size_t k = 0; k < structure->members.size(); ++k) {
      const Member& member = structure->members[k];
      Field field{.field_class = member.field_class.get(), .kind = Kind::kHidden};
      if (shows && (shown == nullptr || (*shown)[k])) {
        keys.append(first ? " " : ", ");
        first = false;
        palette.text(keys, BabeltracePaint::kFieldName, member.name);
        keys.append(" = ");
        field = field_of(member.field_class.get(), palette);
        field.key = static_cast<std::uint32_t>(key);
        field.key_length = static_cast<std::uint32_t>(keys.size() - key);
        key = keys.size();
      }
      fields_[i].push_back(field);
    }
    if (shows) keys.append(" }");
  }
  keys.append('\n');
  tail_ = keys.view().substr(key);
  keys.append(kPiece, '\0');
  keys_ = keys.view();
}

BabeltraceLine::Field BabeltraceLine::field_of(const FieldClass* field_class,
                                               BabeltracePalette palette) {
  Field field{.field_class = field_class, .integer = BabeltraceInteger(field_class)};
  if (as_enumeration(field_class) != nullptr) {
    field.kind = Kind::kEnumeration;
    field.enumeration = &notes_.enumeration(*field_class);
  } else if (!palette.color() && class_as<IntegerClass>(field_class) != nullptr) {
    field.kind = field.integer.decimal() ? Kind::kDecimal : Kind::kInteger;
  } else if (!palette.color() && class_as<StringClass>(field_class) != nullptr) {
    field.kind = Kind::kString;
  }
  return field;
}

}  // namespace tracedeck::render
