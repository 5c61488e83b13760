#include "tracedeck/model/path_steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck {
namespace {

std::string written(std::string_view path) {
  std::string text;
  for (const PathStep& step : parse_path(path)) {
    if (step.kind == PathStep::Kind::kIndex) {
      text += "<" + std::to_string(step.index) + ">";
    } else {
      text += (step.quoted ? "{" : "(") + step.name + (step.quoted ? "}" : ")");
    }
  }
  return text;
}

Slot key_slot(std::string_view text) {
  return bytes_slot(SlotKind::kString, as_bytes(text).data(),
                    static_cast<std::uint32_t>(text.size()));
}

FieldClassPtr number() { return make_field_class(IntegerClass{}); }

StructureClass structure(std::vector<Member> members) { return {.members = std::move(members)}; }

TEST(PathSteps, AreNamesAndIndexes) {
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("label"), "(label)");
  EXPECT_EQ(written("header.flags[2]"), "(header)(flags)<2>");
  EXPECT_EQ(written("list[-1].x"), "(list)<-1>(x)");
  EXPECT_EQ(written("[0][1]"), "<0><1>");
  EXPECT_EQ(written("a[\"odd.key\"]['it\"s'].b"), "(a){odd.key}{it\"s}(b)");
  // What is neither an index nor a quoted name belongs to the name.
  EXPECT_EQ(written("a[b].c"), "(a[b])(c)");
  EXPECT_EQ(written("a[1"), "(a[1)");
  EXPECT_EQ(written("a[\"x"), "(a[\"x)");
  EXPECT_EQ(written("a[99999999999999999999]"), "(a[99999999999999999999])");
  EXPECT_EQ(written("a[]"), "(a[])");
  EXPECT_EQ(written("a..b."), "(a)()(b)()");
  EXPECT_EQ(written(".a"), "()(a)");
}

TEST(PathSteps, SpellNames) {
  const auto spelled = [](std::string_view name, std::string_view path) {
    return steps_that_spell(name, parse_path(path));
  };
  EXPECT_EQ(spelled("http", "http.status"), 1U);
  EXPECT_EQ(spelled("http.status", "http.status.code"), 2U);
  EXPECT_EQ(spelled("http.stat", "http.status"), 0U);
  EXPECT_EQ(spelled("http.status.code", "http.status"), 0U);
  EXPECT_EQ(spelled("q[0]", "q[0].r"), 2U);
  EXPECT_EQ(spelled("q[0]", "q[00].r"), 2U);
  EXPECT_EQ(spelled("http.status", R"(http["status"])"), 0U);
  EXPECT_EQ(spelled("http.status", R"(["http.status"])"), 1U);
  EXPECT_EQ(spelled("http.status", R"(["http"].status)"), 0U);
  EXPECT_EQ(spelled("0", "[0]"), 0U);
}

TEST(PathSteps, TheLongestNameThatLeadsOnIsMeant) {
  const StructureClass members = structure(
      {{"http", make_field_class(structure({{"status", number()}, {"route", number()}}))},
       {"http.status", number()},
       {"deep",
        make_field_class(structure({{"a.b", make_field_class(structure({{"c", number()}}))},
                                    {"a", make_field_class(structure({{"b", number()}}))}}))}});
  const auto found = [&](std::string_view path) -> std::string {
    const auto member = find_member(members, parse_path(path));
    return member ? std::string(members.members[member->member].name.view()) : "";
  };
  EXPECT_EQ(found("http.status"), "http.status");
  EXPECT_EQ(found(R"(http["status"])"), "http");
  EXPECT_EQ(found("http.route"), "http");
  EXPECT_EQ(found("http"), "http");
  EXPECT_EQ(found("https"), "");
  // `http.status` is a number, which has nothing inside; nor has the other.
  EXPECT_EQ(found("http.status.code"), "http.status");
  const auto ambiguous = [&](std::string_view path) {
    return is_ambiguous(members, parse_path(path));
  };
  EXPECT_TRUE(ambiguous("http.status"));
  EXPECT_FALSE(ambiguous(R"(http["status"])"));
  EXPECT_FALSE(ambiguous("http.route"));
  EXPECT_TRUE(ambiguous("deep.a.b"));
  EXPECT_FALSE(ambiguous("deep.a.b.c"));
}

TEST(PathSteps, IndexesCountFromTheEndToo) {
  EXPECT_EQ(element_index(0, 3), 0U);
  EXPECT_EQ(element_index(-1, 3), 2U);
  EXPECT_EQ(element_index(-3, 3), 0U);
  EXPECT_EQ(element_index(-4, 3), std::nullopt);
  EXPECT_EQ(element_index(3, 3), std::nullopt);
  EXPECT_EQ(element_index(INT64_MIN, 3), std::nullopt);
}

TEST(PathSteps, LeadIntoMaps) {
  // {"http": {"status": 1}, "http.status": 2, 7: 3}
  const std::vector<Slot> slots = {head_slot(SlotKind::kMap, 3, 8),
                                   key_slot("http"),
                                   head_slot(SlotKind::kStringMap, 1, 2),
                                   key_slot("status"),
                                   unsigned_slot(1),
                                   key_slot("http.status"),
                                   unsigned_slot(2),
                                   unsigned_slot(7),
                                   unsigned_slot(3)};
  const auto value = [&](std::string_view path) {
    const auto all = parse_path(path);
    std::span<const PathStep> steps = all;
    const Located found = follow({.slot = slots.data()}, steps);
    return found.slot == nullptr ? 0U : found.slot->bits;
  };
  EXPECT_EQ(value("http.status"), 2U);
  EXPECT_EQ(value(R"(http["status"])"), 1U);
  EXPECT_EQ(value("[7]"), 3U);
  EXPECT_EQ(value("[6]"), 0U);
  EXPECT_EQ(value("http.route"), 0U);
  EXPECT_EQ(value("http.status.code"), 0U);
}

}  // namespace
}  // namespace tracedeck
