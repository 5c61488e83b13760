#include "tracedeck/columns/sqlite/database_sink.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/flat_columns.hpp"
#include "tracedeck/columns/manifest.hpp"
#include "tracedeck/columns/sqlite/database.hpp"
#include "tracedeck/columns/sqlite/row_values.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/io/temporary_file.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::sqlite {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::FlatColumn;
using columns::Table;

// Tables of what is no event; no class is called so here.
constexpr std::string_view kSegmentTable = "__segment";
constexpr std::string_view kTablesTable = "__table";
// The only table of events.
constexpr std::string_view kOneTable = "events";
// JSON of the columns that are more than a table may have.
constexpr std::string_view kMoreColumn = "__more";
// The columns that tables have an index on: the first that there is.
constexpr std::array<std::string_view, 3> kTimeColumns = {columns::kTimeColumn, "begin_ns",
                                                          "at_ns"};

struct ViewFacts {
  std::string_view name;
  std::string_view table;
  std::string_view condition;
};
constexpr std::array<ViewFacts, 6> kViews = {{
    {"slices", columns::kSpanTable, " WHERE kind = 'slice'"},
    {"waits", columns::kSpanTable, " WHERE kind = 'wait'"},
    {"states", columns::kStateTable, ""},
    {"counters", columns::kCounterTable, ""},
    {"samples", columns::kSampleTable, ""},
    {"flows", columns::kFlowTable, ""},
}};

// Fields that another table has too, of which a table gets an index.
constexpr std::size_t kMostKeys = 4;

constexpr RowLosses::Table kRowFacts = {{
    {"integers beyond 2^63-1", "written as decimal text", false},
    {"reals that are no number", "written as the text NaN", false},
    {"negative zeros", "written as zero", true},
    {"columns beyond those that a table of SQLite may have", "written as JSON text in `__more`",
     false},
    {"tables whose names SQLite has already, upper and lower case being one",
     "written under other names", false},
}};

std::string lower_case(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  });
  return text;
}

// Names that tables, indexes and views share.
class Names {
 public:
  Names() : taken_{std::string(kSegmentTable), std::string(kTablesTable)} {}

  // A name that is free, as near to the wish as can be.
  std::string take(std::string_view wish) {
    std::string name(wish);
    std::ranges::replace(name, '\0', '_');
    if (name.empty() || lower_case(name).starts_with("sqlite_")) name.insert(0, "_");
    std::string free = name;
    for (unsigned i = 2; !taken_.insert(lower_case(free)).second; ++i)
      free = fmt::format("{}_{}", name, i);
    return free;
  }

 private:
  std::set<std::string> taken_;
};

// A table of the database.
struct DatabaseTable {
  std::string name = {};
  Statement insert = nullptr;
  std::string time_column = {};        // "": none
  std::vector<std::string> keys = {};  // columns that may be found in other tables
};

// Integers without labels among the fields: `first`, the column of the root where these begin.
std::vector<std::string> key_columns(const Column& root, std::span<const FlatColumn> columns,
                                     std::size_t first) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const FlatColumn& column = columns[i];
    const bool is_field = column.path.front() >= root.children.data() + first;
    const bool has_label = i + 1 < columns.size() && columns[i + 1].name == column.name + "_label";
    if (is_field && !has_label && !column.presence &&
        column.path.back()->type == ColumnType::kInteger)
      keys.push_back(column.name);
  }
  return keys;
}

class DatabaseSink final : public columns::TableSink {
 public:
  DatabaseSink(io::Output& output, columns::TableOptions options)
      : output_(output), options_(std::move(options)) {}

  Result<void> take(const Table& table) override {
    if (auto opened = open(); !opened) return opened;
    std::vector<FlatColumn> columns =
        columns::flat_columns(table.root, {}, columns::FlatLists::kWhole);
    if (table.number >= tables_.size()) {
      tables_.resize(table.number + 1);
      facts_.resize(table.number + 1);
    }
    DatabaseTable& made = tables_[table.number];
    if (made.insert == nullptr) {
      if (auto begun = begin(made, table, columns); !begun) return begun;
      facts_[table.number] = {.name = table.name, .files = {{.path = made.name}}};
    }
    facts_[table.number].files.front().add_rows(table);
    return insert(made, table, columns);
  }

