#include "tracedeck/base/error.hpp"

#include <gtest/gtest.h>

#include "tracedeck/base/finding.hpp"

namespace tracedeck {
namespace {

TEST(Error, SaysWhereAndWhatAsFarAsKnown) {
  Error error{.code = ErrorCode::kMustReject, .message = "version 9 is unknown"};
  EXPECT_EQ(error.to_string(), "version 9 is unknown");
  error.path = "PollStart.frames";
  EXPECT_EQ(error.to_string(), "PollStart.frames: version 9 is unknown");
  error.offset = 4;
  EXPECT_EQ(error.to_string(), "byte 4: PollStart.frames: version 9 is unknown");
  error.input = "trace.bin";
  EXPECT_EQ(error.to_string(), "trace.bin:4: PollStart.frames: version 9 is unknown");
  error.bit = 3;
  error.path.clear();
  EXPECT_EQ(error.to_string(), "trace.bin:4.3: version 9 is unknown");
  error.offset.reset();
  EXPECT_EQ(error.to_string(), "trace.bin: version 9 is unknown");
}

TEST(Error, FailMakesAnyResult) {
  const Result<int> number = fail(ErrorCode::kLimitExceeded, "too much", "in", 7);
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(number.error().to_string(), "in:7: too much");
  const Result<void> nothing = fail(ErrorCode::kStrict, "no");
  EXPECT_EQ(nothing.error().to_string(), "no");
}

TEST(ErrorCode, NamesAreThoseThatScriptsKnow) {
  EXPECT_EQ(code_name(ErrorCode::kCannotOpen), "cannot-open");
  EXPECT_EQ(code_name(ErrorCode::kReadFailed), "read-failed");
  EXPECT_EQ(code_name(ErrorCode::kWriteFailed), "write-failed");
  EXPECT_EQ(code_name(ErrorCode::kBrokenPipe), "broken-pipe");
  EXPECT_EQ(code_name(ErrorCode::kCompressedDamaged), "compressed-damaged");
  EXPECT_EQ(code_name(ErrorCode::kUnrecognised), "unrecognised");
  EXPECT_EQ(code_name(ErrorCode::kMustReject), "must-reject");
  EXPECT_EQ(code_name(ErrorCode::kUnsupported), "unsupported");
  EXPECT_EQ(code_name(ErrorCode::kInvalidArgument), "invalid-argument");
  EXPECT_EQ(code_name(ErrorCode::kLimitExceeded), "limit-exceeded");
  EXPECT_EQ(code_name(ErrorCode::kStrict), "strict");
}

TEST(Severity, Names) {
  EXPECT_EQ(severity_name(Severity::kError), "error");
  EXPECT_EQ(severity_name(Severity::kWarning), "warning");
}

}  // namespace
}  // namespace tracedeck
