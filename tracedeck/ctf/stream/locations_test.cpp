// Field locations that lead nowhere, found when the classes are added. Those that lead somewhere
// are in examples_test.cpp and machine_compound_test.cpp.
#include "tracedeck/ctf/stream/locations.hpp"

#include <gtest/gtest.h>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

// The rules and sections of what is found, and their sentences, one a line.
std::string found_in(const Roots& roots) { return read_roots(roots).listing(); }
std::string found(const std::vector<std::string>& classes) {
  return found_in({.payload = structure(classes)});
}
// One fault of a location, whose text ends with `text`.
void expect_fault(const std::string& listing, std::string_view rule, std::string_view text) {
  EXPECT_EQ(listing.substr(0, listing.find(' ')), rule) << listing;
  EXPECT_EQ(std::ranges::count(listing, '\n'), 1) << listing;
  EXPECT_NE(listing.find(text), std::string::npos) << listing;
}

std::string optional_member(std::string_view location) { return optional(location, u_le(8)); }

TEST(Location, CitesTheProcedureOfItsDialect) {
  const std::string rc3 = found({dynamic_array(in_payload("x"), u_le(8))});
  expect_fault(rc3, "ctf/location-member", "[CTF2-SPECRC-3.0 field-loc-dec]");
  const std::string relative =
      R"({"type":"dynamic-length-array","length-field-location":{"path":["x"]},"element-field-class":)" +
      u_le(8) + "}";
  expect_fault(found_in({.payload = structure({relative}), .final = true}), "ctf/location-member",
               "[CTF2-SPEC-2.0 field-loc-dec]");
}

// Aliases, each a structure of two of the one before.
Roots doubled(std::size_t levels) {
  Roots roots = {.payload = structure({fmt::format("\"t{}\"", levels)}), .final = true};
  const auto alias = [](std::size_t level, const std::string& of) {
    return fmt::format(R"({{"type":"field-class-alias","name":"t{}","field-class":{}}})", level,
                       of) +
           '\n';
  };
  roots.aliases = alias(0, u_le(8));
  for (std::size_t i = 0; i < levels; ++i)
    roots.aliases +=
        alias(i + 1, structure({fmt::format("\"t{}\"", i), fmt::format("\"t{}\"", i)}));
  return roots;
}

TEST(Location, SharedClassesDoNotMultiply) {
  EXPECT_EQ(found_in(doubled(15)), "");
  for (const std::size_t levels : {16U, 40U, 200U})
    expect_fault(found_in(doubled(levels)), "ctf/limit-program",
                 "the classes in the event-record-payload");
}

TEST(Location, NamesAMemberThatIsThere) {
  expect_fault(found({u_le(8), dynamic_array(in_payload("x"), u_le(8))}), "ctf/location-member",
               "field location `event-record-payload.x`: there is no member `x`");
  expect_fault(
      found({structure({u_le(8)}), dynamic_array(R"(["event-record-payload","a","x"])", u_le(8))}),
      "ctf/location-member", "there is no member `x`");
}

TEST(Location, LeadsBack) {
  expect_fault(found({dynamic_array(in_payload("b"), u_le(8)), u_le(8)}), "ctf/location-order",
               "member `b` is not decoded by then");
  expect_fault(found({dynamic_array(in_payload("a"), u_le(8))}), "ctf/location-order",
               "it leads to the field that it is for");
  // Inside an element, too.
  expect_fault(
      found({static_array(
          2, structure({dynamic_array(R"(["event-record-payload","a","b"])", u_le(8)), u_le(8)}))}),
      "ctf/location-order", "member `b` is not decoded by then");
}

TEST(Location, BeginsInARootThatIsDecodedByThen) {
  expect_fault(found({dynamic_array(R"(["event-record-specific-context","a"])", u_le(8))}),
               "ctf/location-root", "there is no such root field class");
  expect_fault(found_in({.payload = structure({u_le(8)}),
                         .specific_context = structure({dynamic_array(in_payload("a"), u_le(8))})}),
               "ctf/location-root", "that root is not decoded by then");
  EXPECT_EQ(found_in({.payload = structure(
                          {dynamic_array(R"(["event-record-common-context","a"])", u_le(8))}),
                      .common_context = structure({u_le(8)})}),
            "");
}

TEST(Location, LeadsIntoAnArrayOnlyFromInside) {
  expect_fault(found({static_array(2, structure({u_le(8)})),
                      dynamic_array(R"(["event-record-payload","a","a"])", u_le(8))}),
               "ctf/location-array", "it leads into an array that is decoded already");
  expect_fault(found({static_array(2, u_le(8)), dynamic_array(in_payload("a"), u_le(8))}),
               "ctf/location-array", "it leads into an array that is decoded already");
}

TEST(Location, PassesThroughStructuresAlone) {
  expect_fault(found({u_le(8), dynamic_array(R"(["event-record-payload","a","x"])", u_le(8))}),
               "ctf/location-target", "there is no `x` in a field of class unsigned-integer");
  expect_fault(found({structure({u_le(8)}), dynamic_array(in_payload("a"), u_le(8))}),
               "ctf/location-target", "which cannot be its length");
}

