#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/hidden.hpp"
#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/session_host.hpp"
#include "cli/split.hpp"
#include "cli/time_lines.hpp"
#include "tracedeck/convert/option_conflicts.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {
namespace {

std::string endings() {
  std::vector<std::string_view> all;
  for (const OutputKind& kind : outputs()) {
    if (kind.converts() && !kind.suffixes[0].empty()) all.push_back(kind.suffixes[0]);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

// What a name may stand for that stands for no target alone: "--to dial9 or --to tband"; or "".
std::string possible_targets(std::string_view name) {
  std::vector<std::string> possible;
  for (const OutputKind& kind : outputs()) {
    const bool is_one = kind.target != nullptr && !kind.target->recorded_suffix.empty() &&
                        name.ends_with(kind.target->recorded_suffix);
    if (is_one) possible.push_back(fmt::format("--to {}", kind.name));
  }
  return fmt::format("{}", fmt::join(possible, " or "));
}

}  // namespace

std::string check_convert(Options& options) {
  if (options.out.empty()) return "needs -o OUT, where to write to";
  if (options.to.empty()) {
    const OutputKind* const kind = output_of_name(options.out);
    if (const std::string possible = possible_targets(options.out);
        kind == nullptr && !possible.empty()) {
      return fmt::format("the name '{}' does not say what to convert to; its ending goes with {}",
                         options.out, possible);
    }
    if (kind == nullptr) {
      return fmt::format(
          "needs --to FORMAT, what to convert to, or an OUT whose name ends in one of {}",
          endings());
    }
    options.to = kind->name;
  }
  const OutputKind& kind = *find_output(options.to);
  std::string wrong = check_output_options(options, kind, "--to");
  if (wrong.empty()) wrong = conflict_of(conversion_task(options));
  if (wrong.empty()) wrong = check_split(options, kind);
  if (wrong.empty()) wrong = check_hidden(options);
  if (wrong.empty() && options.max_size) wrong = check_read_again(options, "--max-size");
  return wrong.empty() ? check_places(options) : wrong;
}

void run_convert(const Options& options, Session& session) {
  if (options.explain) return explain(options, session);
  SessionHost host(options, session);
  Conversion(conversion_task(options), host).run();
}

}  // namespace tracedeck::cli
