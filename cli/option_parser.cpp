#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/options.hpp"
#include "tracedeck/base/nearest.hpp"

namespace tracedeck::cli {
namespace {

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
    options_.given_values.push_back(*value);
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

}  // namespace tracedeck::cli
