#include "tracedeck/dial9/program.hpp"

#include <algorithm>
#include <limits>

namespace tracedeck::dial9 {
namespace {

class Compiler {
 public:
  Program compile(const Schema& schema) {
    slack_used_ = kEventHeaderSize + kTimestampDeltaSize;
    for (const FieldDefinition& field : schema.fields) add(field);
    end();
    return std::move(program_);
  }

 private:
  void add(const FieldDefinition& field) {
    program_.slot_bound += field.optional ? 2 : 1;
    if (field.optional) {
      use_slack(1);
      program_.steps.push_back({.kind = StepKind::kOptional, .inner = field.type});
      // The check may not come between a presence byte and its field, which the former may skip.
      add_step(field.type, true);
    } else {
      use_slack(worst_case(field.type));
      add_step(field.type, false);
    }
  }

  void add_step(FieldType type, bool after_optional) {
    if (after_optional) {
      slack_used_ += worst_case(type);  // an absent field compares nothing, whatever its type
    } else if (checks_by_itself(type)) {
      slack_used_ = 0;
    }
    auto& steps = program_.steps;
    const bool extends = type == FieldType::kVarint && !after_optional && !steps.empty() &&
                         !steps.back().after_optional &&
                         (steps.back().kind == StepKind::kVarints ||
                          steps.back().kind == step_kind(FieldType::kVarint)) &&
                         steps.back().count < std::numeric_limits<std::uint16_t>::max();
    if (extends) {
      steps.back().kind = StepKind::kVarints;
      ++steps.back().count;
    } else {
      steps.push_back({.kind = step_kind(type), .inner = type, .after_optional = after_optional});
    }
  }

  void end() {
    auto& steps = program_.steps;
    const bool ends_in_varints =
        !steps.empty() && !steps.back().after_optional &&
        (steps.back().kind == StepKind::kVarints || steps.back().kind == StepKind::kVarint);
    if (ends_in_varints) {
      steps.back().kind = StepKind::kLastVarints;
    } else {
      steps.push_back({.kind = StepKind::kEnd});
    }
  }

  // Inserts a check when `size` more bytes could start a load beyond the slack.
  void use_slack(std::size_t size) {
    if (slack_used_ + size + kMaxVarintSize > kSlack) {
      program_.steps.push_back({.kind = StepKind::kCheck});
      slack_used_ = 0;
    }
    slack_used_ += size;
  }

  static bool checks_by_itself(FieldType type) {
    return facts(type).fixed_size == 0 && type != FieldType::kVarint;
  }

  // Bytes that are read before the next comparison with the window's end.
  static std::size_t worst_case(FieldType type) {
    if (type == FieldType::kVarint) return kMaxVarintSize;
    return checks_by_itself(type) ? 0 : facts(type).fixed_size;
  }

  Program program_;
  std::size_t slack_used_ = 0;
};

}  // namespace

Program compile(const Schema& schema) { return Compiler{}.compile(schema); }

}  // namespace tracedeck::dial9
