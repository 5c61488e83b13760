#include "cli/receipt.hpp"

#include <gtest/gtest.h>

namespace tracedeck::cli {
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
  EXPECT_EQ(receipt_sentence(kKept), "kept: id (1): given anew");
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
}  // namespace tracedeck::cli
