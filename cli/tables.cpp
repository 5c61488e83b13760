#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/base/nearest.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::cli {
namespace {

// Those of the user first, which are used in place of others of the same name.
std::vector<const timeline::Table*> all_tables(const Options& options) {
  std::vector<const timeline::Table*> tables;
  for (const timeline::Table& each : options.tables) tables.push_back(&each);
  for (const timeline::Table& each : timeline::built_in_tables()) {
    if (std::ranges::find(options.tables, each.name, &timeline::Table::name) ==
        options.tables.end())
      tables.push_back(&each);
  }
  return tables;
}

}  // namespace

std::string check_tables(Options& options) {
  if (options.operands.size() > 1) return "takes one NAME at most";
  if (options.operands.empty()) return {};
  std::vector<std::string_view> names;
  for (const timeline::Table* const each : all_tables(options)) names.push_back(each->name);
  const std::string& name = options.operands.front();
  if (std::ranges::find(names, name) != names.end()) return {};
  const std::string_view near = nearest(name, names);
  return fmt::format("there is no table '{}'{}; there are {}", name,
                     near.empty() ? "" : fmt::format(" (is '{}' meant?)", near),
                     fmt::join(names, ", "));
}

void run_tables(const Options& options, Session& session) {
  using Side = TextTable::Side;
  TextTable list({Side::kLeft, Side::kLeft});
  for (const timeline::Table* const each : all_tables(options)) {
    if (!options.operands.empty() && each->name == options.operands.front()) {
      print(session, each->text);
      return;
    }
    list.add({each->name, each->title});
  }
  print(session, list.to_string());
}

}  // namespace tracedeck::cli
