// The command and the library make the same of a trace: results and receipts, byte for byte.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "tracedeck/base/time_point.hpp"
#include "tracedeck/convert.hpp"
#include "tracedeck/io/reference_traces_test.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Drawn {
  const char* to;
  const char* out;
  std::vector<std::string> words = {};  // of the command
  ConvertOptions options = {};          // the same for the library
};

std::vector<Drawn> all_drawn() {
  return {
      {"html", "x.html"},
      {"perfetto", "x.pftrace"},
      {"chrome", "x.json.gz"},
      {"folded", "x.folded"},
      {"pprof", "x.pb"},
      {"pprof", "x.pb.gz"},
      {"heph", "x.heph", {"--spans"}, {.spans = true}},
      {"html",
       "all.html",
       {"--args", "all", "--flows", "all"},
       {.all_flows = true, .all_arguments = true}},
      {"perfetto",
       "old.pftrace",
       {"--perfetto-level", "50", "--min-duration", "20us"},
       {.min_duration = Nanoseconds(20'000), .perfetto_level = 50}},
      {"html", "tiny.html", {"--max-size", "10K"}, {.max_size = 10U << 10}},
      {"html", "small.html", {"--max-size", "400K"}, {.max_size = 400U << 10}},
      {"folded",
       "time.folded",
       {"--weight", "time", "--table", "linux-priorities"},
       {.tables = *timeline::find_tables("linux-priorities"),
        .weight = exporting::FoldedStacks::kSlices}},
      {"chrome",
       "part.json",
       {"--begin", "+1ms", "--end", "+5ms", "--order", "merged"},
       {.reading = {.selection = {.begin = *parse_time_point("+1ms"),
                                  .end = *parse_time_point("+5ms")}},
        .keeps_order = true}},
      {"html", "hidden.html", {"--drop", "task_id"}, {.drop = {"task_id"}}},
  };
}

class DrawnConversions : public testing::Test {
 protected:
  DrawnConversions() {
    std::string name = testing::TempDir() + "drawn_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~DrawnConversions() override { fs::remove_all(folder_); }

  // What the command says.
  std::string run_command(const std::vector<std::string>& arguments) {
    const fs::path said = folder_ / "said";
    {
      const std::unique_ptr<std::FILE, int (*)(std::FILE*)> messages(std::fopen(said.c_str(), "w"),
                                                                     &std::fclose);
      code_ = cli::run(arguments, messages.get());
    }
    return bytes_of(said);
  }

  void expect_equal(const std::string& trace, const Drawn& drawn) {
    SCOPED_TRACE(fmt::format("{} of {}", drawn.out, trace));
    const std::string out = folder_ / drawn.out;
    const fs::path report = folder_ / "report";
    std::vector<std::string> arguments = {"convert", trace, "--to",     drawn.to,       "-o",
                                          out,       "-q",  "--report", report.string()};
    arguments.insert(arguments.end(), drawn.words.begin(), drawn.words.end());
    const std::string said = run_command(arguments);
    ASSERT_TRUE(code_ == cli::ExitCode::kOk || code_ == cli::ExitCode::kDamage) << said;
    const bool is_made = fs::exists(out);
    const std::string of_command = bytes_of(out);
    fs::remove(out);
    ConvertOptions options = drawn.options;
    options.reading.report = [](const Report&) {};
    const auto done = convert({trace}, drawn.to, out, options);
    ASSERT_EQ(done.has_value(), is_made) << said;
    if (!done) {
      EXPECT_THAT(said, HasSubstr(done.error().to_string()));
      EXPECT_FALSE(fs::exists(out));
      return;
    }
    EXPECT_EQ(report_json(*done), bytes_of(report));
    EXPECT_TRUE(bytes_of(out) == of_command);
  }

  fs::path folder_;
  cli::ExitCode code_ = cli::ExitCode::kOk;
};

TEST_F(DrawnConversions, AreThoseOfTheCommand) {
  const fs::path ros = reference_traces("ctf/tracecompass/ros2");
  const fs::path tokio = reference_traces("dial9/tokio-demo.bin.gz");
  if (!missing(ros).empty() || !missing(tokio).empty()) GTEST_SKIP() << missing(ros);
  constexpr std::size_t kEnough = 100'000;
  const std::string damaged = folder_ / "damaged.bin.gz";
  std::ofstream(damaged, std::ios::binary) << bytes_of(tokio).substr(0, kEnough);
  for (const std::string& trace : {ros.string(), damaged}) {
    for (const Drawn& drawn : all_drawn()) expect_equal(trace, drawn);
  }
}

}  // namespace
}  // namespace tracedeck
