// Descriptions of random traces, for tests: every kind of field class, nested, with odd widths and
// alignments, nodes that are shared, names with odd bytes, several clocks and streams.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// What there is in a random description.
struct RandomParts {
  std::size_t clocks = 3;  // at most, as are the next ones
  std::size_t stream_classes = 3;
  std::size_t event_classes = 6;
  std::size_t streams = 4;
  std::size_t depth = 5;    // field classes within each other
  std::size_t members = 5;  // of a structure, options of a variant, labels
  // Lengths and selectors at field locations, which lead anywhere. Without, lengths are static,
  // directly before the content, or end with it, and selectors stand before the value.
  bool locations = true;
  bool odd_names = true;  // empty ones, control characters, bytes that are no UTF-8
};

// One choice follows from another by the seed alone.
class RandomDescription {
 public:
  explicit RandomDescription(std::uint64_t seed, const RandomParts& parts = {})
      : random_(seed), parts_(parts) {
    make_trace();
    for (std::size_t i = count(parts_.clocks + 1); i > 0; --i) description_->add_clock(clock());
    for (std::size_t i = 1 + count(parts_.stream_classes); i > 0; --i)
      description_->add_stream_class(stream_class());
    for (std::size_t i = count(parts_.event_classes + 1); i > 0; --i)
      description_->add_event_class(event_class());
    for (std::size_t i = count(parts_.streams + 1); i > 0; --i) streams_.push_back(stream());
  }

  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }
  // In the order of their ordinals. They point into the description.
  [[nodiscard]] const std::vector<std::shared_ptr<const DataStream>>& streams() const {
    return streams_;
  }

  // A number below `below`, which is not 0.
  std::size_t count(std::size_t below) { return static_cast<std::size_t>(random_() % below); }
  bool chance() { return random_() % 2 == 0; }

  // A class with up to `depth` within each other.
  FieldClassPtr field_class(std::size_t depth) {
    if (!made_.empty() && count(4) == 0) {
      const auto& [known, nesting] = made_[count(made_.size())];
      if (nesting <= depth) return known;
    }
    FieldClass made{.kind = depth > 1 && chance() ? compound(depth) : scalar()};
    return finished(std::move(made), depth);
  }
  FieldClassPtr structure(std::size_t depth) {
    return finished(FieldClass{.kind = structure_class(depth)}, depth);
  }

  std::string name() {
    static const std::array kNames = {
        std::string("x"), std::string("task_id"), std::string("fifteen letters"),
        std::string("sixteen letters."), std::string("\u00e4\u20ac\U0001F600")};
    static const std::array kOdd = {std::string(),
                                    std::string("\"\\/\b\f\n\r\t"),
                                    std::string("\0a\x1f\x7f", 4),
                                    std::string("\xff\xfe"),
                                    std::string("cut \xe2\x82"),
                                    std::string("\xed\xa0\x80"),
                                    std::string("{\"hex\":\"00\"}")};
    if (parts_.odd_names && count(4) == 0) return kOdd[count(kOdd.size())];
    if (count(4) == 0) return random_bytes();
    return kNames[count(kNames.size())];
  }

 private:
  // Values at the ends of their types as often as others.
  template <class T>
  T number() {
    constexpr std::array kEnds = {T{0}, T{1}, std::numeric_limits<T>::min(),
                                  std::numeric_limits<T>::max()};
    return chance() ? kEnds[count(kEnds.size())] : static_cast<T>(random_());
  }
  Integer integer() {
    const Uint128 wide = Uint128{random_()} << 64 | random_();
    switch (count(5)) {
      case 0:
        return Integer::from(number<std::uint64_t>());
      case 1:
        return Integer::from_signed(number<std::int64_t>());
      case 2:
        return {wide, false};
      case 3:
        return {Uint128{1} << 127, true};
      default:
        return Integer::of(wide >> 1, true);
    }
  }
  template <class T>
  std::optional<T> maybe(T value) {
    return chance() ? std::optional<T>(std::move(value)) : std::nullopt;
  }
  template <class T, std::size_t Count>
  T one_of(const std::array<T, Count>& values) {
    return values[count(Count)];
  }

  std::string random_bytes() {
    std::string bytes(count(20), ' ');
    for (char& each : bytes)
      each = static_cast<char>(parts_.odd_names ? count(256) : 'a' + count(26));
    return bytes;
  }

  Attributes attributes() {
    static constexpr std::array<std::string_view, 5> kJson = {
        "null", "12345678901234567890", R"({"a":[1,2.5e3,true],"\u00e9":"\n"})", "\"text\"", "[]"};
    Attributes made;
    if (count(4) != 0) return made;
    for (std::size_t i = count(3); i > 0; --i) {
      const bool json = chance();
      made.push_back(
          {.key = name(), .value = json ? std::string(one_of(kJson)) : name(), .is_json = json});
    }
    return made;
  }

  IntegerRanges ranges() {
    IntegerRanges made;
    for (std::size_t i = count(4); i > 0; --i) {
      const Integer a = integer();
      const Integer b = integer();
      made.push_back({std::min(a, b), std::max(a, b)});
    }
    return made;
  }

  FieldLocation location() {
    FieldLocation made{.root = static_cast<FieldLocation::Root>(count(7))};
    for (std::size_t i = count(4); i > 0; --i) made.path.push_back(maybe(name()));
    return made;
  }
  std::optional<FieldLocation> selector() {
    return parts_.locations ? maybe(location()) : std::nullopt;
  }

  FixedLayout layout() {
    static constexpr std::array<std::uint32_t, 16> kWidths = {
        1, 3, 7, 8, 12, 16, 17, 31, 32, 33, 63, 64, 65, 128, 1000, 65'536};
    return {.width = one_of(kWidths), .byte_order = byte_order(), .reversed = count(4) == 0};
  }
  ByteOrder byte_order() { return chance() ? ByteOrder::kLittle : ByteOrder::kBig; }
  std::uint32_t alignment() { return chance() ? 1U : std::uint32_t{1} << count(32); }

  Extent extent(bool is_text) {
    switch (count(parts_.locations ? 5 : 4)) {
      case 0:
        if (is_text) return NullTerminated{};
        return RestOfRecord{};
      case 1:
        return StaticLength{number<std::uint64_t>()};
      case 2:
        return LengthPrefixed{.width = 1 + static_cast<std::uint32_t>(count(64)),
                              .byte_order = byte_order()};
      case 3:
        return RestOfRecord{};
      default:
        return LengthField{location()};
    }
  }

  IntegerClass integer_class() {
    static constexpr std::array kBases = {DisplayBase::kBinary, DisplayBase::kOctal,
                                          DisplayBase::kDecimal, DisplayBase::kHexadecimal};
    IntegerClass made{.is_signed = chance(),
                      .form = static_cast<IntegerClass::Form>(count(5)),
                      .display_base = one_of(kBases)};
    if (chance()) {
      made.layout = layout();
    } else {
      made.layout = Leb128Layout{};
    }
    if (made.form == IntegerClass::Form::kEnumeration || made.form == IntegerClass::Form::kBitMap) {
      for (std::size_t i = count(parts_.members + 1); i > 0; --i)
        made.mappings.push_back({.label = name(), .ranges = ranges()});
    }
    return made;
  }

  FieldClass::Kind scalar() {
    static constexpr std::array<std::uint32_t, 6> kRealWidths = {16, 32, 64, 128, 160, 65'536};
    switch (count(6)) {
      case 0:
        return BooleanClass{layout()};
      case 1:
        return RealClass{.layout = {.width = one_of(kRealWidths),
                                    .byte_order = byte_order(),
                                    .reversed = chance()}};
      case 2:
        return StringClass{.extent = extent(true),
                           .encoding = static_cast<TextEncoding>(count(5)),
                           .interned = chance()};
      case 3: {
        BlobClass made{.extent = extent(false)};
        if (chance()) made.media_type = name();
        return made;
      }
      case 4:
        return DynamicClass{};
      default:
        return integer_class();
    }
  }

  FieldClass::Kind compound(std::size_t depth) {
    switch (count(5)) {
      case 0:
        return ArrayClass{.element = field_class(depth - 1),
                          .extent = extent(false),
                          .minimum_alignment = alignment(),
                          .interned = chance()};
      case 1:
        return MapClass{.key = field_class(depth - 1), .value = field_class(depth - 1)};
      case 2:
        return OptionalClass{.value = field_class(depth - 1),
                             .presence = {.selector = selector(), .ranges = ranges()}};
      case 3: {
        VariantClass made{.selector = selector()};
        for (std::size_t i = count(parts_.members + 1); i > 0; --i) {
          made.options.push_back({.name = name(),
                                  .field_class = field_class(depth - 1),
                                  .ranges = ranges(),
                                  .attributes = attributes()});
        }
        return made;
      }
      default:
        return structure_class(depth);
    }
  }

  StructureClass structure_class(std::size_t depth) {
    StructureClass made{.minimum_alignment = alignment()};
    for (std::size_t i = depth > 1 ? count(parts_.members + 1) : 0; i > 0; --i) {
      made.members.push_back(
          {.name = name(), .field_class = field_class(depth - 1), .attributes = attributes()});
    }
    return made;
  }

  FieldClassPtr finished(FieldClass made, std::size_t depth) {
    made.alignment = alignment();
    for (std::size_t i = count(8) / 6; i > 0; --i) made.roles.push_back(name());
    made.attributes = attributes();
    auto shared = std::make_shared<const FieldClass>(std::move(made));
    made_.emplace_back(shared, depth);
    return shared;
  }
  FieldClassPtr root() { return chance() ? structure(parts_.depth) : nullptr; }

  Identity identity() {
    return chance() ? Identity{.name_space = name(), .name = name(), .uid = name()} : Identity{};
  }

  void make_trace() {
    Uuid uuid;
    for (std::uint8_t& each : uuid) each = static_cast<std::uint8_t>(random_());
    description_->set_trace_class({.uuid = maybe(uuid),
                                   .name_space = name(),
                                   .name = maybe(name()),
                                   .uid = name(),
                                   .packet_header = root(),
                                   .attributes = attributes()});
    for (const Attribute& each : attributes()) description_->add_environment(each);
  }

  ClockClass clock() {
    ClockClass made{.id = name(),
                    .offset_seconds = number<std::int64_t>(),
                    .offset_ticks = number<std::uint64_t>(),
                    .shift = number<std::int64_t>(),
                    .origin = static_cast<ClockOrigin>(count(3)),
                    .identity = identity(),
                    .origin_identity = identity(),
                    .precision = maybe(number<std::uint64_t>()),
                    .accuracy = maybe(number<std::uint64_t>()),
                    .description = name(),
                    .attributes = attributes()};
    if (chance()) made.tick = {.numerator = 1 + count(1000), .denominator = 1 + count(1000)};
    return made;
  }
  const ClockClass* any_clock() {
    const auto& clocks = description_->clocks();
    return clocks.empty() || count(4) == 0 ? nullptr : &clocks[count(clocks.size())];
  }

  DataStreamClass stream_class() {
    made_.clear();
    return {.id = maybe(number<std::uint64_t>()),
            .name = maybe(name()),
            .name_space = name(),
            .uid = name(),
            .default_clock = any_clock(),
            .packet_context = root(),
            .event_header = root(),
            .common_context = root(),
            .context_identifies = chance(),
            .streams_are_parts = chance(),
            .has_describing_events = chance(),
            .attributes = attributes()};
  }
  const DataStreamClass& any_stream_class() {
    const auto& stream_classes = description_->stream_classes();
    return stream_classes[count(stream_classes.size())];
  }

  EventClass event_class() {
    made_.clear();
    EventClass made{.id = maybe(number<std::uint64_t>()),
                    .name = maybe(name()),
                    .name_space = name(),
                    .uid = name(),
                    .stream_class = &any_stream_class(),
                    .clock = any_clock(),
                    .has_duration = chance(),
                    .nominal_time = chance(),
                    .describes_others = chance(),
                    .self_described = count(4) == 0,
                    .specific_context = root(),
                    .payload = root(),
                    .attributes = attributes()};
    if (made.self_described) made.payload = name_and_map();
    return made;
  }
  FieldClassPtr name_and_map() {
    const FieldClassPtr dynamic = make_field_class(DynamicClass{});
    return make_field_class(StructureClass{
        .members = {
            {.name = name(), .field_class = make_field_class(StringClass{})},
            {.name = name(),
             .field_class = make_field_class(MapClass{.key = dynamic, .value = dynamic})}}});
  }

  std::shared_ptr<const DataStream> stream() {
    DataStream made{
        .entity = description_->next_stream(), .stream_class = &any_stream_class(), .file = name()};
    for (std::size_t i = made.stream_class->streams_are_parts ? 1 : count(4); i > 0; --i) {
      made.keys.push_back({.name = name(), .value = number<std::uint64_t>()});
      if (count(4) == 0) made.keys.back().digits = integer().to_string();
    }
    return std::make_shared<const DataStream>(std::move(made));
  }

  std::mt19937_64 random_;
  RandomParts parts_;
  std::shared_ptr<TraceDescription> description_ =
      std::make_shared<TraceDescription>("random", "dial9", "0.4");
  std::vector<std::shared_ptr<const DataStream>> streams_;
  // Classes of the present object that can be used again, and the depth that each was made for.
  std::vector<std::pair<FieldClassPtr, std::size_t>> made_;
};

}  // namespace tracedeck::lower
