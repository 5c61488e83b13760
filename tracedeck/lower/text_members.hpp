// What the texts of a description's objects say, as tables: the key of each member of each class,
// and what its value must be. Writing and reading go by the same tables, so neither knows a member
// that the other does not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// The greatest version of these texts that is understood here, and the one that is written.
inline constexpr std::uint64_t kTextVersion = 1;

// What texts are about.
enum class Entity : std::uint8_t {
  kTrace,
  kEnvironment,
  kClock,
  kStreamClass,
  kEventClass,
  kDataStream,
  kStreamEnd,
};
inline constexpr std::array<std::string_view, 7> kEntityWords = {
    "trace", "environment", "clock", "stream-class", "event-class", "data-stream", "stream-end"};
[[nodiscard]] constexpr std::string_view entity_word(Entity entity) {
  return kEntityWords[static_cast<std::size_t>(entity)];
}

// A member that stands in the text unless it has the value that it has in a class just made.
template <class Class, class Value>
struct TextMember {
  std::string_view key;
  Value Class::* member;
  bool (*holds)(const Value&) = nullptr;  // null: every value will do
  std::string_view expected = {};         // what holds, in words
};

// A member whose own members stand in the text of the class.
template <class Class, class Value>
struct InlineMember {
  Value Class::* member;
  bool (*holds)(const Value&) = nullptr;
  std::string_view expected = {};
};

// A trace as its text says it: all but what is added to the description by and by.
struct TraceText {
  std::uint64_t version_of_text = 0;
  std::string format = {};
  std::string version = {};
  std::string name_among_others = {};
  bool is_part = false;  // of a divided result: it does not describe all that the trace had
  TraceClass trace_class = {};
};

// Until when a data stream was recorded, behind its last event.
struct StreamEnd {
  std::uint64_t time = 0;  // a value of its default clock
};

using IntegerLayout = decltype(IntegerClass::layout);

[[nodiscard]] inline bool is_known_version(const std::uint64_t& version) {
  return version == kTextVersion;
}
// As formats call themselves and their versions: "2 (CTF2-SPEC-2.0)".
[[nodiscard]] inline bool is_printable(const std::string& word) {
  return word.size() <= 64 &&
         std::ranges::all_of(word, [](char c) { return c >= ' ' && c <= '~'; });
}
[[nodiscard]] inline bool is_alignment(const std::uint32_t& bits) {
  return bits != 0 && (bits & (bits - 1)) == 0;
}
[[nodiscard]] inline bool is_width(const std::uint32_t& bits) {
  return bits >= 1 && bits <= 65'536;
}
[[nodiscard]] inline bool is_width_of_length(const std::uint32_t& bits) {
  return bits >= 1 && bits <= 64;
}
[[nodiscard]] inline bool is_real(const FixedLayout& layout) {
  return layout.width == 16 || layout.width == 32 || layout.width == 64 ||
         (layout.width >= 128 && layout.width % 32 == 0);
}
[[nodiscard]] inline bool is_tick(const Tick& tick) {
  return tick.numerator != 0 && tick.denominator != 0;
}
[[nodiscard]] inline bool is_structure(const FieldClassPtr& field_class) {
  return field_class == nullptr || field_class->as<StructureClass>() != nullptr;
}

[[nodiscard]] inline bool is_given(const FieldClassPtr& field_class) {
  return field_class != nullptr;
}
[[nodiscard]] inline bool is_stream_class(const DataStreamClass* const& stream_class) {
  return stream_class != nullptr;
}

inline constexpr std::string_view kAWord = "at most 64 printable characters of ASCII";
inline constexpr std::string_view kAClass = "the number of a class in `fields`";
inline constexpr std::string_view kAStreamClass = "the ordinal of a data stream class";
inline constexpr std::string_view kAnAlignment = "a power of two below 2^32";
inline constexpr std::string_view kAStructure = "the number of a structure in `fields`";

// The members of `Class` in the order in which they are written.
template <class Class>
struct TextMembers;

