#include "tracedeck/io/output_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/io/descriptor_output.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

// An empty file that distinguishes a .part directory of ours from one that somebody needs. Hidden,
// so that a trace under construction can be looked at.
constexpr const char* kMark = ".tracedeck-part";

// The names in an open directory, but for itself and its parent.
Result<std::vector<std::string>> names_in(const FileDescriptor& directory,
                                          const std::string& part) {
  // Another description of it: reading its names moves no position that `directory` has.
  const int listed = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = listed < 0 ? nullptr : ::fdopendir(listed);
  if (stream == nullptr) return fail(ErrorCode::kCannotOpen, why_not_opened(errno), part);
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  (void)::closedir(stream);
  return names;
}

Result<FileDescriptor> open_folder(const FileDescriptor& directory, const std::string& name,
                                   const std::string& path) {
  FileDescriptor folder(::openat(directory.get(), name.c_str(),
                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!folder.valid()) return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path);
  return folder;
}

// How deep files of a result may lie.
constexpr unsigned kFolders = 8;

// Whether there are files and marked folders of files alone, as a run can have written them.
Result<bool> holds_only_files(const FileDescriptor& directory, const std::string& path,
                              unsigned depth = 0) {
  const Result<std::vector<std::string>> names = names_in(directory, path);
  if (!names) return std::unexpected(names.error());
  if (std::ranges::find(*names, kMark) == names->end()) return false;
  for (const std::string& name : *names) {
    struct stat status{};
    if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (S_ISREG(status.st_mode)) continue;
    if (!S_ISDIR(status.st_mode) || depth == kFolders) return false;
    const std::string inner = fmt::format("{}/{}", path, name);
    const Result<FileDescriptor> folder = open_folder(directory, name, inner);
    if (!folder) return std::unexpected(folder.error());
    const Result<bool> only_files = holds_only_files(*folder, inner, depth + 1);
    if (!only_files || !*only_files) return only_files;
  }
  return true;
}

// Removes the files and folders in a directory.
Result<void> remove_all(const FileDescriptor& directory, const std::string& path) {
  const Result<std::vector<std::string>> names = names_in(directory, path);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    if (::unlinkat(directory.get(), name.c_str(), 0) == 0) continue;
    const std::string inner = fmt::format("{}/{}", path, name);
    if (errno != EISDIR) return fail(ErrorCode::kCannotOpen, why_not_opened(errno), inner);
    const Result<FileDescriptor> folder = open_folder(directory, name, inner);
    if (!folder) return std::unexpected(folder.error());
    if (Result<void> removed = remove_all(*folder, inner); !removed) return removed;
    if (::unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR) != 0)
      return fail(ErrorCode::kCannotOpen, why_not_opened(errno), inner);
  }
  return {};
}

// Removes what an earlier run left. Error: there is something that no run can have written.
Result<void> empty(const FileDescriptor& directory, const std::string& part) {
  const Result<std::vector<std::string>> names = names_in(directory, part);
  if (!names) return std::unexpected(names.error());
  if (names->empty()) return {};
  const Result<bool> ours = holds_only_files(directory, part);
  if (!ours) return std::unexpected(ours.error());
  if (!*ours) {
    return fail(ErrorCode::kCannotOpen,
                "this directory is in the way and holds something else; remove it or choose "
                "another name",
                part);
  }
  return remove_all(directory, part);
}

