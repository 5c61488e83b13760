#include "tracedeck/format/error_notice.hpp"

#include <algorithm>
#include <array>

#include "tracedeck/format/input_rule.hpp"

namespace tracedeck {
namespace {

struct CodeRule {
  ErrorCode code;
  Rule rule;
};

// What stands for the errors that no rule of a format says.
constexpr std::array kCodeRules = {
    CodeRule{ErrorCode::kCannotOpen,
             {"input/cannot-open", Severity::kError, "Input", "An input can be opened."}},
    CodeRule{ErrorCode::kUnrecognised,
             {"input/unrecognised", Severity::kError, "Input", "An input is of a known format."}},
    CodeRule{ErrorCode::kMustReject,
             {"input/rejected", Severity::kError, "Input",
              "An input is not rejected by its specification."}},
};

const Rule& rule_of(const Error& error) {
  if (error.rule != nullptr) return *error.rule;
  const auto* const found = std::ranges::find(kCodeRules, error.code, &CodeRule::code);
  return found == kCodeRules.end() ? kInputRule : found->rule;
}

}  // namespace

Notice error_notice(const Error& error, const std::string& trace) {
  return {.input = error.input.empty() ? trace : error.input,
          .finding = {.rule = &rule_of(error),
                      .offset = error.offset.value_or(0),
                      .length = 0,
                      .text = error.message}};
}

}  // namespace tracedeck