template <>
struct TextMembers<FixedLayout> {
  static constexpr std::tuple kAll = {
      TextMember{"width", &FixedLayout::width, is_width, "from 1 to 65536 bits"},
      TextMember{"byte-order", &FixedLayout::byte_order},
      TextMember{"reversed", &FixedLayout::reversed},
  };
};

template <>
struct TextMembers<LengthPrefixed> {
  static constexpr std::tuple kAll = {
      TextMember{"width", &LengthPrefixed::width, is_width_of_length, "from 1 to 64 bits"},
      TextMember{"byte-order", &LengthPrefixed::byte_order},
  };
};

template <>
struct TextMembers<BooleanClass> {
  static constexpr std::tuple kAll = {InlineMember{&BooleanClass::layout}};
};

template <>
struct TextMembers<IntegerClass> {
  static constexpr std::tuple kAll = {
      TextMember{"signed", &IntegerClass::is_signed},
      InlineMember{&IntegerClass::layout},
      TextMember{"form", &IntegerClass::form},
      TextMember{"base", &IntegerClass::display_base},
      TextMember{"mappings", &IntegerClass::mappings},
  };
};

template <>
struct TextMembers<RealClass> {
  static constexpr std::tuple kAll = {InlineMember{
      &RealClass::layout, is_real, "a real of 16, 32, 64, 128 bits or a greater multiple of 32"}};
};

template <>
struct TextMembers<StringClass> {
  static constexpr std::tuple kAll = {
      TextMember{"extent", &StringClass::extent},
      TextMember{"encoding", &StringClass::encoding},
      TextMember{"interned", &StringClass::interned},
  };
};

template <>
struct TextMembers<BlobClass> {
  static constexpr std::tuple kAll = {
      TextMember{"extent", &BlobClass::extent},
      TextMember{"media-type", &BlobClass::media_type},
  };
};

template <>
struct TextMembers<ArrayClass> {
  static constexpr std::tuple kAll = {
      TextMember{"element", &ArrayClass::element, is_given, kAClass},
      TextMember{"extent", &ArrayClass::extent},
      TextMember{"minimum-alignment", &ArrayClass::minimum_alignment, is_alignment, kAnAlignment},
      TextMember{"interned", &ArrayClass::interned},
  };
};

template <>
struct TextMembers<StructureClass> {
  static constexpr std::tuple kAll = {
      TextMember{"members", &StructureClass::members},
      TextMember{"minimum-alignment", &StructureClass::minimum_alignment, is_alignment,
                 kAnAlignment},
  };
};

template <>
struct TextMembers<MapClass> {
  static constexpr std::tuple kAll = {
      TextMember{"key", &MapClass::key, is_given, kAClass},
      TextMember{"value", &MapClass::value, is_given, kAClass},
  };
};

template <>
struct TextMembers<SelectorRanges> {
  static constexpr std::tuple kAll = {
      TextMember{"selector", &SelectorRanges::selector},
      TextMember{"ranges", &SelectorRanges::ranges},
  };
};

template <>
struct TextMembers<OptionalClass> {
  static constexpr std::tuple kAll = {
      TextMember{"value", &OptionalClass::value, is_given, kAClass},
      InlineMember{&OptionalClass::presence},
  };
};

template <>
struct TextMembers<VariantClass> {
  static constexpr std::tuple kAll = {
      TextMember{"options", &VariantClass::options},
      TextMember{"selector", &VariantClass::selector},
  };
};

template <>
struct TextMembers<DynamicClass> {
  static constexpr std::tuple<> kAll = {};
};

// Of a field class: what is said behind its kind.
template <>
struct TextMembers<FieldClass> {
  static constexpr std::tuple kAll = {
      TextMember{"alignment", &FieldClass::alignment, is_alignment, kAnAlignment},
      TextMember{"roles", &FieldClass::roles},
      TextMember{"attributes", &FieldClass::attributes},
  };
};

