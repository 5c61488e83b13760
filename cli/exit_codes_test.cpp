#include "cli/exit_codes.hpp"

#include <gtest/gtest.h>

namespace tracedeck::cli {
namespace {

// The worst of two codes, noted in either order.
void expect_worst(ExitCode a, ExitCode b, ExitCode worst) {
  Outcome forwards;
  forwards.note(a);
  forwards.note(b);
  EXPECT_EQ(forwards.code(), worst);
  Outcome backwards;
  backwards.note(b);
  backwards.note(a);
  EXPECT_EQ(backwards.code(), worst);
}

TEST(Outcome, KeepsTheWorst) {
  EXPECT_EQ(Outcome().code(), ExitCode::kOk);
  expect_worst(ExitCode::kOk, ExitCode::kDamage, ExitCode::kDamage);
  expect_worst(ExitCode::kDamage, ExitCode::kNoTrace, ExitCode::kNoTrace);
  expect_worst(ExitCode::kNoTrace, ExitCode::kNegative, ExitCode::kNegative);
  expect_worst(ExitCode::kDamage, ExitCode::kNegative, ExitCode::kNegative);
  expect_worst(ExitCode::kNegative, ExitCode::kUsage, ExitCode::kUsage);
  expect_worst(ExitCode::kUsage, ExitCode::kTerminated, ExitCode::kTerminated);
}

TEST(ExitCodes, WhatErrorsOfInputsMean) {
  const auto code = [](ErrorCode error) { return exit_code_of({.code = error, .message = ""}); };
  EXPECT_EQ(code(ErrorCode::kCannotOpen), ExitCode::kNoTrace);
  EXPECT_EQ(code(ErrorCode::kUnrecognised), ExitCode::kNoTrace);
  EXPECT_EQ(code(ErrorCode::kMustReject), ExitCode::kNoTrace);
  EXPECT_EQ(code(ErrorCode::kReadFailed), ExitCode::kDamage);
  EXPECT_EQ(code(ErrorCode::kCompressedDamaged), ExitCode::kDamage);
  EXPECT_EQ(code(ErrorCode::kLimitExceeded), ExitCode::kDamage);
}

}  // namespace
}  // namespace tracedeck::cli
