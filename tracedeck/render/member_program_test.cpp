// What programs write is what the walk writes, of values of every kind and in every style.
#include "tracedeck/render/member_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracedeck/render/babeltrace_value.hpp"
#include "tracedeck/render/csv_cells.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/render/text_value.hpp"

namespace tracedeck::render {
namespace {

// A class, and values that its members may have, rightly or not.
struct Kind {
  FieldClassPtr field_class;
  std::vector<Slots> values;
};

FieldClassPtr integer_of(IntegerClass::Form form, DisplayBase base, bool is_signed = false) {
  return make_field_class(
      IntegerClass{.is_signed = is_signed,
                   .layout = FixedLayout{.width = 64},
                   .form = form,
                   .display_base = base,
                   .mappings = {{.label = "low", .ranges = {{0, 1}}},
                                {.label = "two words", .ranges = {{2, 2}}},
                                {.label = "\xFF", .ranges = {{3, 3}}},
                                {.label = std::string(80, 'l'), .ranges = {{4, 4}}}}});
}

const std::vector<Kind>& kinds() {
  using Form = IntegerClass::Form;
  static const std::vector<std::uint8_t> kWide(9, 0xFF);
  static const std::vector<std::uint8_t> kPacked = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1};
  static const std::vector<std::string> kTexts = {"",
                                                  "a",
                                                  "abc",
                                                  "abcd",
                                                  "seven ch",
                                                  "fifteen charact",
                                                  "sixteen characte",
                                                  "seventeen charact",
                                                  std::string(64, 'x'),
                                                  std::string(65, 'x'),
                                                  std::string(5000, 'y'),
                                                  "quote\"",
                                                  "back\\slash",
                                                  "it's",
                                                  "what?",
                                                  "line\n",
                                                  "\x1B[2J",
                                                  "\x7F",
                                                  "\xC3\xA9",
                                                  "\xFF\xFE",
                                                  std::string("n\0l", 3)};
  static const std::vector<Kind> kKinds = [] {
    Slots integers = {wide_slot(SlotKind::kWideUnsigned, kWide), unresolved_slot(9),
                      unsigned_slot(5, kSlotAddress), named_slot(7, 1)};
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4},
          std::uint64_t{99'999'999}, std::uint64_t{100'000'000}, std::uint64_t{1} << 53,
          (std::uint64_t{1} << 53) + 1, ~std::uint64_t{0}}) {
      integers.push_back(unsigned_slot(value));
      integers.push_back(signed_slot(static_cast<std::int64_t>(value)));
      integers.push_back(signed_slot(static_cast<std::int64_t>(0 - value)));
    }
    const auto each = [](const Slots& slots) {
      std::vector<Slots> values;
      for (const Slot& slot : slots) values.push_back({slot});
      return values;
    };
    std::vector<Slots> texts = {{unresolved_slot(1)}};
    for (const std::string& text : kTexts) texts.push_back({text_slot(text)});
    std::vector<Kind> all;
    for (const Form form :
         {Form::kNumber, Form::kEnumeration, Form::kBitArray, Form::kBitMap, Form::kAddress}) {
      for (const DisplayBase base : {DisplayBase::kDecimal, DisplayBase::kHexadecimal,
                                     DisplayBase::kOctal, DisplayBase::kBinary})
        all.push_back({integer_of(form, base), each(integers)});
    }
    all.push_back({string_class(), texts});
    all.push_back({make_field_class(RealClass{}),
                   each({real_slot(0.5), real_slot(-1e300), real_slot(std::nan("")),
                         real_slot(-std::numeric_limits<double>::infinity())})});
    all.push_back({make_field_class(BooleanClass{}), each({boolean_slot(true)})});
    std::vector<Slots> optionals = {{head_slot(SlotKind::kOptional, 0, 0)}};
    for (const Slots& text : texts)
      optionals.push_back({head_slot(SlotKind::kOptional, 1, 1), text[0]});
    all.push_back({make_field_class(OptionalClass{.value = string_class()}), optionals});
    all.push_back({make_field_class(OptionalClass{
                       .value = integer_of(Form::kEnumeration, DisplayBase::kDecimal)}),
                   {{head_slot(SlotKind::kOptional, 0, 0)},
                    {head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(1)}}});
    all.push_back({array_class(unsigned_class()),
                   {{head_slot(SlotKind::kArray, 0, 0)},
                    {head_slot(SlotKind::kArray, 2, 2), unsigned_slot(1), unsigned_slot(2)},
                    {packed_slot(PackedElement::kU64Le, kPacked.data(), 16)}}});
    all.push_back({array_class(address_class()),
                   {{packed_slot(PackedElement::kU64Le, kPacked.data(), 16, kSlotAddress)},
                    {packed_slot(PackedElement::kU32Be, kPacked.data(), 16)}}});
    all.push_back(
        {structure_class({{"odd name", string_class()}, {"n", unsigned_class()}}),
         {{head_slot(SlotKind::kStructure, 0, 2), text_slot(kTexts[11]), unsigned_slot(1)}}});
    return all;
  }();
  return kKinds;
}

