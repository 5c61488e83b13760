#include "tracedeck/columns/sqlite/database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "tracedeck/io/temporary_file.hpp"

namespace tracedeck::sqlite {
namespace {

constexpr const char* kSystemName = "tracedeck-descriptor";

// What SQLite sees as the file of a database: a descriptor that is not its own.
struct DescriptorFile {
  sqlite3_file base;
  int descriptor;
};

int descriptor_of(sqlite3_file* file) {
  return reinterpret_cast<DescriptorFile*>(file)->descriptor;
}

int close_file(sqlite3_file*) { return SQLITE_OK; }

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  char* at = static_cast<char*>(into);
  auto rest = static_cast<std::size_t>(size);
  while (rest > 0) {
    const ssize_t got = ::pread(descriptor_of(file), at, rest, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SQLITE_IOERR_READ;
    if (got == 0) {
      std::memset(at, 0, rest);
      return SQLITE_IOERR_SHORT_READ;
    }
    at += got;
    rest -= static_cast<std::size_t>(got);
    offset += got;
  }
  return SQLITE_OK;
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  const char* at = static_cast<const char*>(from);
  auto rest = static_cast<std::size_t>(size);
  while (rest > 0) {
    const ssize_t put = ::pwrite(descriptor_of(file), at, rest, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    at += put;
    rest -= static_cast<std::size_t>(put);
    offset += put;
  }
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return ::ftruncate(descriptor_of(file), size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  struct stat status{};
  if (::fstat(descriptor_of(file), &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

// Nobody else has the file.
int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int check_lock(sqlite3_file*, int* is_locked) {
  *is_locked = 0;
  return SQLITE_OK;
}
int sync_file(sqlite3_file*, int) { return SQLITE_OK; }
int control_file(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return 0; }

constexpr sqlite3_io_methods kMethods = {.iVersion = 1,
                                         .xClose = close_file,
                                         .xRead = read_file,
                                         .xWrite = write_file,
                                         .xTruncate = truncate_file,
                                         .xSync = sync_file,
                                         .xFileSize = size_of_file,
                                         .xLock = lock_file,
                                         .xUnlock = lock_file,
                                         .xCheckReservedLock = check_lock,
                                         .xFileControl = control_file,
                                         .xSectorSize = sector_size,
                                         .xDeviceCharacteristics = characteristics,
                                         .xShmMap = nullptr,
                                         .xShmLock = nullptr,
                                         .xShmBarrier = nullptr,
                                         .xShmUnmap = nullptr,
                                         .xFetch = nullptr,
                                         .xUnfetch = nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    // What is sorted for an index.
    sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
    return system->xOpen(system, name, file, flags, flags_out);
  }
  auto* const opened = reinterpret_cast<DescriptorFile*>(file);
  *opened = {.base = {.pMethods = &kMethods}, .descriptor = -1};
  std::from_chars(name, name + std::strlen(name), opened->descriptor);
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

// Neither a journal nor anything else lies beside the file.
int file_exists(sqlite3_vfs*, const char*, int, int* exists) {
  *exists = 0;
  return SQLITE_OK;
}

int whole_name(sqlite3_vfs*, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}

// The system's, but for files that are descriptors: their names are numbers.
bool add_system() {
  static sqlite3_vfs system = [] {
    const sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
    sqlite3_vfs made = *usual;
    made.zName = kSystemName;
    made.szOsFile = std::max(made.szOsFile, static_cast<int>(sizeof(DescriptorFile)));
    made.xOpen = open_file;
    made.xAccess = file_exists;
    made.xFullPathname = whole_name;
    return made;
  }();
  static const bool kAdded = sqlite3_vfs_register(&system, 0) == SQLITE_OK;
  return kAdded;
}

}  // namespace

void EndStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<std::unique_ptr<Database>> Database::create(const std::string& directory) {
  auto file = io::open_temporary(directory);
  if (!file) return std::unexpected(std::move(file.error()));
  std::unique_ptr<Database> database(new Database(*std::move(file), directory));
  if (!add_system())
    return fail(ErrorCode::kWriteFailed, "SQLite cannot be used: its library does not start");
  const std::string name = std::to_string(database->file_.get());
  const int opened = sqlite3_open_v2(name.c_str(), &database->handle_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kSystemName);
  if (auto checked = database->check(opened); !checked)
    return std::unexpected(std::move(checked.error()));
  // It is complete or not there, so that nothing is to be undone. 8 MiB of pages in memory.
  auto begun = database->run(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
      "PRAGMA cache_size = -8192; PRAGMA temp_store = FILE; BEGIN");
  if (!begun) return std::unexpected(std::move(begun.error()));
  return database;
}

Database::~Database() { sqlite3_close(handle_); }

Result<void> Database::check(int code) const {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return {};
  const int kind = code & 0xFF;
  return fail(ErrorCode::kWriteFailed,
              fmt::format("SQLite cannot write the temporary file of the database: {}{}",
                          handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_),
                          kind == SQLITE_FULL || kind == SQLITE_IOERR
                              ? "; the variable TMPDIR names another directory for it"
                              : ""),
              directory_);
}

Result<void> Database::run(const std::string& sql) {
  return check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  if (auto checked = check(code); !checked) return std::unexpected(std::move(checked.error()));
  return Statement(made);
}

Result<void> Database::step(const Statement& statement) {
  sqlite3_step(statement.get());
  return check(sqlite3_reset(statement.get()));
}

std::size_t Database::most_columns() const {
  return static_cast<std::size_t>(sqlite3_limit(handle_, SQLITE_LIMIT_COLUMN, -1));
}

Result<void> Database::copy_to(io::Output& output) {
  if (auto ended = run("COMMIT"); !ended) return ended;
  if (auto closed = check(sqlite3_close(std::exchange(handle_, nullptr))); !closed) return closed;
  std::vector<char> piece(std::size_t{1} << 20);
  for (off_t offset = 0;;) {
    const ssize_t got = ::pread(file_.get(), piece.data(), piece.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(ErrorCode::kWriteFailed,
                  "the temporary file of the database cannot be read: " + io::system_message(errno),
                  directory_);
    if (got == 0) return {};
    if (auto written = output.write(std::string_view(piece.data(), static_cast<std::size_t>(got)));
        !written)
      return written;
    offset += got;
  }
}

std::string identifier(std::string_view name) {
  std::string text = "\"";
  for (const char each : name) {
    if (each == '"') text += '"';
    text += each;
  }
  return text + '"';
}

}  // namespace tracedeck::sqlite