template <>
struct TextMembers<TraceClass> {
  static constexpr std::tuple kAll = {
      TextMember{"uuid", &TraceClass::uuid},
      TextMember{"namespace", &TraceClass::name_space},
      TextMember{"name", &TraceClass::name},
      TextMember{"uid", &TraceClass::uid},
      TextMember{"packet-header", &TraceClass::packet_header, is_structure, kAStructure},
      TextMember{"attributes", &TraceClass::attributes},
  };
};

template <>
struct TextMembers<TraceText> {
  static constexpr std::tuple kAll = {
      TextMember{"tracedeck", &TraceText::version_of_text, is_known_version,
                 "1, the only version of these texts so far"},
      TextMember{"format", &TraceText::format, is_printable, kAWord},
      TextMember{"version", &TraceText::version, is_printable, kAWord},
      TextMember{"name-among-others", &TraceText::name_among_others},
      TextMember{"part", &TraceText::is_part},
      InlineMember{&TraceText::trace_class},
  };
};

template <>
struct TextMembers<Attribute> {
  static constexpr std::tuple kAll = {
      TextMember{"key", &Attribute::key},
      TextMember{"value", &Attribute::value},
      TextMember{"json", &Attribute::is_json},
  };
};

template <>
struct TextMembers<Identity> {
  static constexpr std::tuple kAll = {
      TextMember{"namespace", &Identity::name_space},
      TextMember{"name", &Identity::name},
      TextMember{"uid", &Identity::uid},
  };
};

template <>
struct TextMembers<ClockClass> {
  static constexpr std::tuple kAll = {
      TextMember{"id", &ClockClass::id},
      TextMember{"tick", &ClockClass::tick, is_tick, "two numbers that are not 0"},
      TextMember{"offset-seconds", &ClockClass::offset_seconds},
      TextMember{"offset-ticks", &ClockClass::offset_ticks},
      TextMember{"shift", &ClockClass::shift},
      TextMember{"origin", &ClockClass::origin},
      TextMember{"identity", &ClockClass::identity},
      TextMember{"origin-identity", &ClockClass::origin_identity},
      TextMember{"precision", &ClockClass::precision},
      TextMember{"accuracy", &ClockClass::accuracy},
      TextMember{"description", &ClockClass::description},
      TextMember{"attributes", &ClockClass::attributes},
  };
};

template <>
struct TextMembers<DataStreamClass> {
  static constexpr std::tuple kAll = {
      TextMember{"id", &DataStreamClass::id},
      TextMember{"name", &DataStreamClass::name},
      TextMember{"namespace", &DataStreamClass::name_space},
      TextMember{"uid", &DataStreamClass::uid},
      TextMember{"clock", &DataStreamClass::default_clock},
      TextMember{"packet-context", &DataStreamClass::packet_context, is_structure, kAStructure},
      TextMember{"event-header", &DataStreamClass::event_header, is_structure, kAStructure},
      TextMember{"common-context", &DataStreamClass::common_context, is_structure, kAStructure},
      TextMember{"context-identifies", &DataStreamClass::context_identifies},
      TextMember{"streams-are-parts", &DataStreamClass::streams_are_parts},
      TextMember{"has-describing-events", &DataStreamClass::has_describing_events},
      TextMember{"attributes", &DataStreamClass::attributes},
  };
};

template <>
struct TextMembers<EventClass> {
  static constexpr std::tuple kAll = {
      TextMember{"id", &EventClass::id},
      TextMember{"name", &EventClass::name},
      TextMember{"namespace", &EventClass::name_space},
      TextMember{"uid", &EventClass::uid},
      TextMember{"stream-class", &EventClass::stream_class, is_stream_class, kAStreamClass},
      TextMember{"clock", &EventClass::clock},
      TextMember{"has-duration", &EventClass::has_duration},
      TextMember{"nominal-time", &EventClass::nominal_time},
      TextMember{"describes-others", &EventClass::describes_others},
      TextMember{"self-described", &EventClass::self_described},
      TextMember{"specific-context", &EventClass::specific_context, is_structure, kAStructure},
      TextMember{"payload", &EventClass::payload, is_structure, kAStructure},
      TextMember{"attributes", &EventClass::attributes},
  };
};

