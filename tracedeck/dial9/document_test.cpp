// docs/formats/dial9.md says what the tables of wire.hpp and rules.cpp say.

#include "tracedeck/format/document_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/model_classes.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {
namespace {

using testing::Contains;
using testing::ElementsAreArray;
using testing::StartsWith;

using Lines = Document::Lines;

const Document& document() {
  static const Document kDocument("dial9.md");
  return kDocument;
}

Lines table(std::string_view heading) { return document().table(heading); }

TEST(Document, ListsTheRulesAndHasTheirSections) { document().expect_rules(rules()); }

TEST(Document, ListsTheFieldTypes) {
  Lines expected;
  for (const FieldTypeFacts& type : kFieldTypes) {
    const auto tag = std::to_underlying(type.type);
    expected.push_back(
        fmt::format("| {} | `0x{:02X}` | {} | {} | {} | {} | {} |", tag, tag | kOptionalBit,
                    type.name, type.fixed_size == 0 ? "varies" : std::to_string(type.fixed_size),
                    type.minimum_size, type.since_0_4 ? "0.4" : "0.3", type.encoding));
  }
  EXPECT_THAT(table("## Field Types"), ElementsAreArray(expected));
}

TEST(Document, SaysWhatBecomesOfTheFieldTypes) {
  std::vector<testing::Matcher<std::string>> expected;
  for (const FieldTypeFacts& type : kFieldTypes) {
    expected.emplace_back(StartsWith(
        fmt::format("| {} | {} | ", type.name, kind_name(*field_class(type.type, false)))));
  }
  EXPECT_THAT(table("### In the model"), ElementsAreArray(expected));
}

TEST(Document, ListsTheFrames) {
  std::vector<testing::Matcher<std::string>> expected;
  for (int tag = 0; tag <= 0xFF; ++tag) {
    if (is_frame_tag(static_cast<std::uint8_t>(tag)))
      expected.emplace_back(StartsWith(fmt::format("| `0x{:02X}` | ", tag)));
  }
  EXPECT_THAT(table("## Frames"), ElementsAreArray(expected));
}

TEST(Document, ListsTheLimits) {
  const Lines expected = {
      fmt::format("| bytes of a name | {} |", grouped(kMaxNameLength)),
      fmt::format("| fields of a schema | {} |", grouped(kMaxFieldCount)),
      fmt::format("| type_ids of a segment | {} |", grouped(kMaxTypeCount)),
      fmt::format("| bytes of a varint | {} |", grouped(kMaxVarintSize)),
      fmt::format("| nanoseconds from the base to an event | {} |", grouped(kMaxTimestampDelta)),
  };
  EXPECT_THAT(table("## Limits of the format"), ElementsAreArray(expected));
  const std::string nesting =
      fmt::format("| nesting of lists and maps, the outermost counting as 1 | {} | `{}` |",
                  grouped(kMaxNesting), rule(RuleId::kDynamicNesting).id);
  EXPECT_THAT(table("## Limits of tracedeck"), Contains(nesting));
}

// The class of examples/write_trace.cpp.
struct RequestEnd {
  std::uint64_t timestamp = 0;
  std::uint64_t request = 0;
  std::uint16_t status = 0;
  std::string_view route;
  std::optional<std::string_view> error;
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<RequestEnd> = describe<RequestEnd>(
    "RequestEnd", timestamp(&RequestEnd::timestamp), field("request", &RequestEnd::request),
    field("status", &RequestEnd::status), interned("route", &RequestEnd::route),
    field("error", &RequestEnd::error));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

TEST(Document, ShowsTheBytesOfTheExample) {
  Encoder encoder;
  for (std::uint64_t i = 0; i < 3; ++i) {
    RequestEnd end{.timestamp = 1000 * i, .request = i, .status = 200, .route = "/", .error = {}};
    if (i == 2) {
      end.status = 503;
      end.error = "timed out";
    }
    ASSERT_TRUE(encoder.write(end).has_value());
  }
  EXPECT_THAT(document().dumped_bytes("## A trace, byte by byte"),
              ElementsAreArray(encoder.bytes()));
}

}  // namespace
}  // namespace tracedeck::dial9
