#include "tracedeck/convert/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracedeck {
namespace {

const ReceiptEntry kLost{.what = "a \"thing\"", .done = "left out", .count = 2, .lossy = true};
const ReceiptEntry kKept{.what = "id", .done = "given anew", .count = 1, .lossy = false};

TEST(Receipt, IsLossyWhenAnEntryIs) {
  EXPECT_FALSE(is_lossy({}));
  EXPECT_FALSE(is_lossy({kKept}));
  EXPECT_TRUE(is_lossy({kKept, kLost}));
}

TEST(Receipt, Sentences) {
  EXPECT_EQ(receipt_sentence(kLost), "lost: a \"thing\" (2): left out");
  EXPECT_EQ(receipt_sentence(kKept), "by convention: id (1): given anew");
}

TEST(Receipt, KindsAreSummedUp) {
  ReceiptEntry one = kKept;
  one.event_class = "Poll";
  one.input = "a";
  ReceiptEntry other = one;
  other.path = "state";
  other.count = 4;
  const Receipt kinds = by_kind({one, kLost, other});
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(receipt_sentence(kinds[0]), "by convention: id (5): given anew");
  EXPECT_EQ(receipt_sentence(kinds[1]), "lost: a \"thing\" (2): left out");
}

TEST(Receipt, JsonSaysWhere) {
  ReceiptEntry entry = kKept;
  entry.event_class = "Poll";
  entry.path = "state";
  entry.input = "a";
  entry.offset = 17;
  ConversionReport report;
  report.receipt = {entry};
  EXPECT_THAT(report_json(report),
              testing::HasSubstr(
                  R"("lossy":false,"class":"Poll","path":"state","input":"a","offset":17})"));
}

TEST(Receipt, Json) {
  EXPECT_EQ(
      report_json({.inputs = {"a", "b"},
                   .output = "o",
                   .to = "csv",
                   .rewritten = false,
                   .events = 7,
                   .receipt = {kLost}}),
      R"({"inputs":["a","b"],"output":"o","to":"csv","rewritten":false,"events":7,"lossy":true,)"
      R"("entries":[{"what":"a \"thing\"","done":"left out","count":2,"lossy":true}]})"
      "\n");
  EXPECT_EQ(
      report_json({.inputs = {"a"}, .output = "o", .to = "dial9", .rewritten = true}),
      R"({"inputs":["a"],"output":"o","to":"dial9","rewritten":true,"lossy":false,"entries":[]})"
      "\n");
}

}  // namespace
}  // namespace tracedeck
