// A database of SQLite in a file without a name, which is copied to an output when it is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/system.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tracedeck::sqlite {

struct EndStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

// One thread at a time.
class Database {
 public:
  // `directory`: of temporary files, which must have room for all of it. Error: kWriteFailed.
  [[nodiscard]] static Result<std::unique_ptr<Database>> create(const std::string& directory);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Errors of all: kWriteFailed.
  [[nodiscard]] Result<void> run(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(const std::string& sql);
  // Runs a statement whose parameters are bound.
  [[nodiscard]] Result<void> step(const Statement& statement);
  // `code`: of SQLite.
  [[nodiscard]] Result<void> check(int code) const;

  // How many columns a table may have.
  [[nodiscard]] std::size_t most_columns() const;

  // Writes the whole file. No statement may be left, and nothing else is to be done then.
  [[nodiscard]] Result<void> copy_to(io::Output& output);

 private:
  Database(io::FileDescriptor file, std::string directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  io::FileDescriptor file_;
  std::string directory_;
  sqlite3* handle_ = nullptr;
};

// A name in quotes.
[[nodiscard]] std::string identifier(std::string_view name);

}  // namespace tracedeck::sqlite
