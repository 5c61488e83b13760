#include "cli/diagnostics.hpp"

#include <fmt/format.h>

#include <string>

#include "tracedeck/render/finding.hpp"

namespace tracedeck::cli {
namespace {

constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

// A name from the command line or a trace, safe to show on a terminal.
std::string without_controls(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

void Diagnostics::line(std::string_view text) {
  progress_.erase();
  // One call a line, so that lines of several processes do not mix.
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
}

void Diagnostics::error(std::string_view sentence) {
  line(fmt::format("tracedeck: {}error:{} {}", settings_.color ? kRed : "",
                   settings_.color ? kPlain : "", without_controls(sentence)));
}

void Diagnostics::error(const Error& error) { this->error(error.to_string()); }

void Diagnostics::note(std::string_view sentence) {
  if (!settings_.quiet) line(fmt::format("tracedeck: {}", without_controls(sentence)));
}

void Diagnostics::detail(std::string_view sentence) {
  if (settings_.verbose) line(fmt::format("tracedeck: {}", without_controls(sentence)));
}

void Diagnostics::notice(const Notice& notice) {
  line(without_controls(render::finding_line(notice)));
}

}  // namespace tracedeck::cli
