#include "tracedeck/ctf/metadata/tsdl_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tracedeck/ctf/marks.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/text/json_out.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Root = FieldLocation::Root;

constexpr std::uint64_t kDefaultFrequency = 1'000'000'000;  // Hz

enum TraceAttribute : std::size_t { kMajor, kMinor, kTraceUuid, kTraceByteOrder, kPacketHeader };
constexpr std::array<KnownAttribute, 5> kTraceAttributes = {
    {{"major"}, {"minor"}, {"uuid"}, {"byte_order"}, {"packet.header", true}}};

enum ClockAttribute : std::size_t {
  kClockName,
  kClockUuid,
  kDescription,
  kFrequency,
  kPrecision,
  kOffsetSeconds,
  kOffset,
  kAbsolute,
};
constexpr std::array<KnownAttribute, 8> kClockAttributes = {{{"name"},
                                                             {"uuid"},
                                                             {"description"},
                                                             {"freq"},
                                                             {"precision"},
                                                             {"offset_s"},
                                                             {"offset"},
                                                             {"absolute"}}};

bool is_about_types(const TopLevel& declaration) {
  return !declaration.block || (declaration.block->kind != Block::Kind::kStream &&
                                declaration.block->kind != Block::Kind::kEvent);
}

}  // namespace

void BlockReader::add(TopLevel declaration) {
  const bool is_trace = declaration.block && declaration.block->kind == Block::Kind::kTrace;
  if (has_begun_) {
    add_in_order(std::move(declaration));
  } else if (is_trace) {
    begin(std::move(declaration));
  } else {
    waiting_.push_back(std::move(declaration));
  }
}

// The `trace` block says what `native` means to the types before it.
void BlockReader::begin(TopLevel trace) {
  has_begun_ = true;
  for (const Assignment& each : trace.block->assignments) {
    if (each.key != "byte_order" || each.type != nullptr) continue;
    if (const auto order = values_.byte_order(each.value, std::nullopt))
      types_.set_byte_order(*order);
  }
  std::vector<TopLevel> waiting = std::exchange(waiting_, {});
  for (TopLevel& each : waiting)
    if (is_about_types(each)) add_in_order(std::move(each));
  add_in_order(std::move(trace));
  for (TopLevel& each : waiting)
    if (each.block && !is_about_types(each)) add_in_order(std::move(each));
}

void BlockReader::add_in_order(TopLevel declaration) {
  if (declaration.declaration) {
    declarations_.push_back(std::move(*declaration.declaration));
    types_.declare(declarations_.back(), root_scope_);
    return;
  }
  Block& block = *declaration.block;
  switch (block.kind) {
    case Block::Kind::kTrace:
      return add_trace(block);
    case Block::Kind::kEnvironment:
      return add_environment(block);
    case Block::Kind::kClock:
      return add_clock(block);
    case Block::Kind::kStream:
      block.mark = take_next_mark();
      return add_stream(std::move(block));
    case Block::Kind::kEvent:
      block.mark = take_next_mark();
      return add_event(std::move(block));
    case Block::Kind::kCallsite:
      return;
  }
}

void BlockReader::settle(bool is_incomplete) {
  is_settling_ = true;
  if (!has_trace_) {
    if (!is_incomplete)
      findings_.report(TsdlRule::kTrace, {}, "there is no `trace` block; one was expected");
    has_begun_ = true;
    std::vector<TopLevel> waiting = std::exchange(waiting_, {});
    for (TopLevel& each : waiting) add_in_order(std::move(each));
  }
  while (!waiting_streams_.empty()) retry_streams(waiting_streams_.begin()->first);
  if (streams_.empty() && waiting_events_.contains(std::nullopt)) add_implicit_stream();
  for (const auto& [id, events] : waiting_events_) {
    for (const Block& each : events) {
      if (is_incomplete) break;
      findings_.report(TsdlRule::kEvent, each.place,
                       id ? fmt::format("there is no stream {} for this event", *id)
                          : "this event has no `stream_id`; there are several streams");
    }
  }
  if (!is_incomplete) report_unused_marks();
  is_settling_ = false;
}

void BlockReader::declare_types(const Block& block, TypeScope& scope) {
  for (const Declaration& each : block.declarations) types_.declare(each, scope);
}

FieldClassPtr BlockReader::root_class(const AttributeSet& given, std::size_t index,
                                      TypeScope& scope, Root root, const RootClasses& roots,
                                      bool& valid) {
  const TypeSpecifier* const type = given.type(index);
  if (type == nullptr) return nullptr;
  FieldClassPtr result = types_.root_class(*type, scope, root, roots);
  valid = valid && result != nullptr;
  return result;
}

