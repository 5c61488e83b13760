#include "tracedeck/dial9/still_written.hpp"

#include <fmt/format.h>

#include <span>
#include <string>

#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/format/input_rule.hpp"

namespace tracedeck::dial9 {

std::optional<Finding> still_written(const Finding& problem, const WindowSource& source) {
  if (problem.rule != &rule(RuleId::kFrameTruncated) && problem.rule != &kInputRule)
    return std::nullopt;
  const std::span<const std::string> files = source.input().part_files();
  const std::string& last = files.empty() ? source.input().name() : files.back();
  if (!last.ends_with(kStillWrittenEnding)) return std::nullopt;
  if (!files.empty() &&
      (source.files().size() != files.size() || problem.offset < source.files().back().offset))
    return std::nullopt;
  Finding finding = problem;
  finding.rule = &rule(RuleId::kStillWritten);
  finding.text = "the file is still being written";
  if (problem.length != 0)
    finding.text += fmt::format(": its last {} bytes are no whole frame yet", problem.length);
  return finding;
}

}  // namespace tracedeck::dial9
