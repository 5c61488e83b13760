#include "tracedeck/render/babeltrace_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tracedeck/model/labels.hpp"
#include "tracedeck/model/log_level.hpp"
#include "tracedeck/render/value_walk.hpp"
#include "tracedeck/text/number.hpp"

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

// What a class says by an attribute, or "".
std::string_view attribute_of(const EventClass& event_class, std::string_view key) {
  const auto found = std::ranges::find(event_class.attributes, key, &Attribute::key);
  return found == event_class.attributes.end() ? std::string_view() : found->value;
}

// What stands between the time of a line and its fields, part after part: `host:proc:(7) name: `,
// or `, trace:hostname = host, name = name, `.
class HeadText {
 public:
  // `behind_time`: a time with its name stands before it.
  HeadText(const BabeltraceLine::Form& form, bool behind_time)
      : form_(form), separates_(behind_time && form.names.header) {}

  void trace(std::string_view name) {
    label("trace");
    text_.append(name);
    if (form_.names.header) text_.append(", ");
  }
  void part(std::string_view name, std::string_view value) {
    label(name);
    if (any_ && !form_.names.header) text_.append(':');
    text_.append(value);
    any_ = true;
  }
  // The last one.
  void event(BabeltracePaint paint, std::string_view name) {
    if (any_ && !form_.names.header) text_.append(' ');
    label("name");
    form_.palette.text(text_, paint, name);
    text_.append(form_.names.header ? ", " : ": ");
  }
  [[nodiscard]] std::string_view view() const { return text_.view(); }

 private:
  void label(std::string_view name) {
    if (separates_) text_.append(", ");
    if (form_.names.header) form_.palette.name(text_, name);
  }

  const BabeltraceLine::Form& form_;
  bool separates_;
  bool any_ = false;
  TextBuffer text_{nullptr, 1024};
};

}  // namespace

const std::string* environment_text(const TraceDescription* trace, std::string_view key) {
  const Attribute* const entry = environment_entry(trace, key);
  return entry == nullptr || entry->is_json ? nullptr : &entry->value;
}

BabeltraceLine::BabeltraceLine(const EventClass& event_class,
                               std::shared_ptr<BabeltracePackets> packets, const Form& form,
                               BabeltraceValues& values)
    : common_context_(
          event_class.stream_class == nullptr ? nullptr : event_class.stream_class->common_context),
      specific_context_(event_class.specific_context),
      payload_(event_class.payload),
      clock_(event_class.clock),
      packets_(std::move(packets)),
      notes_(form.palette) {
  make_head(event_class, form);
  make_programs(form, values);
}

void BabeltraceLine::make_head(const EventClass& event_class, const Form& form) {
  const TraceDescription* const trace =
      event_class.stream_class == nullptr ? nullptr : event_class.stream_class->trace;
  HeadText head(form, event_class.clock != nullptr);
  if (form.fields.trace) head.trace(form.trace);
  const auto entry = [&](bool shown, std::string_view name, std::string_view key) {
    const std::string* const value = shown ? environment_text(trace, key) : nullptr;
    if (value != nullptr) head.part(name, *value);
  };
  entry(form.fields.hostname, "trace:hostname", "hostname");
  entry(form.fields.domain, "trace:domain", "domain");
  entry(form.fields.procname, "trace:procname", "procname");
  const auto process = environment_integer(trace, "vpid");
  if (form.fields.vpid && process) head.part("trace:vpid", "(" + std::to_string(*process) + ")");
  const auto level = form.fields.loglevel ? log_level(event_class) : std::nullopt;
  if (level) head.part("loglevel", fmt::format("TRACE_{} ({})", kLogLevels[*level], *level));
  const std::string_view uri = attribute_of(event_class, "model.emf.uri");
  if (form.fields.emf && !uri.empty()) head.part("model.emf.uri", uri);
  const bool has_name = event_class.name && !event_class.name->empty();
  head.event(has_name ? BabeltracePaint::kEvent : BabeltracePaint::kUnknown,
             has_name ? std::string_view(*event_class.name) : "<unknown>");
  head_ = Literal(head.view());
}

// What stands before a value is its name, and what closed and opened since the last one.
void BabeltraceLine::make_programs(const Form& form, BabeltraceValues& values) {
  static constexpr std::array<std::string_view, kStructures> kScopes = {
      "stream.event.context", "event.context", "event.fields"};
  const std::array<const FieldClass*, kStructures> roots = {
      common_context_.get(), specific_context_.get(), payload_.get()};
  notes_.study(roots);
  values.style().set_notes(notes_);
  TextBuffer before(nullptr, 1024);
  for (std::size_t i = 0; i < kStructures; ++i) {
    const auto* const structure = class_as<StructureClass>(roots[i]);
    if (structure == nullptr) continue;
    const std::vector<bool>* const shown = notes_.shown_members(structure);
    const bool shows = notes_.shows(roots[i]);
    values.style().show_names(i + 1 == kStructures ? form.names.payload : form.names.context);
    if (shows) {
      if (has_structures_) before.append(", ");
      if (form.names.scope) form.palette.name(before, kScopes[i]);
      values.style().open(before, SlotKind::kStructure);
    }
    has_structures_ = has_structures_ || shows;
    std::size_t written = 0;
    for (std::size_t k = 0; k < structure->members.size(); ++k) {
      if (!shows || (shown != nullptr && !(*shown)[k])) {
        programs_[i].add_hidden();
        continue;
      }
      const Member& member = structure->members[k];
      values.style().begin_part(before, SlotKind::kStructure, written++);
      values.style().member(before, member.name);
      programs_[i].add(before.view(), 0, member.field_class.get(), values);
      before.clear();
    }
    if (shows) values.style().close(before, SlotKind::kStructure);
  }
  before.append('\n');
  tail_ = Literal(before.view());
}

}  // namespace tracedeck::render
