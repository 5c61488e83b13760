// Tables by what --table names.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/io/read_file.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {
namespace {

Result<std::vector<Table>> read_tables(const std::string& path) {
  const auto text = io::read_file(path, kMostTableBytes, {});
  if (text) return parse_tables(as_text(*text), path);
  if (text.error().code != ErrorCode::kLimitExceeded) return std::unexpected(text.error());
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("{}: a file of tables has {} bytes at most", path, kMostTableBytes));
}

}  // namespace

Result<std::vector<Table>> find_tables(const std::string& name) {
  if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a file needs a name");
  const std::vector<Table>& built_in = built_in_tables();
  const auto known = std::ranges::find(built_in, name, &Table::name);
  if (known != built_in.end()) return std::vector{*known};
  auto tables = read_tables(name);
  if (!tables) return tables;
  for (const Table& table : *tables) {
    if (const auto checked = check_table(table); !checked) return std::unexpected(checked.error());
  }
  return tables;
}

}  // namespace tracedeck::timeline
