#include "tracedeck/columns/table_files.hpp"

#include <fmt/format.h>

#include "tracedeck/base/version.hpp"
#include "tracedeck/columns/partition_name.hpp"

namespace tracedeck::columns {
namespace {

bool has_folder(const Table& table, const TableOptions& options) {
  return !options.one_table || table.name.starts_with("__");
}

}  // namespace

std::string table_path(const Table& table, const TableOptions& options, std::size_t part,
                       std::string_view suffix) {
  std::string folder;
  if (has_folder(table, options))
    folder = partition_name("class", table.name) + "/" + table.partition;
  return fmt::format("{}{}-{:04}{}", folder, options.segment, part, suffix);
}

KeyValues file_facts(const Table& table, const TableOptions& options) {
  KeyValues facts{{"tracedeck.version", std::string(version())},
                  {"tracedeck.segment", options.segment}};
  if (has_folder(table, options)) facts.emplace_back("tracedeck.class", table.name);
  return facts;
}

}  // namespace tracedeck::columns
