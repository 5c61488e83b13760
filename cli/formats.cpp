#include "tracedeck/formats.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/text_table.hpp"

namespace tracedeck::cli {
namespace {

void append_targets(TextBuffer& out, const Format& format) {
  JsonArray array(out);
  for (const WriteTarget& target : format.targets()) {
    array.next();
    JsonObject object(out);
    object.string("name", target.name);
    object.string("title", target.title);
    object.boolean("directory", target.directory);
    JsonArray suffixes(object.key("suffixes"));
    for (const std::string_view suffix : target.suffixes) {
      if (!suffix.empty()) append_json_string(suffixes.next(), suffix);
    }
    suffixes.end();
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
  TextBuffer out;
  JsonArray array(out);
  for (const Format* format : formats()) {
    const FormatInfo& info = format->info();
    array.next();
    JsonObject object(out);
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

std::string_view makes_text(OutputKind::Makes makes) {
  switch (makes) {
    case OutputKind::Makes::kText:
      return "lines";
    case OutputKind::Makes::kFile:
      return "a file";
    case OutputKind::Makes::kDirectory:
      return "a directory";
  }
  return "";
}

std::string outputs_text() {
  using enum TextTable::Side;
  TextTable table({kLeft, kLeft, kLeft, kLeft});
  table.add({"OUTPUT", "MAKES", "ENDINGS", "WHAT"});
  for (const OutputKind& kind : outputs()) {
    std::vector<std::string_view> suffixes;
    for (const std::string_view suffix : kind.suffixes) {
      if (!suffix.empty()) suffixes.push_back(suffix);
    }
    table.add({std::string(kind.name), std::string(makes_text(kind.makes)),
               suffixes.empty() ? "-" : fmt::format("{}", fmt::join(suffixes, ", ")),
               std::string(kind.title)});
  }
  return table.to_string(0);
}

std::string formats_text() {
  using enum TextTable::Side;
  TextTable table({kLeft, kLeft, kLeft, kLeft, kLeft, kLeft});
  table.add({"NAME", "CAN", "TO", "VERSIONS", "FILES", "WHAT"});
  for (const Format* format : formats()) {
    const FormatInfo& info = format->info();
    table.add({std::string(info.name), format->targets().empty() ? "read" : "read, write",
               targets_text(*format), std::string(info.versions), std::string(info.file_name_hint),
               fmt::format("{}, {}", info.title, info.summary)});
  }
  return table.to_string(0) + "\n" + outputs_text();
}

}  // namespace

void run_formats(const Options& options, Session& session) {
  print(session, options.json ? formats_json() : formats_text());
}

}  // namespace tracedeck::cli
