// Small traces built by hand, for the tests of the renderers.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::render {

using Slots = std::vector<Slot>;

inline Slot text_slot(std::string_view text) {
  return bytes_slot(SlotKind::kString, as_bytes(text).data(),
                    static_cast<std::uint32_t>(text.size()));
}
inline Slot wide_slot(SlotKind kind, const std::vector<std::uint8_t>& bytes) {
  return bytes_slot(kind, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

inline FieldClassPtr unsigned_class() {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = 64}});
}
inline FieldClassPtr address_class() {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = 64},
                                       .form = IntegerClass::Form::kAddress,
                                       .display_base = DisplayBase::kHexadecimal});
}
inline FieldClassPtr enumeration_class(std::vector<Mapping> mappings, bool is_signed = false) {
  return make_field_class(IntegerClass{.is_signed = is_signed,
                                       .form = IntegerClass::Form::kEnumeration,
                                       .mappings = std::move(mappings)});
}
inline FieldClassPtr string_class() { return make_field_class(StringClass{}); }
inline FieldClassPtr array_class(FieldClassPtr element) {
  return make_field_class(ArrayClass{.element = std::move(element), .extent = LengthPrefixed{}});
}
inline FieldClassPtr structure_class(
    std::initializer_list<std::pair<std::string, FieldClassPtr>> members) {
  StructureClass structure;
  for (const auto& [name, field_class] : members) {
    structure.members.push_back({.name = name, .field_class = field_class, .attributes = {}});
  }
  return make_field_class(std::move(structure));
}

// One trace with one data stream class and one data stream, {"segment":0}; classes are added and
// events made as a test needs them.
class SampleTrace {
 public:
  explicit SampleTrace(std::string input = "sample.bin")
      : description(std::move(input), "dial9", "1"),
        clock(description.add_clock({})),
        stream_class(description.add_stream_class({.default_clock = &clock})),
        stream{.entity = description.next_stream(),
               .stream_class = &stream_class,
               .keys = {{"segment", 0}},
               .file = {}} {}

  EventClass event_class(std::optional<std::uint64_t> id, std::optional<std::string> name,
                         FieldClassPtr payload) const {
    // Beyond those of classes that are added.
    return {.entity = {description.number(), 1000 + made_++},
            .id = id,
            .name = std::move(name),
            .name_space = {},
            .uid = {},
            .stream_class = &stream_class,
            .clock = &clock,
            .payload = std::move(payload)};
  }

  const EventClass& add(EventClass of) { return description.add_event_class(std::move(of)); }

  // An event of the class; its slots live as long as the trace.
  Event event(const EventClass& of, std::uint64_t time, Slots payload, Slots common = {},
              Slots specific = {}) {
    const std::size_t common_count = common.size();
    common.insert(common.end(), specific.begin(), specific.end());
    common.insert(common.end(), payload.begin(), payload.end());
    const Slots& kept = slots_.emplace_back(std::move(common));
    return {.event_class = &of,
            .stream = &stream,
            .time = time,
            .end_time = time,
            .slots = kept.data(),
            .slot_count = static_cast<std::uint32_t>(kept.size()),
            .common_count = static_cast<std::uint32_t>(common_count),
            .specific_count = static_cast<std::uint32_t>(specific.size())};
  }

  TraceDescription description;
  ClockClass& clock;
  DataStreamClass& stream_class;
  DataStream stream;

 private:
  std::deque<Slots> slots_;
  mutable std::uint64_t made_ = 0;
};

// What a writer makes of the records, and of an end after them.
template <class Make>
std::string rendered(Make make, const std::vector<Record>& records) {
  std::string text;
  const auto output = io::memory_output(text);
  const std::unique_ptr<Writer> writer = make(*output);
  for (const Record& record : records) {
    if (!writer->write(record)) return "write failed";
  }
  if (!writer->finish()) return "finish failed";
  return text;
}

}  // namespace tracedeck::render
