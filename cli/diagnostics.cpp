#include "cli/diagnostics.hpp"

#include <fmt/format.h>

#include "tracedeck/render/finding.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::cli {
namespace {

constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

}  // namespace

void Diagnostics::line(std::string_view text) {
  progress_.erase();
  // One call a line, so that lines of several processes do not mix.
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
  progress_.wrote();
}

void Diagnostics::quote(std::string_view text) {
  if (settings_.quiet) return;
  progress_.erase();
  fmt::print(stream_, "{}", text);
  std::fflush(stream_);
  progress_.wrote();
}

void Diagnostics::error(std::string_view sentence) {
  line(fmt::format("tracedeck: {}error:{} {}", settings_.color ? kRed : "",
                   settings_.color ? kPlain : "", visible(sentence)));
}

void Diagnostics::error(const Error& error) { this->error(error.to_string()); }

void Diagnostics::note(std::string_view sentence) {
  if (!settings_.quiet) line(fmt::format("tracedeck: {}", visible(sentence)));
}

void Diagnostics::detail(std::string_view sentence) {
  if (settings_.verbose) line(fmt::format("tracedeck: {}", visible(sentence)));
}

void Diagnostics::notice(const Notice& notice) { line(render::finding_line(notice)); }

}  // namespace tracedeck::cli
