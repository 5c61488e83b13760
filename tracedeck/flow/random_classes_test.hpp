// Random field classes of every kind, nested, with odd widths, labels, attributes and names, for
// tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/flow/random_numbers_test.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::flow {

class RandomClasses {
 public:
  explicit RandomClasses(RandomNumbers& random) : random_(random) {}

  // A structure of up to `most` members, and with them the lengths and selectors that they refer
  // to: members right before them, which nothing else refers to.
  FieldClassPtr structure(int depth, std::size_t most = 5) {
    StructureClass result;
    const std::size_t count = random_.below(most + 1);
    for (std::size_t i = 0; i < count; ++i) add_member(result.members, depth);
    return finish(std::move(result));
  }

  // A class that needs no other member; one in six was made before and is shared.
  FieldClassPtr any(int depth) {
    if (!made_.empty() && random_.once_in(6)) {
      const auto& [known, nesting] = random_.one_of(made_);
      if (nesting <= depth) return known;
    }
    made_.emplace_back(make(depth), depth);
    return made_.back().first;
  }

  Attributes attributes() {
    Attributes result;
    if (!random_.once_in(8)) return result;
    for (std::uint64_t i = 0; i <= random_.below(3); ++i) {
      result.push_back({.key = random_.letters(1 + random_.below(3)),
                        .value = random_.once_in(3) ? "{\"a\":1}" : random_.letters(4)});
      result.back().is_json = result.back().value.starts_with('{');
    }
    return result;
  }

  // One that no other has.
  std::string name() {
    static constexpr std::array<const char*, 9> kNames = {"a",
                                                          "_b",
                                                          "x.y",
                                                          "int",
                                                          "end time",
                                                          "gr\xC3\xB6\xC3\x9F"
                                                          "e",
                                                          "value",
                                                          "9lives",
                                                          "list[0]"};
    return random_.one_of(kNames) + std::to_string(names_++);
  }

  // One that others may have, with any bytes.
  std::string odd_name() {
    switch (random_.below(4)) {
      case 0:
        return "";
      case 1:
        return "same";
      case 2:
        return random_.bytes(1 + random_.below(20));
      default:
        return std::string("\0\xFF", 2);
    }
  }

 private:
  FieldClassPtr make(int depth) {
    switch (random_.below(depth <= 0 ? 6 : 11)) {
      case 0:
        return finish(BooleanClass{.layout = {.width = one_width({1, 8, 5, 64})}});
      case 1:
      case 2:
        return integer();
      case 3:
        return finish(RealClass{.layout = {.width = one_width({16, 32, 64, 128})}});
      case 4:
        return text();
      case 5:
        return finish(BlobClass{.extent = plain_extent(20)});
      case 6:
        return finish(ArrayClass{.element = any(depth - 1), .extent = plain_extent(4)});
      case 7:
        return structure(depth - 1, 3);
      case 8:
        return finish(
            MapClass{.key = random_.once_in(2) ? text() : any(0), .value = any(depth - 1)});
      case 9:
        return finish(OptionalClass{.value = any(depth - 1)});
      default:
        return random_.once_in(2) ? finish(DynamicClass{})
                                  : finish(VariantClass{.options = options(depth)});
    }
  }

  FieldClassPtr finish(FieldClass::Kind kind) {
    return std::make_shared<FieldClass>(
        FieldClass{.kind = std::move(kind), .attributes = attributes()});
  }

  std::uint32_t one_width(std::initializer_list<std::uint32_t> widths) {
    return widths.begin()[random_.below(widths.size())];
  }

  Extent plain_extent(std::uint64_t longest) {
    if (random_.once_in(2)) return StaticLength{random_.below(longest + 1)};
    return LengthPrefixed{.width = one_width({8, 16, 32})};
  }

