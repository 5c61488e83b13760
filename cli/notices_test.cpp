#include "cli/notices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace tracedeck::cli {
namespace {

class NoticesTest : public testing::Test {
 protected:
  ~NoticesTest() override { std::fclose(messages); }

  std::string said() {
    std::string text(100'000, '\0');
    std::rewind(messages);
    text.resize(std::fread(text.data(), 1, text.size(), messages));
    return text;
  }

  Options options;
  std::FILE* messages = std::tmpfile();
  Progress progress{nullptr};
  Diagnostics diagnostics{messages, progress, {}};
  std::string written;
  std::unique_ptr<io::Output> out = io::memory_output(written);
  Session session{.out = *out, .diagnostics = diagnostics, .stop = {}};
};

TEST_F(NoticesTest, FindingsAreCountedByTraceAndErrorsNamed) {
  static constexpr Rule kFrowned = {"x/frowned", Severity::kWarning, "S", "A rule."};
  static constexpr Rule kBroken = {"x/broken", Severity::kError, "S", "A rule."};
  options.operands = {"dir", "tree/"};
  Notices notices(session, options);
  const auto see = [&](const std::string& input, const Rule& rule) {
    notices.see(
        RecordKind::kFinding,
        {.input = input, .finding = {.rule = &rule, .offset = 7, .length = 0, .text = "t"}});
  };
  see("dir/stream_0", kFrowned);
  see("dir/stream_1", kFrowned);
  see("dir/metadata", kBroken);
  see("tree/a/b", kFrowned);
  see("directory", kFrowned);
  notices.finish();
  const std::string text = said();
  EXPECT_THAT(text, testing::HasSubstr("dir/metadata:7: error: x/broken: t [S]\n"));
  EXPECT_THAT(text, testing::HasSubstr("dir: 3 findings: x/frowned (2), x/broken (1); see "
                                       "'tracedeck validate dir'"));
  EXPECT_THAT(text, testing::HasSubstr("tree/: 1 finding: x/frowned (1)"));
  EXPECT_THAT(text, testing::HasSubstr("directory: 1 finding: x/frowned (1)"));
  EXPECT_EQ(session.outcome.code(), ExitCode::kOk);
}

}  // namespace
}  // namespace tracedeck::cli