Attributes BlockReader::unknown_attributes(const AttributeSet& given) const {
  Attributes result;
  for (const Assignment* const each : given.unknown())
    if (each->type == nullptr)
      result.push_back({.key = each->key, .value = plain_text(each->value)});
  return result;
}

void BlockReader::report_faults(const std::vector<ClassFault>& faults) {
  for (const ClassFault& each : faults)
    findings_.report(*each.rule, nodes_.place(each.field_class), each.text);
}

void BlockReader::add_trace(const Block& block) {
  if (has_trace_) {
    findings_.report(TsdlRule::kTrace, block.place, "there is a `trace` block already");
    return;
  }
  has_trace_ = true;
  const AttributeSet given(block.assignments, kTraceAttributes, "a `trace` block", findings_);
  check_version(given, block);
  if (const Expression* const order = given.value(kTraceByteOrder)) {
    static_cast<void>(values_.byte_order(*order, std::nullopt));
  } else {
    findings_.report(TsdlRule::kByteOrder, block.place,
                     "the trace has no `byte_order`; `be` or `le` was expected");
  }
  TraceClass trace{.attributes = unknown_attributes(given)};
  if (const Expression* const uuid = given.value(kTraceUuid)) trace.uuid = values_.uuid(*uuid);
  TypeScope scope{.parent = &root_scope_};
  declare_types(block, scope);
  bool valid = true;
  const FieldClassPtr header =
      root_class(given, kPacketHeader, scope, Root::kPacketHeader, {}, valid);
  trace.packet_header = roles_.give(header, Root::kPacketHeader).field_class;
  trace_roots_[index_of(Root::kPacketHeader)] = trace.packet_header;
  has_stream_ids_ =
      header != nullptr && nodes_.find_member(header.get(), "stream_id") != std::string::npos;
  if (valid) report_faults(metadata_.set_trace_class(std::move(trace)));
}

void BlockReader::check_version(const AttributeSet& given, const Block& block) {
  constexpr std::array<std::pair<TraceAttribute, std::uint64_t>, 2> kVersion = {
      {{kMajor, 1}, {kMinor, 8}}};
  for (const auto& [attribute, expected] : kVersion) {
    const Expression* const value = given.value(attribute);
    const std::string_view name = kTraceAttributes[attribute].name;
    if (value == nullptr) {
      findings_.report(TsdlRule::kAttributeMissing, block.place,
                       fmt::format("the trace has no `{}`; {} was expected", name, expected));
    } else {
      static_cast<void>(values_.number(*value, fmt::format("`{}`", name), expected, expected,
                                       TsdlRule::kVersion));
    }
  }
}

// Whether it is one of the marks that conversions write. What is no JSON is handed up as a text, so
// that who reads marks can say so.
bool BlockReader::take_mark(const Assignment& entry) {
  const std::string_view name = named_mark(entry.key);
  if (!name.starts_with(kMarkEntry)) return false;
  const std::string_view of = name.substr(kMarkEntry.size());
  const bool is_numbered =
      !of.empty() && of.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_numbered && !of.starts_with("stream_") && !of.starts_with("event_")) return false;
  std::string text = plain_text(entry.value);
  if (!holds_mark(text)) return false;
  const bool is_good = JsonParser().parse(as_bytes(text), 0, 1).has_value();
  Mark mark = {.text = is_good ? std::move(text) : json_string(text), .place = entry.place};
  if (is_numbered) {
    next_marks_.push_back(std::move(mark));
  } else {
    marks_.insert_or_assign(std::string(name), std::move(mark));
  }
  return true;
}

// The mark right before a block. Of several nothing says which classes they are about.
std::string BlockReader::take_next_mark() {
  std::vector<Mark> marks = std::exchange(next_marks_, {});
  if (marks.size() == 1) return std::move(marks[0].text);
  if (!marks.empty()) {
    findings_.report(TsdlRule::kEmbeddedDescription, marks[0].place,
                     fmt::format("{} entries `{}N` stand together, so that nothing says which "
                                 "classes they describe; events are shown as they are stored",
                                 marks.size(), kMarkEntry));
  }
  return {};
}

void BlockReader::report_unused_marks() {
  for (auto& [name, mark] : marks_) {
    if (std::exchange(mark.is_reported, true)) continue;
    findings_.report(TsdlRule::kEmbeddedDescription, mark.place,
                     fmt::format("`{}` describes a class that the trace does not have", name));
  }
}

// `mark`: the name of the entry that describes the block's class.
Attributes BlockReader::attributes(const AttributeSet& given, const Block& block,
                                   const std::string& mark) {
  Attributes result = unknown_attributes(given);
  const auto named = marks_.extract(mark);
  std::string text = named ? named.mapped().text : block.mark;
  if (!text.empty())
    result.push_back(
        {.key = std::string(kOurNamespace), .value = std::move(text), .is_json = true});
  return result;
}

