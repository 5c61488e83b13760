#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/option_values.hpp"

namespace tracedeck::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Parses for `command`; returns what is wrong.
std::string parse(std::string_view command, std::vector<std::string> arguments, Options& options) {
  return parse_options(arguments, find_command(command)->options, options);
}

std::string problem(std::string_view command, std::vector<std::string> arguments) {
  Options options;
  return parse(command, std::move(arguments), options);
}

TEST(Options, OptionsAndOperandsMayBeMixed) {
  Options options;
  EXPECT_EQ(parse("print", {"a", "--limit", "5", "-", "--order=time", "b"}, options), "");
  EXPECT_THAT(options.operands, ElementsAre("a", "-", "b"));
  EXPECT_EQ(options.selection.limit, 5U);
  EXPECT_EQ(options.selection.order, flow::Order::kTime);
}

TEST(Options, DoubleDashEndsTheOptions) {
  Options options;
  EXPECT_EQ(parse("print", {"--limit", "1", "--", "--limit", "-q", "--", "x"}, options), "");
  EXPECT_THAT(options.operands, ElementsAre("--limit", "-q", "--", "x"));
  EXPECT_FALSE(options.quiet);
}

TEST(Options, OperandsAreTakenAsTheyAre) {
  Options options;
  EXPECT_EQ(parse("print", {"[a,b]", "++", "%%", "info", "a=b", ""}, options), "");
  EXPECT_THAT(options.operands, ElementsAre("[a,b]", "++", "%%", "info", "a=b", ""));
}

TEST(Options, LettersBundleAndTakeTheirValueEitherWay) {
  Options first;
  EXPECT_EQ(parse("convert", {"-qoOUT", "t"}, first), "");
  EXPECT_TRUE(first.quiet);
  EXPECT_EQ(first.out, "OUT");
  Options second;
  EXPECT_EQ(parse("convert", {"-qo", "OUT", "t"}, second), "");
  EXPECT_EQ(second.out, "OUT");
}

TEST(Options, ValuesMayLookLikeOptions) {
  Options options;
  EXPECT_EQ(parse("convert", {"-o", "-", "--begin", "-5", "--end=-1", "--report", "--x"}, options),
            "");
  EXPECT_EQ(options.out, "-");
  EXPECT_EQ(options.selection.begin->value, Nanoseconds(-5));
  EXPECT_EQ(options.selection.end->value, Nanoseconds(-1));
  EXPECT_EQ(options.report, "--x");
}

TEST(Options, OfARepeatedOptionTheLastCounts) {
  Options options;
  EXPECT_EQ(parse("print", {"--limit", "5", "--limit", "6", "--output", "csv", "--output", "text"},
                  options),
            "");
  EXPECT_EQ(options.selection.limit, 6U);
  EXPECT_EQ(options.output, "text");
}

TEST(Options, OneNameMayMeanDifferentThingsToCommands) {
  Options options;
  EXPECT_EQ(parse("schema", {"--output", "metadata", "t"}, options), "");
  EXPECT_TRUE(options.metadata);
  EXPECT_THAT(problem("schema", {"--output", "jsonl", "t"}),
              HasSubstr("takes text, json, metadata"));
  EXPECT_THAT(problem("print", {"--output", "metadata", "t"}), HasSubstr("takes text, jsonl"));
  EXPECT_THAT(problem("schema", {"--schema-output", "text", "t"}), HasSubstr("unknown option"));
}

TEST(Options, ClockOffsetsOfATraceGoBeforeThoseOfAll) {
  Options options;
  EXPECT_EQ(
      parse("print", {"--clock-offset", "b=7", "--clock-offset", "5", "--clock-offset=a=b=-9"},
            options),
      "");
  const auto offset_of = [&](auto... names) {
    return flow::clock_offset(options.selection.clock_offsets,
                              std::array<std::string_view, sizeof...(names)>{names...});
  };
  EXPECT_EQ(offset_of("a"), 5);
  EXPECT_EQ(offset_of("b"), 7);
  EXPECT_EQ(offset_of("a=b"), -9);
  EXPECT_EQ(offset_of("a", "b"), 7);
}

TEST(Options, WhatIsWrongIsSaid) {
  EXPECT_THAT(problem("print", {"--lmit", "1"}), HasSubstr("did you mean '--limit'"));
  EXPECT_EQ(problem("print", {"--filter", "x"}), "unknown option '--filter'");
  EXPECT_EQ(problem("print", {"-j4"}), "unknown option '-j'");
  EXPECT_EQ(problem("print", {"--o", "x"}), "unknown option '--o'");
  EXPECT_EQ(problem("convert", {"--o", "x"}), "unknown option '--o'");
  EXPECT_EQ(problem("print", {"--limit"}), "option '--limit' needs a value: N");
  EXPECT_EQ(problem("convert", {"-o"}), "option '-o' needs a value: OUT");
  EXPECT_EQ(problem("print", {"--strict=yes"}), "option '--strict' takes no value");
  EXPECT_EQ(problem("print", {"--order", "up"}),
            "option '--order' takes merged, recorded, time, not 'up'");
  EXPECT_EQ(problem("print", {"--order="}),
            "option '--order' takes merged, recorded, time, not ''");
  EXPECT_EQ(problem("print", {"--limit", "18446744073709551616"}),
            "option '--limit': '18446744073709551616' is more than 64 bits hold");
  EXPECT_EQ(problem("convert", {"-o", ""}), "option '-o': a file needs a name");
}

TEST(Options, EveryOptionOfACommandExists) {
  std::set<const OptionSpec*> used;
  for (const Command& command : commands()) {
    std::set<std::string> spellings;
    for (const std::string_view id : command.options) {
      const OptionSpec& spec = option(id);
      EXPECT_EQ(id, spec.id());
      EXPECT_TRUE(spellings.insert(spec.spelling()).second) << command.name << ' ' << id;
      used.insert(&spec);
    }
  }
  EXPECT_EQ(used.size(), option_table().size()) << "an option that no command takes";
}

TEST(OptionValues, Counts) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("18446744073709551615"), ~std::uint64_t{0});
  for (const char* wrong : {"", "-1", "+1", "1.0", "0x1", "1 ", "ten"})
    EXPECT_FALSE(parse_count(wrong)) << wrong;
}

TEST(OptionValues, Sizes) {
  EXPECT_EQ(parse_size("1"), 1U);
  EXPECT_EQ(parse_size("4k"), 4096U);
  EXPECT_EQ(parse_size("64M"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_size("1GiB"), std::uint64_t{1} << 30);
  EXPECT_EQ(parse_size("16777215T"), std::uint64_t{16777215} << 40);
  for (const char* wrong :
       {"", "0", "0G", "G", "-1", "1X", "1GB", "1Gi", "16777216T", "18446744073709551616"}) {
    EXPECT_FALSE(parse_size(wrong)) << wrong;
  }
}

TEST(OptionValues, ClockOffsets) {
  EXPECT_EQ(parse_clock_offset("-9223372036854775808")->nanoseconds,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_clock_offset("+5")->nanoseconds, 5);
  EXPECT_EQ(parse_clock_offset("-=5")->trace, "-");
  EXPECT_EQ(parse_clock_offset("a=5us")->nanoseconds, 5000);
  EXPECT_EQ(parse_clock_offset("-0.25s")->nanoseconds, -250'000'000);
  for (const char* wrong : {"", "=", "a=", "+-5", "5=a", "9223372036854775808", "1.5", "+1h+"}) {
    EXPECT_FALSE(parse_clock_offset(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tracedeck::cli
