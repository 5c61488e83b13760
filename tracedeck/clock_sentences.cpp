#include "tracedeck/clock_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "tracedeck/render/sentences.hpp"

namespace tracedeck {

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::span shown = std::span(names).first(std::min(names.size(), kMost));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

std::string unrelated_order(const std::string& first, const std::vector<std::string>& others) {
  return render::say<"notice/unrelated-order">(first, some_of(others));
}

std::string unrelated_clocks(const std::string& first, const std::vector<std::string>& others,
                             std::string_view format) {
  std::string text = render::say<"notice/unrelated-clocks">(first, some_of(others));
  if (format == "tband")
    text += "; the files of one trace's cores are given as FILE@CORE, FILE@CORE";
  return text;
}

std::string other_hosts(const std::string& first, const std::vector<std::string>& others) {
  return render::say<"notice/other-hosts">(first, some_of(others));
}

}  // namespace tracedeck