void BlockReader::add_environment(const Block& block) {
  for (const Assignment& each : block.assignments) {
    if (each.type != nullptr) {
      findings_.report(
          TsdlRule::kEnvironment, each.place,
          fmt::format("`{}` is a type; an integer or a string was expected", each.key));
      continue;
    }
    if (take_mark(each)) continue;
    TraceDescription& description = *metadata_.description();
    const auto [place, is_new] =
        environment_.try_emplace(each.key, description.environment().size());
    const bool is_integer = each.value.kind == Expression::Kind::kInteger;
    types_.set_environment(each.key, is_integer ? std::optional(each.value.value) : std::nullopt);
    Attribute entry{.key = each.key, .value = plain_text(each.value), .is_json = is_integer};
    if (is_new) {
      description.add_environment(std::move(entry));
      continue;
    }
    findings_.report(TsdlRule::kEnvironmentRepeated, each.place,
                     fmt::format("there is an entry `{}` already; this one counts", each.key));
    description.set_environment(place->second, std::move(entry));
  }
}

void BlockReader::add_clock(const Block& block) {
  const AttributeSet given(block.assignments, kClockAttributes, "a `clock` block", findings_);
  ClockClass clock{.origin = ClockOrigin::kUnixEpoch};
  clock.attributes = unknown_attributes(given);
  if (const Expression* const name = given.value(kClockName)) {
    clock.id = values_.text(*name, "the name of a clock").value_or("");
  } else {
    findings_.report(TsdlRule::kAttributeMissing, block.place,
                     "this clock has no `name`; one was expected");
  }
  if (const Expression* const uuid = given.value(kClockUuid))
    if (values_.uuid(*uuid)) clock.identity.uid = plain_text(*uuid);
  if (const Expression* const text = given.value(kDescription))
    clock.description = values_.text(*text, "the description of a clock").value_or("");
  std::uint64_t frequency = kDefaultFrequency;
  if (const Expression* const value = given.value(kFrequency)) {
    frequency = values_.number(*value, "the frequency of a clock", 1).value_or(frequency);
  }
  if (frequency != kDefaultFrequency) clock.tick = Tick::from_frequency(frequency);
  if (const Expression* const value = given.value(kPrecision))
    clock.precision = values_.number(*value, "the precision of a clock");
  set_offset(given, frequency, clock);
  if (const Expression* const value = given.value(kAbsolute))
    if (values_.boolean(*value, "`absolute`").value_or(false))
      clock.attributes.push_back({.key = "absolute", .value = "true"});
  if (clock.id.empty()) return;
  if (const auto known = clocks_.find(clock.id); known != clocks_.end()) {
    // babeltrace2 writes a clock before each of the streams that it is a clock of.
    clock.shift = known->second->shift;
    if (same_clock(clock, *known->second) && clock.attributes == known->second->attributes) return;
    findings_.report(TsdlRule::kClock, block.place,
                     fmt::format("there is another clock `{}` already", clock.id));
    return;
  }
  const std::string name = clock.id;
  clocks_.emplace(name, &metadata_.add_clock(std::move(clock)));
  retry_streams(name);
  retry_streams({});
}

// Seconds and ticks, the ticks less than a second.
void BlockReader::set_offset(const AttributeSet& given, std::uint64_t frequency,
                             ClockClass& clock) {
  const auto ticks_a_second = static_cast<Int128>(frequency);
  Int128 seconds = 0;
  Int128 ticks = 0;
  if (const Expression* const value = given.value(kOffsetSeconds))
    seconds = values_.signed_number(*value, "`offset_s`").value_or(0);
  if (const Expression* const value = given.value(kOffset)) {
    if (value->kind != Expression::Kind::kInteger || value->value > UINT64_MAX ||
        value->value < INT64_MIN) {
      findings_.report(
          TsdlRule::kAttributeValue, value->place,
          fmt::format("`offset` is `{}`; an integer of 64 bits was expected", plain_text(*value)));
    } else {
      ticks = static_cast<Int128>(value->value);
    }
  }
  seconds += ticks / ticks_a_second;
  ticks %= ticks_a_second;
  if (ticks < 0) {
    ticks += ticks_a_second;
    --seconds;
  }
  clock.offset_seconds =
      static_cast<std::int64_t>(std::clamp<Int128>(seconds, INT64_MIN, INT64_MAX));
  clock.offset_ticks = static_cast<std::uint64_t>(ticks);
}

}  // namespace tracedeck::ctf::tsdl
