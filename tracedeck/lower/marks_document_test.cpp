// docs/marks.md has the keys that marks have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tracedeck/format/document_test.hpp"
#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/description_text.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/text_members.hpp"

namespace tracedeck::lower {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;
using Keys = std::vector<std::string>;

const Document& document() {
  static const Document kDocument("../marks.md");
  return kDocument;
}

// The words in the first cell of each row; in the one behind it when `column` is 1.
Keys words(std::string_view row, int column = 0) {
  for (row.remove_prefix(1); column > 0; --column) row.remove_prefix(row.find('|') + 1);
  row = row.substr(0, row.find('|'));
  Keys found;
  for (std::size_t at = row.find('`'); at != std::string_view::npos; at = row.find('`')) {
    row.remove_prefix(at + 1);
    found.emplace_back(row.substr(0, row.find('`')));
    row.remove_prefix(row.find('`') + 1);
  }
  return found;
}

Keys first_words(std::string_view heading, int table = 0) {
  Keys found;
  for (const std::string& row : document().table(heading, table)) found.push_back(words(row).at(0));
  return found;
}

template <class Class>
void add_keys(Keys& keys);

template <class Class, class Value>
void add_key(Keys& keys, const TextMember<Class, Value>& member) {
  keys.emplace_back(member.key);
}
template <class Class, class Value>
void add_key(Keys& keys, const InlineMember<Class, Value>&) {
  if constexpr (std::is_same_v<Value, IntegerLayout>) {
    add_keys<FixedLayout>(keys);
    keys.emplace_back("leb128");
  } else {
    add_keys<Value>(keys);
  }
}

template <class Class>
void add_keys(Keys& keys) {
  std::apply([&](const auto&... each) { (add_key(keys, each), ...); }, TextMembers<Class>::kAll);
}

template <class Class>
Keys keys_of() {
  Keys keys;
  add_keys<Class>(keys);
  return keys;
}

template <std::size_t... places>
void expect_kinds(std::index_sequence<places...>) {
  const Document::Lines rows = document().table("## Field classes", 1);
  ASSERT_EQ(rows.size(), sizeof...(places));
  const auto expect = [&](std::size_t place, const Keys& keys) {
    EXPECT_THAT(words(rows[place]), ElementsAreArray({std::string(kKindWords[place])}));
    EXPECT_THAT(words(rows[place], 1), ElementsAreArray(keys)) << rows[place];
  };
  (expect(places, keys_of<std::variant_alternative_t<places, FieldClass::Kind>>()), ...);
}

TEST(MarksDocument, Objects) {
  EXPECT_THAT(first_words("### trace"), ElementsAreArray(keys_of<TraceText>()));
  EXPECT_THAT(first_words("### environment"), ElementsAreArray(keys_of<Attribute>()));
  EXPECT_THAT(first_words("### clock"), ElementsAreArray(keys_of<ClockClass>()));
  EXPECT_THAT(first_words("### stream-class"), ElementsAreArray(keys_of<DataStreamClass>()));
  EXPECT_THAT(first_words("### event-class"), ElementsAreArray(keys_of<EventClass>()));
  EXPECT_THAT(first_words("### data-stream"), ElementsAreArray(keys_of<DataStream>()));
  EXPECT_THAT(first_words("### stream-end"), ElementsAreArray(keys_of<StreamEnd>()));
  const Document::Lines rows = document().table("## Objects");
  for (const std::string_view word : kEntityWords)
    EXPECT_THAT(rows.at(0), HasSubstr("`" + std::string(word) + "`"));
}

TEST(MarksDocument, FieldClasses) {
  Keys all = {"kind"};
  add_keys<FieldClass>(all);
  EXPECT_THAT(first_words("## Field classes"), ElementsAreArray(all));
  expect_kinds(std::make_index_sequence<kKindWords.size()>());
  Keys of_kinds;
  for (const std::string& row : document().table("## Field classes", 1)) {
    for (std::string& key : words(row, 1)) {
      if (std::ranges::find(of_kinds, key) == of_kinds.end()) of_kinds.push_back(std::move(key));
    }
  }
  EXPECT_THAT(first_words("## Field classes", 2), UnorderedElementsAreArray(of_kinds));
}

TEST(MarksDocument, Carriers) {
  Keys members;
  for (const Member& each : mark_payload()->as<StructureClass>()->members)
    members.push_back(each.name.str());
  EXPECT_THAT(first_words("## Where they stand"), ElementsAreArray(members));

  const AttributeMark mark{.events = AttributeMark::OfEvents{.shape = {.any_string = true,
                                                                       .any_integer = true,
                                                                       .ordered = true,
                                                                       .clock_value = true,
                                                                       .in_packet = true}},
                           .streams = AttributeMark::OfStreams{},
                           .stream = 1,
                           .is_loss = true};
  const std::string json = MarkText(0).take(mark, {}).at(0).value;
  for (const auto& [heading, table] :
       {std::pair("## Where they stand", 1), std::pair("## Classes of CTF", 0)}) {
    for (const std::string& key : first_words(heading, table))
      EXPECT_THAT(json, HasSubstr("\"" + key + "\":"));
  }
  const std::string of_class = ClassMark{.shape = {.lists = true}}.text();
  for (const std::string& key : first_words("## Classes of dial9"))
    EXPECT_THAT(of_class, HasSubstr("\"" + key + "\":"));
}

}  // namespace
}  // namespace tracedeck::lower
