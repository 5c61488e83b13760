// Every fault of TSDL, at its place.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tracedeck/ctf/metadata/tsdl_reading_test.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"

namespace tracedeck::ctf {
namespace {

struct Fault {
  std::string_view text;      // behind `kTsdlBegin`: its first line is line 6
  std::string_view expected;  // findings, one after the other
};

constexpr Fault kFaults[] = {
    {"/* no signature */", "signature 1:1, trace 1:1"},
    {"env { a = @; };", "lexical 6:11"},
    {" /* no end", "cut 6:2"},
    // Syntax.
    {"foo;", "syntax 6:4"},
    {"u8 x;", "syntax 6:4"},
    {"struct s { u8 a };", "syntax 6:17"},
    {"struct s { u8 }; ", "syntax 6:15"},
    {"struct s { string string; };", "syntax 6:19"},
    {"struct { u8 a; };", "syntax 6:17"},
    {"typedef u8;", "syntax 6:11"},
    {"typealias u8 := struct { u8 a; };", "syntax 6:17"},
    {"env { a = ; }; env { b = 1 2; }; env { c = -x; };", "syntax 6:11, syntax 6:28, syntax 6:45"},
    {"env { a 1; };", "syntax 6:9"},
    {"env { a = 1; }", "cut 6:1"},
    {"}; env { a = 1; };", "syntax 6:1"},
    {"enum e : u8;", "syntax 6:12"},
    {"struct s { string t; int a : 3; };", "unsupported 6:26"},
    {"typealias integer { size = 16; align = 8; } := u; struct s { u a : 9; u b : 8; };",
     "unsupported 6:73"},
    {"typealias integer { size = 12; } := u; struct s { u a : 9; };", "unsupported 6:53"},
    {"struct s { u8 a : 9; };", "integer 6:19"},
    {"struct s { u8 a : 0; };", "integer 6:19"},
    {"struct s { string a : 3; };", "integer 6:19"},
    {"struct s { u8 a[2] : 3; };", "syntax 6:15"},
    {"typedef u8 a : 3;", "syntax 6:14"},
    {"struct s { u8 (*a)[3]; };", "type-unknown 6:17"},
    // Attributes.
    {"clock { name = c; colour = red; };", "attribute-unknown 6:19"},
    {"clock { name = c; name = d; };", "attribute-repeated 6:19"},
    {"clock { freq = 5; };", "attribute-missing 6:1"},
    {"typealias integer { signed = true; } := t;", "attribute-missing 6:11"},
    {"typealias floating_point { exp_dig = 8; } := t;", "attribute-missing 6:11"},
    {"typealias integer { size = 8; signed = maybe; } := t;", "attribute-value 6:40"},
    {"typealias integer { size = 8; base = 7; } := t;", "attribute-value 6:38"},
    {"typealias integer { size = 8; encoding = ebcdic; } := t;", "attribute-value 6:42"},
    {"typealias string { encoding = 5; } := t;", "attribute-value 6:31"},
    {"clock { name = 5; };", "attribute-value 6:16"},
    {"clock { name = c; freq = 0; };", "attribute-value 6:26"},
    {"clock { name = c; offset_s = \"1\"; };", "attribute-value 6:30"},
    {"clock { name = c; offset = x; };", "attribute-value 6:28"},
    {"clock { name = c; absolute = 2; };", "attribute-value 6:30"},
    {"clock { name := u8; };", "attribute-value 6:9, attribute-missing 6:1"},
    {"event { fields = 5; };", "attribute-value 6:9"},
    {"event { id = -1; };", "attribute-value 6:14"},
    {"stream { id = x; };", "attribute-value 6:15"},
    // Types.
    {"typedef nothing t;", "type-unknown 6:9"},
    {"struct s { struct nothing a; };", "type-unknown 6:12"},
    {"struct s { struct s a; };", "type-unknown 6:12"},
    {"struct s { u8 *a; };", "type-unknown 6:16"},
    {"event { typedef u8 here; }; event { id = 1; fields := struct { here a; }; };",
     "type-unknown 6:64"},
    {"typedef u8 t; typedef u8 t;", "type-redefined 6:26"},
    {"typealias u8 := u8;", "type-redefined 6:17"},
    {"struct s { u8 a; }; struct s { u8 a; };", "type-redefined 6:21"},
    {"struct s { u8 a; string a; };", "field-repeated 6:25"},
    {"struct s { enum : u8 { a } t; variant <t> { u8 a; u8 a; } v; };", "field-repeated 6:54"},
    {"typealias integer { size = 8; align = 3; } := t;", "alignment 6:39"},
    {"typealias integer { size = 8; align = 0; } := t;", "alignment 6:39"},
    {"struct s { u8 a; } align(x);", "alignment 6:26"},
    {"typealias integer { size = 8; byte_order = middle; } := t;", "byte-order 6:44"},
    {"typealias integer { size = 0; } := t;", "integer 6:28"},
    {"typealias integer { size = -8; } := t;", "integer 6:28"},
    {"typealias integer { size = 65537; } := t;", "integer 6:28"},
    {"typealias floating_point { exp_dig = 9; mant_dig = 23; } := t;", "floating-point 6:11"},
    {"enum e : u8 { };", "enumeration 6:1"},
    {"typedef string t; enum e : t { a };", "enumeration 6:19"},
    {"enum e : enum : u8 { a } { b };", "enumeration 6:1"},
    {"enum e : u8 { a = 3 ... 2 };", "enumeration 6:15"},
    {"enum e : u8 { a = b };", "enumeration 6:19"},
    {"event { fields := u8; };", "structure 6:19"},
    {"struct s { variant { u8 a; } v; };", "variant 6:12"},
    {"variant v { u8 a; }; struct s { variant v b; };", "variant 6:1"},
    {"struct s { u8 t; variant <t> { u8 a; } v; };", "variant 6:27"},
    {"struct s { enum : u8 { a } t; variant <t> { } v; };", "variant 6:31"},
    {"struct s { variant <5> { u8 a; } v; };", "variant 6:21"},
    {"struct s { u8 a[-1]; };", "length 6:17"},
    {"struct s { u8 a[\"x\"]; };", "length 6:17"},
    {"struct s { u8 a[env.nothing]; };", "length 6:17"},
    // Blocks.
    {"trace { major = 1; minor = 8; byte_order = le; };", "trace 6:1"},
    {"/* CTF 1.8 */ env { };", "trace 1:1"},
    {"/* CTF 1.8 */ trace { major = 1; minor = 8; };", "byte-order 1:15"},
    {"/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = native; };", "byte-order 1:58"},
    {"/* CTF 1.8 */ trace { major = 2; byte_order = le; };",
     "version 1:31, attribute-missing 1:15"},
    {"/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; uuid = \"2a6422d0\"; };",
     "uuid 1:69"},
    {"clock { name = c; uuid = 5; };", "uuid 6:26"},
    {"clock { name = c; }; clock { name = c; freq = 7; };", "clock 6:22"},
    {"clock { name = c; }; clock { name = c; absolute = TRUE; };", "clock 6:22"},
    {"typealias integer { size = 8; map = clock.c; } := t;", "clock 6:37"},
    {"stream { event.header := struct { integer { size = 8; map = clock.c.value; } t; }; };",
     "clock 6:35"},
    {"stream { id = 1; }; stream { id = 1; };", "stream 6:21"},
    {"stream { id = 1; }; stream { };", "attribute-missing 6:21"},
    {"stream { id = 1; }; stream { id = 2; };", "reserved-name 6:21"},
    {"clock { name = c; }; clock { name = d; };\n"
     "stream { event.header := struct { integer { size = 8; map = clock.c.value; } t;\n"
     "integer { size = 8; map = clock.d.value; } u; }; };",
     "stream 8:1"},
    {"event { id = 1; }; event { id = 1; };", "event 6:20"},
    {"event { loglevel = 15; };", "log-level 6:20"},
    {"event { loglevel = \"loud\"; };", "log-level 6:20"},
    {"event { loglevel = 14; };", ""},
    {"enum e : u8 { a = 255, b };", "enumeration-range 6:24"},
    {"enum e : u8 { a = -1 ... 3 };", "enumeration-range 6:15"},
    {"struct s { struct t { u8 a; } u8 b; u8 c; };", "semicolon 6:31"},
    {"event { id = 1; }; event { };", "attribute-missing 6:20"},
    {"stream { }; event { stream_id = 3; };", "event 6:13"},
    {"env { a = 1; a = 2; };", "environment-repeated 6:14"},
    {"env { a := u8; };", "environment 6:7"},
};

TEST(TsdlFaults, EachAtItsPlace) {
  for (const Fault& each : kFaults) {
    std::string found;
    for (const std::string& fault : TsdlReading(each.text).faults())
      found += (found.empty() ? "" : ", ") + fault.substr(std::string_view("ctf/tsdl-").size());
    EXPECT_EQ(found, each.expected) << each.text;
  }
}

TEST(TsdlFaults, AllOfThemAreFound) {
  const TsdlReading reading(
      "typealias integer { size = 0; align = 3; base = z; } := a;\n"
      "struct s { nothing a; u8 b; u8 b; };\n"
      "foo;\n"
      "event { fields := struct { struct s x; integer { size = 0; } y; }; };");
  EXPECT_EQ(reading.faults(),
            (std::vector<std::string>{"ctf/tsdl-integer 6:28", "ctf/tsdl-alignment 6:39",
                                      "ctf/tsdl-attribute-value 6:49", "ctf/tsdl-type-unknown 7:12",
                                      "ctf/tsdl-field-repeated 7:32", "ctf/tsdl-syntax 8:4",
                                      "ctf/tsdl-integer 9:57"}));
}

TEST(TsdlFaults, SaysWhatWasFoundAndWhatWasExpected) {
  const TsdlReading reading("typealias integer { size = -8; } := t;");
  ASSERT_EQ(reading.findings.size(), 1U);
  EXPECT_EQ(reading.findings[0].text,
            "line 6, column 28: the size of an integer is `-8`; an integer from 1 to 65536 was "
            "expected");
  EXPECT_EQ(reading.findings[0].offset, kTsdlBegin.size() + 27);
  EXPECT_EQ(reading.findings[0].length, 2U);
  EXPECT_EQ(reading.findings[0].rule->section, "CTF 1.8.3 4.1.5 Integers");
}

TEST(TsdlFaults, NothingButFaultsIsBounded) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "@;";
  EXPECT_LE(TsdlReading(text).findings.size(), 1000U);
}

TEST(TsdlRules, HaveIdsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Rule& each : tsdl_rules()) {
    EXPECT_TRUE(each.id.starts_with("ctf/tsdl-")) << each.id;
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.summary.empty()) << each.id;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
