#include "cli/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::cli {
namespace {

// The part of an id before the slash.
std::string_view group_of(const render::Sentence& sentence) {
  return sentence.id.substr(0, sentence.id.find('/'));
}

// Text that Markdown shows as it is.
std::string in_code(std::string_view text) {
  return text.contains('`') ? fmt::format("`` {} ``", text) : fmt::format("`{}`", text);
}

std::string fields_text(std::string_view fields) {
  return fields.empty() ? std::string() : in_code(fields);
}

// The tables at the end of docs/timeline.md.
std::string sentence_tables() {
  struct Group {
    std::string_view name;
    std::string_view title;
  };
  static constexpr auto kGroups = std::to_array<Group>({
      {"trace", "The first line of `latency` and `diff`"},
      {"latency", "`latency`"},
      {"why", "`why`"},
      {"so", "Conclusions of `why`"},
      {"quality",
       "What a recording lacks, in `info --quality` and below the first line of `latency`"},
      {"stuck", "Tasks that seem to be stuck, in `info --quality` and `latency`"},
      {"diff", "`diff`"},
      {"query", "The last line of `query`"},
      {"require", "Why a requirement does not hold"},
      {"notice", "Notices"},
      {"losses", "How much was lost, in a notice and in `info`"},
  });
  std::string out;
  for (const Group& group : kGroups) {
    out += fmt::format("{}**{}**\n\n| sentence | is said where | JSON | id |\n|---|---|---|---|\n",
                       out.empty() ? "" : "\n", group.title);
    for (const render::Sentence& each : render::kSentences) {
      if (group_of(each) == group.name)
        out += fmt::format("| {} | {} | {} | {} |\n", in_code(each.text), each.when,
                           fields_text(each.fields), each.id);
    }
  }
  return out;
}

struct Kind {
  std::string_view name;
  std::string (*make)();
};

constexpr std::array kKinds = {
    Kind{"man", man_page},         Kind{"bash", bash_completion},      Kind{"zsh", zsh_completion},
    Kind{"fish", fish_completion}, Kind{"sentences", sentence_tables},
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