  FieldClassPtr integer() {
    using Form = IntegerClass::Form;
    IntegerClass result{.is_signed = random_.once_in(2)};
    const bool wide = random_.once_in(12);
    const std::uint32_t width =
        static_cast<std::uint32_t>(wide ? 65 + random_.below(100) : 1 + random_.below(64));
    if (random_.once_in(4)) {
      result.layout = Leb128Layout{};
    } else {
      result.layout = FixedLayout{.width = random_.once_in(2) ? one_width({8, 16, 32, 64}) : width};
    }
    result.display_base = random_.once_in(4) ? DisplayBase::kHexadecimal : DisplayBase::kDecimal;
    if (random_.once_in(4)) {
      result.form = Form::kEnumeration;
      add_labels(result);
    } else if (random_.once_in(8)) {
      result.is_signed = false;
      result.form = Form::kBitMap;
      result.layout = FixedLayout{.width = 16};
      result.mappings = {{.label = "low", .ranges = {{.lower = 0, .upper = 3}}},
                         {.label = "high", .ranges = {{.lower = 15, .upper = 15}}}};
    } else if (random_.once_in(8)) {
      result = {.layout = FixedLayout{.width = 64},
                .form = Form::kAddress,
                .display_base = DisplayBase::kHexadecimal};
    }
    return finish(std::move(result));
  }

  // Ranges that overlap, too.
  void add_labels(IntegerClass& integer) {
    for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      const auto lower = static_cast<std::int64_t>(random_.below(2));
      const std::int64_t below = integer.is_signed ? 1 : 0;
      integer.mappings.push_back(
          {.label = random_.letters(1 + random_.below(20)),
           .ranges = {{.lower = lower - below, .upper = lower - below}, {.lower = 0, .upper = 0}}});
    }
  }

  FieldClassPtr text() {
    StringClass result;
    switch (random_.below(3)) {
      case 0:
        result.extent = NullTerminated{};
        break;
      case 1:
        result.extent = StaticLength{4 * random_.below(8)};
        break;
      default:
        // Formats with a length before the text have UTF-8 alone.
        result.extent = LengthPrefixed{.width = 16};
        result.interned = random_.once_in(3);
        return finish(std::move(result));
    }
    if (random_.once_in(4)) {
      static constexpr std::array<TextEncoding, 4> kWide = {
          TextEncoding::kUtf16Le, TextEncoding::kUtf16Be, TextEncoding::kUtf32Le,
          TextEncoding::kUtf32Be};
      result.encoding = random_.one_of(kWide);
    }
    return finish(std::move(result));
  }

  std::vector<VariantOption> options(int depth) {
    std::vector<VariantOption> result;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(1 + random_.below(3)); ++i) {
      result.push_back({.name = name(),
                        .field_class = any(depth - 1),
                        .ranges = {{.lower = 10 * i, .upper = 10 * i + 5}},
                        .attributes = attributes()});
    }
    return result;
  }

  void add_member(std::vector<Member>& members, int depth) {
    std::string selector;
    const auto before = [&](FieldClass::Kind kind) {
      selector = name();
      members.push_back({.name = selector, .field_class = finish(std::move(kind))});
      return FieldLocation{.path = {selector}};
    };
    const IntegerClass byte{.layout = FixedLayout{.width = 8}};
    FieldClassPtr field_class;
    switch (depth <= 0 ? 9 : random_.below(10)) {
      case 0:
        field_class =
            finish(ArrayClass{.element = any(depth - 1), .extent = LengthField{before(byte)}});
        break;
      case 1:
        field_class = finish(StringClass{.extent = LengthField{before(byte)}});
        break;
      case 2:
        field_class = finish(OptionalClass{.value = any(depth - 1),
                                           .presence = {.selector = before(BooleanClass{})}});
        break;
      case 3:
        field_class = finish(OptionalClass{
            .value = any(depth - 1),
            .presence = {.selector = before(byte), .ranges = {{.lower = 3, .upper = 7}}}});
        break;
      case 4: {
        const FieldLocation location = before(byte);
        field_class = finish(VariantClass{.options = options(depth), .selector = location});
        break;
      }
      default:
        field_class = any(depth);
    }
    members.push_back({.name = random_.once_in(12) ? odd_name() : name(),
                       .field_class = std::move(field_class),
                       .attributes = attributes()});
  }

  RandomNumbers& random_;
  std::uint64_t names_ = 0;
  std::vector<std::pair<FieldClassPtr, int>> made_;  // and how deep they may be
};

}  // namespace tracedeck::flow
