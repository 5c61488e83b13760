#include "cli/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/traces.hpp"

namespace tracedeck::cli {
namespace {

struct Kind {
  std::string_view name;
  std::string (*make)();
};

constexpr std::array kKinds = {
    Kind{"man", man_page},
    Kind{"bash", bash_completion},
    Kind{"zsh", zsh_completion},
    Kind{"fish", fish_completion},
};

const Kind* find_kind(std::string_view name) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const Kind& kind) { return kind.name == name; });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

std::string in_quotes_each(const std::vector<std::string>& words) {
  return words.empty() ? "" : fmt::format("'{}'", fmt::join(words, "' '"));
}

std::string check_generate(Options& options) {
  if (options.operands.size() == 1 && find_kind(options.operands.front()) != nullptr) return {};
  std::vector<std::string_view> names;
  names.reserve(kKinds.size());
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  return fmt::format("needs one of {}", fmt::join(names, ", "));
}

void run_generate(const Options& options, Session& session) {
  print(session, find_kind(options.operands.front())->make());
}

}  // namespace tracedeck::cli