  Result<void> finish(std::string_view facts) override {
    if (auto opened = open(); !opened) return opened;
    if (auto indexed = add_indexes(); !indexed) return indexed;
    if (auto added = add_views(); !added) return added;
    if (auto listed = list_tables(); !listed) return listed;
    if (auto said = say_facts(facts); !said) return said;
    tables_.clear();
    return database_->copy_to(output_);
  }

  Result<void> flush() override { return {}; }
  [[nodiscard]] Receipt receipt() const override { return losses_.receipt(kRowFacts); }

 private:
  Result<void> open() {
    if (database_ != nullptr) return {};
    auto made = Database::create(io::directory_for_temporary_files());
    if (!made) return std::unexpected(std::move(made.error()));
    database_ = *std::move(made);
    return {};
  }

  // How many columns stand for themselves, where others are JSON.
  [[nodiscard]] std::size_t own_columns(std::size_t count) const {
    const std::size_t most = database_->most_columns();
    return count <= most ? count : most - 1;
  }

  Result<void> begin(DatabaseTable& made, const Table& table, std::span<const FlatColumn> columns) {
    const bool is_one = options_.one_table && table.name.empty();
    const std::string_view wish = is_one ? kOneTable : std::string_view(table.name);
    made.name = names_.take(wish);
    if (made.name != wish) losses_.add(RowLoss::kRenamed);
    for (const Column& column : table.root.children) {
      if (std::ranges::find(kTimeColumns, column.name) != kTimeColumns.end()) {
        made.time_column = column.name;
        break;
      }
    }
    const std::size_t own = own_columns(columns.size());
    if (made.time_column == columns::kTimeColumn && !options_.one_table)
      made.keys = key_columns(table.root, columns.first(own), first_field(table.root));

    std::string names;
    std::string values;
    const auto add = [&](std::string_view name, std::string_view type) {
      const char* const separator = names.empty() ? "" : ", ";
      names += fmt::format("{}{}{}{}", separator, identifier(name), type.empty() ? "" : " ", type);
      values += fmt::format("{}?", separator);
    };
    for (const FlatColumn& column : columns.first(own)) add(column.name, declared_type(column));
    if (own < columns.size()) {
      add(kMoreColumn, "TEXT");
      losses_.add(RowLoss::kMoreColumns, columns.size() - own);
    }
    const std::string name = identifier(made.name);
    if (auto ran = database_->run(fmt::format("CREATE TABLE {} ({})", name, names)); !ran)
      return ran;
    auto statement = database_->prepare(fmt::format("INSERT INTO {} VALUES ({})", name, values));
    if (!statement) return std::unexpected(std::move(statement.error()));
    made.insert = *std::move(statement);
    return {};
  }

  // The column of a root behind the common ones and tags.
  [[nodiscard]] std::size_t first_field(const Column& root) const {
    const auto seq = std::ranges::find(root.children, "seq", &Column::name);
    return static_cast<std::size_t>(seq - root.children.begin()) + 1 + options_.tags.size();
  }

  Result<void> insert(const DatabaseTable& made, const Table& table,
                      std::span<const FlatColumn> columns) {
    const std::size_t own = own_columns(columns.size());
    std::vector<RowValues> values;
    values.reserve(columns.size());
    for (const FlatColumn& column : columns) values.emplace_back(column, table.rows);
    sqlite3_stmt* const statement = made.insert.get();
    for (std::size_t row = 0; row < table.rows; ++row) {
      int number = 0;
      int code = SQLITE_OK;
      for (RowValues& each : std::span(values).first(own)) {
        code = each.bind(statement, ++number, text_, losses_);
        if (code != SQLITE_OK) return database_->check(code);
      }
      if (own < columns.size()) {
        append_more(std::span(values).subspan(own), columns.subspan(own));
        code = sqlite3_bind_text64(statement, ++number, text_.view().data(), text_.size(),
                                   SQLITE_STATIC, SQLITE_UTF8);
        if (code != SQLITE_OK) return database_->check(code);
      }
      if (auto stepped = database_->step(made.insert); !stepped) return stepped;
    }
    return {};
  }

  void append_more(std::span<RowValues> values, std::span<const FlatColumn> columns) {
    text_.clear();
    JsonObject more(text_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i].append(more.key(columns[i].name), losses_);
    more.end();
  }

