#include "tracedeck/ctf/metadata/tsdl_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::ctf::tsdl {
namespace {

// More than anybody reads; a file of nothing but faults must not fill the memory.
constexpr std::size_t kMostFindings = 1000;

}  // namespace

void TextFindings::append(std::string_view text, std::uint64_t stream_offset) {
  if (text.empty()) return;
  if (pieces_.empty() ||
      stream_offset - pieces_.back().stream_offset != text_size_ - pieces_.back().text_offset)
    pieces_.push_back({text_size_, stream_offset});
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    lines_.push_back(text_size_ + at + 1);
  text_size_ += text.size();
}

bool TextFindings::is_new(const Rule& rule, std::uint64_t offset) {
  return reported_.size() < kMostFindings && reported_.emplace(offset, &rule).second;
}

void TextFindings::report(TsdlRule rule, Place at, std::string_view text) {
  report(tsdl_rule(rule), at, text);
}

void TextFindings::report(const Rule& rule, Place at, std::string_view text) {
  const auto line = std::ranges::upper_bound(lines_, at.offset) - 1;
  const auto piece = std::ranges::upper_bound(pieces_, at.offset, {}, &Piece::text_offset);
  const Piece from = piece == pieces_.begin() ? Piece{} : *(piece - 1);
  const std::uint64_t offset = from.stream_offset + (at.offset - from.text_offset);
  if (!is_new(rule, offset)) return;
  findings_.push_back({.rule = &rule,
                       .offset = offset,
                       .length = at.length,
                       .text = fmt::format("line {}, column {}: {}", line - lines_.begin() + 1,
                                           at.offset - *line + 1, text)});
}

void TextFindings::report_outside(TsdlRule rule, std::uint64_t stream_offset, std::string text) {
  const Rule& which = tsdl_rule(rule);
  if (!is_new(which, stream_offset)) return;
  findings_.push_back(
      {.rule = &which, .offset = stream_offset, .length = 0, .text = std::move(text)});
}

}  // namespace tracedeck::ctf::tsdl