template <>
struct TextMembers<DataStream> {
  static constexpr std::tuple kAll = {
      TextMember{"stream-class", &DataStream::stream_class, is_stream_class, kAStreamClass},
      TextMember{"keys", &DataStream::keys},
      TextMember{"file", &DataStream::file},
  };
};

template <>
struct TextMembers<StreamEnd> {
  static constexpr std::tuple kAll = {TextMember{"time", &StreamEnd::time}};
};

// Words for kinds of field classes, by their place in `FieldClass::Kind`.
inline constexpr std::array<std::string_view, std::variant_size_v<FieldClass::Kind>> kKindWords = {
    "boolean",   "integer", "real",     "string",  "blob",   "array",
    "structure", "map",     "optional", "variant", "dynamic"};

// Words for enumerators.
template <class Enum>
struct TextWords;

template <class Enum>
using Word = std::pair<std::string_view, Enum>;

template <>
struct TextWords<ByteOrder> {
  static constexpr std::array kAll = {Word<ByteOrder>{"little", ByteOrder::kLittle},
                                      Word<ByteOrder>{"big", ByteOrder::kBig}};
};

template <>
struct TextWords<DisplayBase> {
  static constexpr std::array kAll = {Word<DisplayBase>{"binary", DisplayBase::kBinary},
                                      Word<DisplayBase>{"octal", DisplayBase::kOctal},
                                      Word<DisplayBase>{"decimal", DisplayBase::kDecimal},
                                      Word<DisplayBase>{"hexadecimal", DisplayBase::kHexadecimal}};
};

template <>
struct TextWords<IntegerClass::Form> {
  using Form = IntegerClass::Form;
  static constexpr std::array kAll = {
      Word<Form>{"number", Form::kNumber}, Word<Form>{"enumeration", Form::kEnumeration},
      Word<Form>{"bit-array", Form::kBitArray}, Word<Form>{"bit-map", Form::kBitMap},
      Word<Form>{"address", Form::kAddress}};
};

template <>
struct TextWords<TextEncoding> {
  static constexpr std::array kAll = {Word<TextEncoding>{"utf-8", TextEncoding::kUtf8},
                                      Word<TextEncoding>{"utf-16le", TextEncoding::kUtf16Le},
                                      Word<TextEncoding>{"utf-16be", TextEncoding::kUtf16Be},
                                      Word<TextEncoding>{"utf-32le", TextEncoding::kUtf32Le},
                                      Word<TextEncoding>{"utf-32be", TextEncoding::kUtf32Be}};
};

template <>
struct TextWords<ClockOrigin> {
  static constexpr std::array kAll = {Word<ClockOrigin>{"unknown", ClockOrigin::kUnknown},
                                      Word<ClockOrigin>{"unix-epoch", ClockOrigin::kUnixEpoch},
                                      Word<ClockOrigin>{"custom", ClockOrigin::kCustom}};
};

template <>
struct TextWords<FieldLocation::Root> {
  using Root = FieldLocation::Root;
  static constexpr std::array kAll = {Word<Root>{"relative", Root::kRelative},
                                      Word<Root>{"packet-header", Root::kPacketHeader},
                                      Word<Root>{"packet-context", Root::kPacketContext},
                                      Word<Root>{"event-header", Root::kEventHeader},
                                      Word<Root>{"common-context", Root::kCommonContext},
                                      Word<Root>{"specific-context", Root::kSpecificContext},
                                      Word<Root>{"payload", Root::kPayload}};
};

// What an extent is, by its place in `Extent`; the first is the one that is not said.
inline constexpr std::array<std::string_view, std::variant_size_v<Extent>> kExtentWords = {
    "null-terminated", "static", "prefix", "field", "rest"};

}  // namespace tracedeck::lower
