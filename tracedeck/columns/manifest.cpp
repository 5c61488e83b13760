#include "tracedeck/columns/manifest.hpp"

#include <algorithm>

#include "tracedeck/base/version.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::columns {

void FileFacts::add_rows(const Table& table) {
  rows += table.rows;
  const Column& time = table.root.children.front();
  if (time.name != kTimeColumn || time.type != ColumnType::kInteger || time.words64.empty()) return;
  const auto add = [this](std::uint64_t bits) {
    const auto value = static_cast<std::int64_t>(bits);
    if (!first_time || value < *first_time) first_time = value;
    if (!last_time || value > *last_time) last_time = value;
  };
  if (table.sorted) {
    add(time.words64.front());
    add(time.words64.back());
  } else {
    std::ranges::for_each(time.words64, add);
  }
}

void append_manifest(TextBuffer& text, const TableOptions& options,
                     std::span<const TableFacts> tables, std::string_view facts) {
  JsonObject manifest(text);
  manifest.string("tracedeck", version());
  manifest.string("segment", options.segment);
  JsonObject tags(manifest.key("tags"));
  for (const auto& [key, value] : options.tags) tags.string(key, value);
  tags.end();
  JsonArray all(manifest.key("tables"));
  for (const TableFacts& each : tables) {
    if (each.files.empty()) continue;  // it has no rows
    JsonObject table(all.next());
    table.string("class", each.name);
    JsonArray list(table.key("files"));
    for (const FileFacts& facts_of_file : each.files) {
      JsonObject file(list.next());
      file.string("path", facts_of_file.path);
      file.integer("rows", facts_of_file.rows);
      file.integer_if("bytes", facts_of_file.bytes);
      file.integer_if("first_time_ns", facts_of_file.first_time);
      file.integer_if("last_time_ns", facts_of_file.last_time);
      file.end();
    }
    list.end();
    table.end();
  }
  all.end();
  text.append(facts);
  manifest.end();
  text.append('\n');
}

}  // namespace tracedeck::columns
