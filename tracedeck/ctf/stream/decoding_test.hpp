// What the tests of decoding share: classes by their JSON, literal bytes, values as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/ctf/metadata/json_metadata_test.hpp"
#include "tracedeck/ctf/stream/machine.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"

namespace tracedeck::ctf {

using Bytes = std::vector<std::uint8_t>;

inline Bytes operator+(Bytes bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

// Field classes. `more`: further properties, each with a comma in front.
inline std::string fixed(std::string_view kind, unsigned length, std::string_view order,
                         std::string_view more = "") {
  return fmt::format(R"({{"type":"fixed-length-{}","length":{},"byte-order":"{}-endian"{}}})", kind,
                     length, order, more);
}
inline std::string u_le(unsigned length, std::string_view more = "") {
  return fixed("unsigned-integer", length, "little", more);
}
inline std::string u_be(unsigned length, std::string_view more = "") {
  return fixed("unsigned-integer", length, "big", more);
}
inline std::string s_le(unsigned length, std::string_view more = "") {
  return fixed("signed-integer", length, "little", more);
}
inline std::string s_be(unsigned length, std::string_view more = "") {
  return fixed("signed-integer", length, "big", more);
}
inline std::string bit_array(unsigned length, std::string_view order, std::string_view more = "") {
  return fixed("bit-array", length, order, more);
}
inline constexpr std::string_view kUnsignedLeb128 =
    R"({"type":"variable-length-unsigned-integer"})";
inline constexpr std::string_view kSignedLeb128 = R"({"type":"variable-length-signed-integer"})";
inline constexpr std::string_view kString = R"({"type":"null-terminated-string"})";
inline constexpr std::string_view kAtByte = R"(,"alignment":8)";

// A structure of members a, b, c ...
inline std::string structure(const std::vector<std::string>& classes, std::string_view more = "") {
  std::string members;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    members += fmt::format(R"({}{{"name":"{}","field-class":{}}})", i == 0 ? "" : ",",
                           static_cast<char>('a' + i), classes[i]);
  }
  return fmt::format(R"({{"type":"structure","member-classes":[{}]{}}})", members, more);
}
// A role, as a further property of a field class.
inline std::string role(std::string_view word) { return fmt::format(R"(,"roles":["{}"])", word); }
inline std::string static_array(unsigned length, std::string_view element,
                                std::string_view more = "") {
  return fmt::format(R"({{"type":"static-length-array","length":{},"element-field-class":{}{}}})",
                     length, element, more);
}
// `location`: as JSON.
inline std::string dynamic_array(std::string_view location, std::string_view element,
                                 std::string_view more = "") {
  return fmt::format(
      R"({{"type":"dynamic-length-array","length-field-location":{},"element-field-class":{}{}}})",
      location, element, more);
}
// `ranges`: as JSON; empty: the selector is a boolean.
inline std::string optional(std::string_view location, std::string_view value,
                            std::string_view ranges = "") {
  return fmt::format(R"({{"type":"optional","selector-field-location":{},"field-class":{}{}}})",
                     location, value,
                     ranges.empty() ? "" : fmt::format(R"(,"selector-field-ranges":{})", ranges));
}
inline std::string variant(std::string_view location,
                           const std::vector<std::pair<std::string, std::string>>& options) {
  std::string text;
  for (const auto& [ranges, field_class] : options) {
    text += fmt::format(R"({}{{"selector-field-ranges":{},"field-class":{}}})",
                        text.empty() ? "" : ",", ranges, field_class);
  }
  return fmt::format(R"({{"type":"variant","selector-field-location":{},"options":[{}]}})",
                     location, text);
}
// The location of a member of the payload.
inline std::string in_payload(std::string_view name) {
  return fmt::format(R"(["event-record-payload","{}"])", name);
}

// The root field classes of a trace with one data stream class and one event record class, as JSON;
// empty: there is none.
struct Roots {
  std::string payload = {};
  std::string specific_context = {};
  std::string common_context = {};
  std::string event_header = {};
  std::string packet_context = {};
  std::string packet_header = {};
  std::string more_of_trace_class = {};  // properties, each with a comma in front
  bool clock = false;                    // of 1 GHz
  bool final = false;                    // in the words of CTF2-SPEC-2.0
  std::string aliases = {};              // fragments, each with a line end
};

inline ReadStream read_roots(const Roots& roots) {
  const auto root = [](std::string_view name, const std::string& text) {
    return text.empty() ? "" : fmt::format(R"(,"{}-field-class":{})", name, text);
  };
  std::string lines(roots.final ? kFinalStart : kRc3Start);
  lines += roots.aliases;
  if (!roots.packet_header.empty() || !roots.more_of_trace_class.empty()) {
    lines += fmt::format("{{\"type\":\"trace-class\"{}{}}}\n",
                         root("packet-header", roots.packet_header), roots.more_of_trace_class);
  }
  if (roots.clock) {
    lines += fmt::format("{{\"type\":\"clock-class\",\"{}\":\"c\",\"frequency\":1000000000}}\n",
                         roots.final ? "id" : "name");
  }
  lines += fmt::format(
      "{{\"type\":\"data-stream-class\"{}{}{}{}}}\n",
      roots.clock ? fmt::format(",\"default-clock-class-{}\":\"c\"", roots.final ? "id" : "name")
                  : "",
      root("packet-context", roots.packet_context), root("event-record-header", roots.event_header),
      root("event-record-common-context", roots.common_context));
  lines +=
      fmt::format("{{\"type\":\"event-record-class\"{}{}}}\n",
                  root("specific-context", roots.specific_context), root("payload", roots.payload));
  return read_lines(lines);
}

// The value that begins at `slot`, as text; returns the one after it. Structures are {}, arrays [],
// packed arrays <>, options #i value, optionals ? value, integers above 64 bits in hexadecimal.
inline const Slot* show(const Slot* slot, std::string& text) {
  const auto hex = [&](std::string_view prefix) {
    text += prefix;
    for (std::size_t i = slot->length; i-- > 0;) text += fmt::format("{:02x}", slot->pointer[i]);
  };
  const Slot* const next = slot->next();
  const auto parts = [&](char open, char close) {
    text += open;
    for (const Slot* part = slot + 1; part < next;) {
      if (part != slot + 1) text += ' ';
      part = show(part, text);
    }
    text += close;
  };
  switch (slot->kind) {
    case SlotKind::kBoolean:
      text += slot->bits == 0 ? "false" : "true";
      break;
    case SlotKind::kUnsigned:
      text += fmt::format("{}", slot->bits);
      break;
    case SlotKind::kSigned:
      text += fmt::format("{:+}", slot->integer);
      break;
    case SlotKind::kReal:
      text += fmt::format("{:.1f}", slot->real);
      break;
    case SlotKind::kString:
      text += fmt::format("\"{}\"", slot->text());
      break;
    case SlotKind::kBlob:
      text += "blob:";
      for (std::size_t i = 0; i < slot->length; ++i)
        text += fmt::format("{:02x}", slot->pointer[i]);
      break;
    case SlotKind::kPackedArray:
      text += '<';
      for (std::size_t i = 0; i < packed_count(*slot); ++i) {
        const Slot element = packed_element(*slot, i);
        if (i != 0) text += ' ';
        show(&element, text);
      }
      text += '>';
      break;
    case SlotKind::kWideUnsigned:
      hex("0x");
      break;
    case SlotKind::kWideSigned:
      hex("s0x");
      break;
    case SlotKind::kWideReal:
      hex("r0x");
      break;
    case SlotKind::kArray:
      EXPECT_GE(next - slot - 1, 0);
      parts('[', ']');
      break;
    case SlotKind::kStructure:
      parts('{', '}');
      break;
    case SlotKind::kOptional:
      text += '?';
      if (slot->bits != 0) show(slot + 1, text);
      break;
    case SlotKind::kVariant:
      text += fmt::format("#{} ", slot->bits);
      show(slot + 1, text);
      break;
    case SlotKind::kUnresolved:
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      ADD_FAILURE() << "no value of CTF";
      break;
  }
  return next;
}

// The values of a root structure, one behind the other.
inline std::string show(const Slot* begin, const Slot* end) {
  std::string text;
  for (const Slot* slot = begin; slot < end;) {
    if (slot != begin) text += ' ';
    slot = show(slot, text);
  }
  return text;
}

struct Decoded {
  RunStatus status = RunStatus::kDone;
  std::string text = {};       // values, roots apart by |; else the rule, where, and what is wrong
  std::uint64_t position = 0;  // bits behind the last root; of a fault, where it is
  std::uint64_t needed = 0;    // of kNeedBytes
};

struct DecodeAt {
  std::uint64_t position = 0;  // bits
  std::uint64_t content = DecodeState::kEndless;
};

// Decodes the contexts and the payload, from `at.position` of a packet on, whose byte there is the
// first of `bytes`.
inline Decoded decode(const Roots& roots, const Bytes& bytes, const DecodeAt& at = {}) {
  const ReadStream read = read_roots(roots);
  if (read.has_errors()) return {.text = read.listing()};
  const auto schema = read.metadata->schema();
  const StreamSchema& stream = *schema->streams.at(0);
  const EventSchema& event = *stream.events()->find(0);
  Bytes padded = bytes;
  padded.resize(bytes.size() + kPadding, 0xA5);
  std::vector<Slot> slots(1);
  for (;;) {
    DecodeState state;
    state.base = reinterpret_cast<std::uintptr_t>(padded.data()) - at.position / 8;
    state.content = at.content;
    state.limit = std::min((at.position / 8 + bytes.size()) * 8, at.content);
    state.position = at.position;
    state.registers.resize(schema->register_count);
    state.out = state.out_begin = slots.data();
    state.out_end = slots.data() + slots.size();
    Decoded decoded;
    for (const Program* const program :
         {&stream.common_context, event.specific_context.get(), &event.payload}) {
      if (program == nullptr) continue;
      const Slot* const begin = state.out;
      decoded.status = run(*program, state);
      if (decoded.status != RunStatus::kDone) break;
      EXPECT_EQ(state.depth, 0U);
      EXPECT_EQ(state.promised, 0U);
      if (program->empty()) continue;
      if (!decoded.text.empty()) decoded.text += " | ";
      decoded.text += show(begin, state.out);
    }
    if (decoded.status == RunStatus::kNeedSlots) {
      EXPECT_GT(state.needed, slots.size());
      slots.resize(state.needed);
      continue;
    }
    decoded.position = state.position;
    decoded.needed = state.needed;
    if (decoded.status != RunStatus::kDone) {
      decoded.position = state.fault.position;
      decoded.text = fmt::format("{} at {}: {}", stream_rule(state.fault.rule, schema->dialect).id,
                                 state.fault.position, state.fault.text);
    }
    return decoded;
  }
}

// What a payload of these members decodes to.
inline std::string payload(const std::vector<std::string>& classes, const Bytes& bytes,
                           const DecodeAt& at = {}) {
  return decode({.payload = structure(classes)}, bytes, at).text;
}

}  // namespace tracedeck::ctf
