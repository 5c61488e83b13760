#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "cli/options.hpp"

namespace tracedeck::cli {
namespace {

// Edits that turn one word into the other: insertions, deletions, replacements.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Reads one command line; `problem` is the first thing that is wrong with it.
class Parser {
 public:
  Parser(std::span<const std::string> arguments, std::span<const std::string_view> allowed,
         Options& options)
      : arguments_(arguments), allowed_(allowed), options_(options) {}

  std::string run() {
    while (next_ < arguments_.size() && problem_.empty()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        options_.operands.insert(options_.operands.end(),
                                 arguments_.begin() + static_cast<std::ptrdiff_t>(next_),
                                 arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        long_option(std::string_view(argument).substr(2));
      } else if (argument.size() > 1 && argument.front() == '-') {
        letters(std::string_view(argument).substr(1));
      } else {
        options_.operands.push_back(argument);
      }
    }
    return problem_;
  }

 private:
  // The allowed option of that name or letter, or null.
  const OptionSpec* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    for (const std::string_view id : allowed_) {
      if (option(id).name == name) return &option(id);
    }
    return nullptr;
  }

  const OptionSpec* find_letter(char letter) const {
    for (const std::string_view id : allowed_) {
      if (option(id).letter == letter) return &option(id);
    }
    return nullptr;
  }

  void long_option(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const OptionSpec* spec = find(name);
    if (spec == nullptr) {
      unknown(name);
    } else if (equals == std::string_view::npos) {
      apply(*spec, spec->value.empty() ? std::optional<std::string>("") : next_argument());
    } else if (spec->value.empty()) {
      problem_ = fmt::format("option '{}' takes no value", spec->spelling());
    } else {
      apply(*spec, std::string(text.substr(equals + 1)));
    }
  }

  void letters(std::string_view text) {
    while (!text.empty() && problem_.empty()) {
      const OptionSpec* spec = find_letter(text.front());
      if (spec == nullptr) {
        problem_ = fmt::format("unknown option '-{}'", text.front());
        return;
      }
      text.remove_prefix(1);
      if (spec->value.empty()) {
        apply(*spec, "");
      } else {
        apply(*spec, text.empty() ? next_argument() : std::string(text));
        return;
      }
    }
  }

  std::optional<std::string> next_argument() {
    if (next_ == arguments_.size()) return std::nullopt;
    return arguments_[next_++];
  }

  void apply(const OptionSpec& spec, const std::optional<std::string>& value) {
    if (!value) {
      problem_ = fmt::format("option '{}' needs a value: {}", spec.spelling(), spec.value);
      return;
    }
    if (spec.choices != nullptr) {
      const std::vector<Choice> choices = spec.choices();
      std::vector<std::string_view> words;
      words.reserve(choices.size());
      for (const Choice& choice : choices) words.push_back(choice.word);
      if (std::find(words.begin(), words.end(), *value) == words.end()) {
        problem_ = fmt::format("option '{}' takes {}, not '{}'", spec.spelling(),
                               fmt::join(words, ", "), *value);
        return;
      }
    }
    options_.given.push_back(spec.id());
    const std::string wrong = spec.apply(options_, *value);
    if (!wrong.empty()) problem_ = fmt::format("option '{}': {}", spec.spelling(), wrong);
  }

  void unknown(std::string_view name) {
    problem_ = fmt::format("unknown option '--{}'", name);
    std::vector<std::string_view> names;
    for (const std::string_view id : allowed_) names.push_back(option(id).name);
    const std::string_view meant = nearest(name, names);
    if (!meant.empty()) problem_ += fmt::format(" (did you mean '--{}'?)", meant);
  }

  std::span<const std::string> arguments_;
  std::span<const std::string_view> allowed_;
  Options& options_;
  std::size_t next_ = 0;
  std::string problem_;
};

}  // namespace

std::string parse_options(std::span<const std::string> arguments,
                          std::span<const std::string_view> allowed, Options& options) {
  return Parser(arguments, allowed, options).run();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  std::string_view best;
  std::size_t best_distance = 3;  // more edits than two are another word
  for (const std::string_view candidate : words) {
    const std::size_t edits = distance(word, candidate);
    if (edits < best_distance && 2 * edits <= std::min(word.size(), candidate.size())) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

}  // namespace tracedeck::cli