// Makes the .part directory, or takes over what is left of one. Held under a lock, so that two
// commands at once with the same output do not write into each other.
// `path`: the output, which errors name while there is no .part directory.
Result<FileDescriptor> open_part_directory(const std::string& part, const std::string& path) {
  if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path);
  }
  FileDescriptor directory(
      ::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!directory.valid()) {
    const bool other = errno == ENOTDIR || errno == ELOOP;
    return fail(ErrorCode::kCannotOpen,
                other ? "this is in the way and no directory; remove it" : why_not_opened(errno),
                part);
  }
  struct stat opened{};
  struct stat named{};
  // As for files: without locks it goes on unguarded, and a name that belongs to another directory
  // now means that the other command has just finished.
  if ((::flock(directory.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
      ::fstat(directory.get(), &opened) != 0 || ::lstat(part.c_str(), &named) != 0 ||
      named.st_ino != opened.st_ino) {
    return fail(ErrorCode::kCannotOpen,
                "another command is writing this; wait for it or choose another name", part);
  }
  if (Result<void> emptied = empty(directory, part); !emptied) {
    return std::unexpected(std::move(emptied.error()));
  }
  return directory;
}

// Creates a file that was not there. Invalid: errno says why.
FileDescriptor make_file(const FileDescriptor& directory, const char* name) {
  return FileDescriptor(
      ::openat(directory.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
}

// Renames unless something has the new name. Returns 0 or an `errno`.
int rename_to_free_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  // File systems that do not know the flag; there an empty directory could be replaced.
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && !name.contains('/') &&
         !name.contains('\0');
}

// Plain names, with a slash between two.
bool is_plain_path(std::string_view path) {
  unsigned folders = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    if (!is_plain(path.substr(0, slash)) || ++folders > kFolders) return false;
    path.remove_prefix(slash + 1);
  }
  return is_plain(path);
}

class PartFile;

// What the files of a directory share: the directory, and which of them are open, those written to
// the longest ago first.
struct OpenFiles {
  // More need no memory and no descriptors of their own until they are written to again.
  static constexpr std::size_t kMost = 16;

  FileDescriptor directory;
  std::list<PartFile*> open;
  bool failed = false;  // an error named one of the files
};

// A file that is closed while others are written to, and opened again where it ended.
class PartFile final : public Output {
 public:
  // `created`: the file, which is empty.
  PartFile(std::string name, std::string file, std::string part_path, FileDescriptor created,
           std::shared_ptr<OpenFiles> files)
      : name_(std::move(name)),
        file_(std::move(file)),
        part_path_(std::move(part_path)),
        files_(std::move(files)) {
    take(std::move(created));
  }
  ~PartFile() override { forget(); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& name() const override { return name_; }

  Result<void> write(ByteSpan bytes) override {
    if (auto opened = reopen(); !opened) return opened;
    return note(output_->write(bytes));
  }
  Result<void> flush() override {
    if (failure_) return std::unexpected(*failure_);
    return output_ ? note(output_->flush()) : Result<void>();
  }
  Result<void> finish() override {
    finished_ = true;
    return close();
  }
  void discard() override {
    if (std::exchange(finished_, true) || files_->failed) return;
    forget();
    if (output_) output_->discard();
    output_.reset();
    (void)::unlinkat(files_->directory.get(), file_.c_str(), 0);
  }

 private:
  Result<void> reopen() {
    if (failure_) return std::unexpected(*failure_);
    if (output_) {
      if (files_->open.back() != this)
        files_->open.splice(files_->open.end(), files_->open, place_);
      return {};
    }
    if (finished_) return fail(ErrorCode::kInvalidArgument, "the output is finished", name_);
    FileDescriptor again(::openat(files_->directory.get(), file_.c_str(),
                                  O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    if (!again.valid()) return note(fail(ErrorCode::kWriteFailed, why_not_opened(errno), name_));
    take(std::move(again));
    return {};
  }

  void take(FileDescriptor file) {
    if (files_->open.size() >= OpenFiles::kMost) {
      // What fails here is returned when that one is used again.
      [[maybe_unused]] const auto closed = files_->open.front()->close();
    }
    output_.emplace(name_, std::move(file), part_path_);
    place_ = files_->open.insert(files_->open.end(), this);
  }

  Result<void> close() {
    if (!output_) return failure_ ? Result<void>(std::unexpected(*failure_)) : Result<void>();
    forget();
    auto closed = note(output_->finish());
    output_.reset();
    return closed;
  }

  void forget() {
    if (output_) files_->open.erase(place_);
  }

  // An error sticks.
  Result<void> note(Result<void> result) {
    if (!result && !failure_) failure_ = result.error();
    files_->failed = files_->failed || !result;
    return result;
  }

  std::string name_;
  std::string file_;
  std::string part_path_;
  std::shared_ptr<OpenFiles> files_;
  std::optional<DescriptorOutput> output_;  // while it is open
  std::list<PartFile*>::iterator place_;
  std::optional<Error> failure_;
  bool finished_ = false;
};

class PartDirectory final : public OutputDirectory {
 public:
  PartDirectory(std::string path, std::string part, FileDescriptor directory)
      : path_(std::move(path)), part_(std::move(part)), open_(std::make_shared<OpenFiles>()) {
    open_->directory = std::move(directory);
  }

  const std::string& name() const override { return path_; }

  Result<std::unique_ptr<Output>> create_file(const std::string& file) override {
    const std::string name = path_ + "/" + file;
    if (!is_plain_path(file))
      return fail(ErrorCode::kCannotOpen, "this is no plain file name", name);
    if (auto made = make_folders(file); !made) return std::unexpected(std::move(made.error()));
    FileDescriptor opened = make_file(open_->directory, file.c_str());
    if (!opened.valid()) {
      return fail(ErrorCode::kCannotOpen,
                  errno == EEXIST ? "this file is there already" : why_not_opened(errno), name);
    }
    files_.push_back(file);
    return std::make_unique<PartFile>(name, file, part_ + "/" + file, std::move(opened), open_);
  }

  Result<void> finish() override {
    if (ended_) return {};
    remove_marks();
    if (const int error = rename_to_free_name(part_, path_); error != 0) {
      return fail(ErrorCode::kWriteFailed,
                  "the output is complete but could not be renamed (" + system_message(error) +
                      "); it is in " + part_,
                  path_);
    }
    ended_ = true;
    (void)open_->directory.close();
    return {};
  }

  void discard() override {
    if (std::exchange(ended_, true) || open_->failed) return;
    for (const std::string& file : files_) ::unlinkat(open_->directory.get(), file.c_str(), 0);
    remove_marks();
    // A folder was made after those around it.
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder)
      ::unlinkat(open_->directory.get(), folder->c_str(), AT_REMOVEDIR);
    // Still under its lock, so that the name is not yet that of another command's directory.
    ::rmdir(part_.c_str());
    (void)open_->directory.close();
  }

 private:
  void remove_marks() {
    (void)::unlinkat(open_->directory.get(), kMark, 0);
    for (const std::string& folder : folders_)
      (void)::unlinkat(open_->directory.get(), (folder + "/" + kMark).c_str(), 0);
  }

  // Those that a file lies in.
  Result<void> make_folders(const std::string& file) {
    for (std::size_t slash = file.find('/'); slash != std::string::npos;
         slash = file.find('/', slash + 1)) {
      const std::string folder = file.substr(0, slash);
      if (::mkdirat(open_->directory.get(), folder.c_str(), 0777) == 0) {
        folders_.push_back(folder);
        const std::string mark = folder + "/" + kMark;
        if (!make_file(open_->directory, mark.c_str()).valid())
          return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path_ + "/" + mark);
      } else if (errno != EEXIST) {
        return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path_ + "/" + folder);
      }
    }
    return {};
  }

  std::string path_;
  std::string part_;
  std::shared_ptr<OpenFiles> open_;
  std::vector<std::string> files_;
  std::vector<std::string> folders_;
  bool ended_ = false;
};

std::string without_final_slashes(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  return path.substr(0, last == std::string::npos ? 0 : last + 1);
}

}  // namespace

std::string OutputDirectory::part_path(const std::string& path) {
  return without_final_slashes(path) + ".part";
}

Result<std::unique_ptr<OutputDirectory>> OutputDirectory::create(const std::string& path) {
  const std::string plain = without_final_slashes(path);
  if (path.empty()) {
    return fail(ErrorCode::kCannotOpen, "this names no directory; add a name", path);
  }
  struct stat status{};
  if (plain.empty() || ::lstat(plain.c_str(), &status) == 0) {
    return fail(
        ErrorCode::kCannotOpen,
        S_ISDIR(status.st_mode) || plain.empty()
            ? "this is there already, and a directory is never written over; remove it or "
              "choose another name"
            : "this is a file, which is never written over by a directory; remove it or choose "
              "another name",
        path);
  }
  std::string part = part_path(path);
  Result<FileDescriptor> directory = open_part_directory(part, path);
  if (!directory) return std::unexpected(std::move(directory.error()));
  if (const FileDescriptor mark = make_file(*directory, kMark); !mark.valid()) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(errno), part);
  }
  return std::make_unique<PartDirectory>(plain, std::move(part), std::move(*directory));
}

}  // namespace tracedeck::io
