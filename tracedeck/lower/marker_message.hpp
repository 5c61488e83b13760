// What an event holds as one JSON object, for markers that stand for events of other formats.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/value_text.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// Of the events of one class. Members of the payload; of contexts those of `@common`, `@specific`,
// `@packet_header` and `@packet`; and `@duration` in ns. Values as value_text.hpp has them.
class MarkerMessage {
 public:
  // `event_class` must outlive it.
  explicit MarkerMessage(const EventClass& event_class)
      : payload_(names_of(event_class.payload)),
        common_(names_of(event_class.stream_class->common_context)),
        specific_(names_of(event_class.specific_context)),
        packet_header_(names_of(event_class.stream_class->trace->trace_class().packet_header)),
        packet_(names_of(event_class.stream_class->packet_context)) {}

  void append(std::string& out, const Event& event) const {
    out += '{';
    const std::size_t begin = out.size();
    const EventClass& event_class = *event.event_class;
    if (event_class.has_duration && event.has_time()) {
      out += kDuration;
      append_duration(out, event_class.clock->interval(event.time, event.end_time));
    }
    append_part(out, begin, R"(,"@common":{)", event.common_context(), common_);
    append_part(out, begin, R"(,"@specific":{)", event.specific_context(), specific_);
    if (event.packet != nullptr) {
      append_part(out, begin, R"(,"@packet_header":{)", event.packet->header, packet_header_);
      append_part(out, begin, R"(,"@packet":{)", event.packet->context, packet_);
    }
    if (out.size() != begin && !payload_.empty()) out += ',';
    append_members(out, event.payload(), payload_);
    out += '}';
  }

 private:
  static constexpr std::string_view kDuration = R"("@duration":)";

  struct Named {
    std::string name;  // quoted, with its colon, and the comma before it
    FieldClassPtr field_class;
  };
  using Members = std::vector<Named>;

  static void append_duration(std::string& out, const Nanoseconds& duration) {
    if (duration.magnitude() > UINT64_MAX) {
      out += duration.to_string();
      return;
    }
    if (duration.negative()) out += '-';
    append_integer(out, static_cast<std::uint64_t>(duration.magnitude()));
  }

  static Members names_of(const FieldClassPtr& of) {
    Members members;
    const auto* const structure = of == nullptr ? nullptr : of->as<StructureClass>();
    if (structure == nullptr) return members;
    for (const Member& member : structure->members) {
      Named& named = members.emplace_back(Named{{}, member.field_class});
      if (members.size() > 1) named.name = ",";
      append_quoted(named.name, member.name.view());
      named.name += ':';
    }
    return members;
  }

  static void append_members(std::string& out, std::span<const Slot> slots,
                             const Members& members) {
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    for (const Named& member : members) {
      if (slot >= end) break;
      out += member.name;
      slot = append_value_text(out, slot, *member.field_class);
    }
  }

  static void append_part(std::string& out, std::size_t begin, std::string_view head,
                          std::span<const Slot> slots, const Members& members) {
    if (slots.empty()) return;
    // Not the comma, where nothing comes before.
    out += out.size() != begin ? head : head.substr(1);
    append_members(out, slots, members);
    out += '}';
  }

  Members payload_;
  Members common_;
  Members specific_;
  Members packet_header_;
  Members packet_;
};

}  // namespace tracedeck::lower