// Calls `check(program, walk)` with what both make of the same members.
template <class Values, class Prepare>
void compare(Values& programmed, Values& walked, Prepare prepare) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    StructureClass structure;
    std::vector<const Kind*> chosen;
    for (unsigned i = 0; i < 1 + random() % 12; ++i) {
      const Kind& kind = kinds()[random() % kinds().size()];
      chosen.push_back(&kind);
      structure.members.push_back({.name = i % 3 == 0 ? "a name" : "m" + std::to_string(i),
                                   .field_class = kind.field_class,
                                   .attributes = {}});
    }
    const FieldClassPtr root = make_field_class(std::move(structure));
    prepare(root.get());
    MemberProgram<std::remove_reference_t<decltype(programmed.style())>> program;
    program.add_members(root.get(), programmed);
    for (int event = 0; event < 60; ++event) {
      Slots slots;
      for (const Kind* const kind : chosen) {
        const Slots& value = kind->values[random() % kind->values.size()];
        slots.insert(slots.end(), value.begin(), value.end());
      }
      TextBuffer got(nullptr, 64);
      programmed.style().open(got, SlotKind::kStructure);
      program.run(got, slots, programmed);
      programmed.style().close(got, SlotKind::kStructure);
      TextBuffer want(nullptr, 64);
      walked.append_members(want, slots, root.get());
      ASSERT_EQ(got.view(), want.view());
    }
  }
}

template <class Style>
void compare_json(bool large_as_strings) {
  CompiledValues<Style> programmed(large_as_strings);
  CompiledValues<Style> walked(large_as_strings);
  compare(programmed, walked, [](const FieldClass*) {});
  EXPECT_EQ(programmed.style().faults(), walked.style().faults());
  EXPECT_GT(walked.style().faults().replaced_texts, 0U);
  EXPECT_EQ(walked.style().faults().large_numbers == 0, large_as_strings);
}

TEST(MemberProgram, WritesJsonAsTheWalkDoes) {
  compare_json<JsonStyle>(false);
  compare_json<JsonStyle>(true);
}

TEST(MemberProgram, WritesCsvAsTheWalkDoes) {
  compare_json<CsvStyle>(false);
  compare_json<CsvStyle>(true);
}

TEST(MemberProgram, WritesTextAsTheWalkDoes) {
  ValueNames names;
  names.add("sensor");
  for (const bool color : {false, true}) {
    CompiledValues<TextStyle> programmed{Palette(color)};
    CompiledValues<TextStyle> walked{Palette(color)};
    programmed.style().set_names(&names);
    walked.style().set_names(&names);
    compare(programmed, walked, [](const FieldClass*) {});
  }
}

TEST(MemberProgram, WritesTheFormOfBabeltraceAsTheWalkDoes) {
  for (const bool color : {false, true}) {
    for (const bool shown : {true, false}) {
      const BabeltracePalette palette(color);
      BabeltraceValues programmed{palette};
      BabeltraceValues walked{palette};
      programmed.style().show_names(shown);
      walked.style().show_names(shown);
      std::deque<BabeltraceNotes> notes;
      compare(programmed, walked, [&](const FieldClass* root) {
        notes.emplace_back(palette).study({&root, 1});
        programmed.style().set_notes(notes.back());
        walked.style().set_notes(notes.back());
      });
    }
  }
}

TEST(MemberProgram, ColumnsWidenUpToALimitAndUnitsStandBehindValues) {
  CompiledValues<TextStyle> values{Palette(false)};
  MemberProgram<TextStyle> program;
  const FieldClassPtr optional = make_field_class(OptionalClass{.value = unsigned_class()});
  program.add("a=", 2, unsigned_class().get(), values, "ms");
  program.add("b=", 2, optional.get(), values, " l");
  program.add("c=", 2, unsigned_class().get(), values);
  const auto line = [&](const Slots& slots, std::size_t before = 0) {
    TextBuffer out(nullptr, 64);
    program.run_in_columns(out, slots, values, before);
    return std::string(out.view());
  };
  EXPECT_EQ(line({unsigned_slot(1), head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(20),
                  unsigned_slot(3)},
                 3),
            "   a=1ms  b=20 l  c=3");
  EXPECT_EQ(line({unsigned_slot(1000), head_slot(SlotKind::kOptional, 0, 0), unsigned_slot(3)}),
            "a=1000ms  b=none  c=3");
  EXPECT_EQ(line({unsigned_slot(1), head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(2),
                  unsigned_slot(3)}),
            "a=1ms     b=2 l   c=3");
}

TEST(MemberProgram, FewerSlotsThanMembers) {
  CompiledValues<JsonStyle> values;
  MemberProgram<JsonStyle> program;
  const FieldClassPtr root = structure_class({{"a", unsigned_class()}, {"b", unsigned_class()}});
  program.add_members(root.get(), values);
  TextBuffer out(nullptr, 64);
  program.run(out, Slots{unsigned_slot(1)}, values);
  EXPECT_EQ(out.view(), "\"a\":1");
}

TEST(MemberProgram, RoomIsMadeWhereTheBufferEnds) {
  std::string text;
  const auto output = io::memory_output(text);
  TextBuffer out(output.get(), 512);
  CompiledValues<JsonStyle> values;
  MemberProgram<JsonStyle> program;
  StructureClass structure;
  for (int i = 0; i < 200; ++i)
    structure.members.push_back(
        {.name = "m" + std::to_string(i), .field_class = unsigned_class(), .attributes = {}});
  const FieldClassPtr root = make_field_class(std::move(structure));
  program.add_members(root.get(), values);
  program.run(out, Slots(200, unsigned_slot(~std::uint64_t{0} >> 20)), values);
  ASSERT_TRUE(out.drain());
  std::string want;
  for (int i = 0; i < 200; ++i)
    want += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":17592186044415";
  EXPECT_EQ(text, want);
}

}  // namespace
}  // namespace tracedeck::render