TEST(Location, OfALength) {
  for (const std::string& wrong :
       {s_le(8), fixed("boolean", 8, "little"), bit_array(8, "little"), std::string(kString),
        fixed("floating-point-number", 32, "little")}) {
    expect_fault(found({wrong, dynamic_array(in_payload("a"), u_le(8))}), "ctf/array-length",
                 "which cannot be its length");
  }
  const auto of = [](std::string_view kind) {
    return fmt::format(R"({{"type":"dynamic-length-{}","length-field-location":{}}})", kind,
                       in_payload("a"));
  };
  expect_fault(found({s_le(8), of("string")}), "ctf/string-length", "dl-str-fc");
  expect_fault(found({s_le(8), of("blob")}), "ctf/blob-length", "dl-blob-fc");
  // An enumeration serves wherever an integer does.
  const std::string enumeration =
      fixed("unsigned-enumeration", 8, "little", R"(,"mappings":{"one":[[1,1]]})");
  EXPECT_EQ(found({enumeration, dynamic_array(in_payload("a"), u_le(8))}), "");
}

TEST(Location, OfASelector) {
  EXPECT_EQ(found({fixed("boolean", 8, "little"), optional_member(in_payload("a"))}), "");
  expect_fault(found({u_le(8), optional_member(in_payload("a"))}), "ctf/optional-ranges",
               "the selector is an integer, and there are no ranges");
  expect_fault(found({std::string(kString), optional_member(in_payload("a"))}),
               "ctf/optional-selector", "which cannot be its selector");
  expect_fault(
      found({fixed("boolean", 8, "little"), variant(in_payload("a"), {{"[[0,0]]", u_le(8)}})}),
      "ctf/variant-selector", "which cannot be its selector");
  // Through a variant: all unsigned, or all signed.
  const std::string either = variant(in_payload("a"), {{"[[0,0]]", u_le(8)}, {"[[1,1]]", s_le(8)}});
  expect_fault(found({u_le(8), either, variant(in_payload("b"), {{"[[0,0]]", u_le(8)}})}),
               "ctf/variant-selector", "unsigned-integer, signed-integer");
}

TEST(Location, MayLeadIntoOneOfSeveralOptions) {
  const std::string options = variant(
      in_payload("a"), {{"[[0,0]]", structure({u_le(8)})}, {"[[1,1]]", std::string(kString)}});
  const std::string location = R"(["event-record-payload","b","a"])";
  EXPECT_EQ(found({u_le(8), options, dynamic_array(location, u_le(8))}), "");
  const std::string none = variant(
      in_payload("a"), {{"[[0,0]]", std::string(kString)}, {"[[1,1]]", std::string(kString)}});
  expect_fault(found({u_le(8), none, dynamic_array(location, u_le(8))}), "ctf/location-target",
               "there is no `a` in a field of class string");
}

TEST(Location, RelativeStepsOutOfStructures) {
  const auto text = [](std::string_view path) {
    return fmt::format(
        R"({{"type":"dynamic-length-string","length-field-location":{{"path":{}}}}})", path);
  };
  const auto inner = [&](std::string_view path) {
    return Roots{.payload = structure({u_le(8), structure({static_array(2, text(path))})}),
                 .final = true};
  };
  // An array is no step.
  EXPECT_EQ(decode(inner(R"([null,"a"])"), {2, 'a', 'b', 'c', 'd'}).text, R"(2 {["ab" "cd"]})");
  expect_fault(found_in(inner(R"(["a"])")), "ctf/location-order",
               "it leads to the field that it is for");
  expect_fault(found_in(inner(R"([null,null,"a"])")), "ctf/location-root",
               "there are not so many structures around the field");
}

TEST(Location, EveryFaultIsFound) {
  const std::string listing =
      found({dynamic_array(in_payload("x"), u_le(8)), u_le(8),
             dynamic_array(in_payload("y"), u_le(8)), optional_member(in_payload("b"))});
  EXPECT_NE(listing.find("no member `x`"), std::string::npos) << listing;
  EXPECT_NE(listing.find("no member `y`"), std::string::npos) << listing;
  EXPECT_NE(listing.find("ctf/optional-ranges"), std::string::npos) << listing;
}

TEST(Location, LargeStructuresAreSearchedByName) {
  std::string members;
  for (int i = 0; i < 40; ++i)
    members += fmt::format(R"({{"name":"m{}","field-class":{}}},)", i, u_le(8));
  const auto payload = [&](std::string_view name) {
    return fmt::format(
        R"({{"type":"structure","member-classes":[{}{{"name":"last","field-class":{}}}]}})",
        members, dynamic_array(in_payload(name), u_le(8)));
  };
  Bytes bytes(40, 0);
  bytes[33] = 2;
  const Decoded decoded = decode({.payload = payload("m33")}, bytes + Bytes{7, 8});
  EXPECT_TRUE(decoded.text.ends_with("<7 8>")) << decoded.text;
  expect_fault(found_in({.payload = payload("m40")}), "ctf/location-member", "no member `m40`");
}

TEST(Location, NestingIsBounded) {
  const auto nested = [](std::size_t depth) {
    std::string field_class = u_le(8);
    for (std::size_t i = 0; i < depth; ++i) field_class = static_array(1, field_class);
    return structure({field_class});
  };
  EXPECT_EQ(decode({.payload = nested(100)}, {7}).status, RunStatus::kDone);
  EXPECT_TRUE(read_roots({.payload = nested(300)}).has_errors());
}

}  // namespace
}  // namespace tracedeck::ctf
