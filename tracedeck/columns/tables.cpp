#include "tracedeck/columns/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/columns/class_columns.hpp"

namespace tracedeck::columns {
namespace {

// The same in every process: results are to be the same.
constexpr HashKey kSignatureKey{.low = 0x7472616365646563, .high = 0x6b2d636f6c756d6e};

}  // namespace

Tables::Tables(TableSink& sink, ColumnLosses& losses, bool names_columns)
    : sink_(sink), losses_(losses), names_columns_(names_columns) {
  // Taken, so that no event class has them.
  for (const std::string_view name : {kLossTable, kProblemTable, kSpanTable, kStateTable,
                                      kCounterTable, kInstantTable, kSampleTable, kFlowTable})
    by_name_[std::string(name)];
}

Table& Tables::find_or_make(std::string_view name, const Column& root, std::string_view partition) {
  const std::string columns = signature(root);
  const bool is_ours = root.children.front().name != kTimeColumn;
  auto named = by_name_.find(name);
  const bool is_first = named == by_name_.end();
  if (is_first) named = by_name_.emplace(std::string(name), std::map<std::string, Named>()).first;
  const auto [found, is_new] = named->second.try_emplace(columns);
  Named& same = found->second;
  if (is_new) {
    same.full = name;
    if ((names_columns_ || !is_first) && !is_ours)
      same.full += fmt::format("@{:08x}", sip_hash(kSignatureKey, columns) & 0xFFFF'FFFF);
  }
  Table*& table = same.partitions[std::string(partition)];
  if (table != nullptr) return *table;
  table = &tables_.emplace_back(same.full, root, std::string(partition));
  table->number = tables_.size() - 1;
  return *table;
}

Result<void> Tables::hand_on(Table& table) {
  auto taken = sink_.take(table);
  clear(table.root);
  table.rows_before += std::exchange(table.rows, 0);
  table.bytes = 0;
  table.sorted = true;
  return taken;
}

Result<void> Tables::bound_memory() {
  std::uint64_t bytes = 0;
  for (const Table& table : tables_) bytes += table.bytes;
  const std::uint64_t most = std::min(kMostBytes, kBytes + tables_.size() * kBytesOfTable);
  while (bytes > most) {
    Table& largest = *std::ranges::max_element(tables_, {}, &Table::bytes);
    bytes -= largest.bytes;
    losses_.add(ColumnLoss::kSmallGroup);
    if (auto taken = hand_on(largest); !taken) return taken;
  }
  return {};
}

Result<void> Tables::finish() {
  for (Table& table : tables_) {
    if (table.rows == 0) continue;
    if (auto taken = hand_on(table); !taken) return taken;
  }
  return {};
}

}  // namespace tracedeck::columns