  Result<void> add_indexes() {
    std::map<std::string, std::size_t> tables_with;  // a key
    for (const DatabaseTable& table : tables_) {
      for (const std::string& key : table.keys) ++tables_with[lower_case(key)];
    }
    for (const DatabaseTable& table : tables_) {
      if (table.time_column.empty()) continue;
      if (auto added = add_index(table.name, table.time_column); !added) return added;
      std::size_t added_keys = 0;
      for (const std::string& key : table.keys) {
        if (tables_with[lower_case(key)] < 2) continue;
        if (added_keys++ == kMostKeys) break;
        if (auto added = add_index(table.name, key); !added) return added;
      }
    }
    return {};
  }

  Result<void> add_index(std::string_view table, std::string_view column) {
    return database_->run(fmt::format("CREATE INDEX {} ON {} ({})",
                                      identifier(names_.take(fmt::format("{}.{}", table, column))),
                                      identifier(table), identifier(column)));
  }

  // Of tables that there are.
  Result<void> add_views() {
    for (const ViewFacts& view : kViews) {
      const bool has_table = std::ranges::any_of(facts_, [&](const columns::TableFacts& each) {
        return !each.files.empty() && each.name == view.table;
      });
      if (!has_table) continue;
      auto added = database_->run(fmt::format("CREATE VIEW {} AS SELECT * FROM {}{}",
                                              identifier(names_.take(view.name)),
                                              identifier(view.table), view.condition));
      if (!added) return added;
    }
    return {};
  }

  Result<void> list_tables() {
    auto statement = create_listing(
        kTablesTable,
        "class TEXT, name TEXT, rows INTEGER, first_time_ns INTEGER, last_time_ns INTEGER", 5);
    if (!statement) return std::unexpected(std::move(statement.error()));
    for (const columns::TableFacts& table : facts_) {
      if (table.files.empty()) continue;
      const columns::FileFacts& rows = table.files.front();
      bind(*statement, 1, table.name);
      bind(*statement, 2, rows.path);
      sqlite3_bind_int64(statement->get(), 3, static_cast<std::int64_t>(rows.rows));
      bind(*statement, 4, rows.first_time);
      bind(*statement, 5, rows.last_time);
      if (auto stepped = database_->step(*statement); !stepped) return stepped;
    }
    return {};
  }

  Result<void> say_facts(std::string_view facts) {
    auto statement = create_listing(kSegmentTable, "segment TEXT, manifest TEXT", 2);
    if (!statement) return std::unexpected(std::move(statement.error()));
    text_.clear();
    columns::append_manifest(text_, options_, facts_, facts);
    bind(*statement, 1, options_.segment);
    bind(*statement, 2, text_.view());
    return database_->step(*statement);
  }

  // A table of ours, and what inserts a row of `count` values.
  Result<Statement> create_listing(std::string_view name, std::string_view columns, int count) {
    if (auto ran = database_->run(fmt::format("CREATE TABLE {} ({})", name, columns)); !ran)
      return std::unexpected(std::move(ran.error()));
    std::string values = "?";
    for (int i = 1; i < count; ++i) values += ", ?";
    return database_->prepare(fmt::format("INSERT INTO {} VALUES ({})", name, values));
  }

  static void bind(const Statement& statement, int number, std::string_view text) {
    sqlite3_bind_text64(statement.get(), number, text.empty() ? "" : text.data(), text.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  }
  static void bind(const Statement& statement, int number,
                   const std::optional<std::int64_t>& value) {
    if (value) {
      sqlite3_bind_int64(statement.get(), number, *value);
    } else {
      sqlite3_bind_null(statement.get(), number);
    }
  }

  io::Output& output_;
  columns::TableOptions options_;
  std::unique_ptr<Database> database_;
  Names names_;
  // Both by the numbers of tables. Statements end before the database.
  std::vector<DatabaseTable> tables_;
  std::vector<columns::TableFacts> facts_;
  RowLosses losses_;
  TextBuffer text_{nullptr, 4096};
};

}  // namespace

std::unique_ptr<columns::TableSink> database_sink(io::Output& output,
                                                  columns::TableOptions options) {
  return std::make_unique<DatabaseSink>(output, std::move(options));
}

}  // namespace tracedeck::sqlite
