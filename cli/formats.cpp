#include "tracedeck/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/render/json_object.hpp"

namespace tracedeck::cli {
namespace {

void append_targets(render::TextBuffer& out, const Format& format) {
  render::JsonArray array(out);
  for (const WriteTarget& target : format.targets()) {
    array.next();
    render::JsonObject object(out);
    object.string("name", target.name);
    object.string("title", target.title);
    object.boolean("directory", target.directory);
    object.end();
  }
  array.end();
}

// The words of --to.
std::string targets_text(const Format& format) {
  std::vector<std::string_view> names;
  for (const WriteTarget& target : format.targets()) names.push_back(target.name);
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

std::string formats_json() {
  render::TextBuffer out;
  render::JsonArray array(out);
  for (const Format* format : formats()) {
    const FormatInfo& info = format->info();
    array.next();
    render::JsonObject object(out);
    object.string("name", info.name);
    object.string("title", info.title);
    object.string("versions", info.versions);
    object.string("summary", info.summary);
    object.string("files", info.file_name_hint);
    object.boolean("reads", true);
    object.boolean("writes", !format->targets().empty());
    append_targets(object.key("targets"), *format);
    object.end();
  }
  array.end();
  out.append('\n');
  return std::string(out.view());
}

std::string formats_text() {
  std::vector<std::array<std::string, 6>> rows = {
      {"NAME", "CAN", "TO", "VERSIONS", "FILES", "WHAT"}};
  for (const Format* format : formats()) {
    const FormatInfo& info = format->info();
    rows.push_back({std::string(info.name), format->targets().empty() ? "read" : "read, write",
                    targets_text(*format), std::string(info.versions),
                    std::string(info.file_name_hint),
                    fmt::format("{}, {}", info.title, info.summary)});
  }
  std::array<std::size_t, 6> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + '\n';
  }
  return text;
}

}  // namespace

void run_formats(const Options& options, Session& session) {
  print(session, options.json ? formats_json() : formats_text());
}

}  // namespace tracedeck::cli
