#include "tracedeck/convert/results_apart.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/part_files.hpp"

namespace tracedeck {
namespace {

namespace fs = std::filesystem;

// A file or directory, whatever its names.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  auto operator<=>(const FileId&) const = default;
};

// What is there under a name. Nothing: no file, or one that is neither a plain file nor a
// directory, to which writing does no harm.
struct Found {
  FileId id;
  bool is_directory = false;
};

std::optional<Found> found(const struct stat& status) {
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
  return Found{.id = {.device = status.st_dev, .number = status.st_ino},
               .is_directory = S_ISDIR(status.st_mode)};
}

std::optional<Found> find_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? found(status) : std::nullopt;
}

std::optional<Found> find_descriptor(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 ? found(status) : std::nullopt;
}

bool names_file(const std::string& path) { return !path.empty() && path != "-"; }

// What is there under names that are written to.
class Results {
 public:
  explicit Results(const ResultPlaces& places) {
    add_result(places);
    for (const ResultPlaces::File& file : places.files) add_file(file.path, file.what);
    is_file_there_ = !known_.empty();
    // A shell has opened it, so that what is in it can only be added to.
    if (const auto there = find_descriptor(STDOUT_FILENO))
      known_.try_emplace(
          there->id, Known{.harm = " would be written to while it is read: it is standard output",
                           .is_standard = true});
  }

  // Whether nothing is there, so that nothing can be lost.
  [[nodiscard]] bool empty() const { return known_.empty(); }
  // Whether there is anything but standard output.
  [[nodiscard]] bool is_file_there() const { return is_file_there_; }

  // What would happen to the file that `name` stands for, or "". `in_trace`: it is one of a trace
  // that is a directory.
  [[nodiscard]] std::string harm(const Found& file, const std::string& name, bool in_trace) const {
    const auto known = known_.find(file.id);
    if (known == known_.end() || (in_trace && known->second.is_standard)) return {};
    return name + known->second.harm;
  }
  // The same of a file that lies in a directory that a result takes over.
  [[nodiscard]] std::string harm_in_folder(const std::string& path) const {
    std::error_code error;
    const fs::path whole = fs::canonical(path, error);
    const auto folder = error ? std::nullopt : find_file(whole.parent_path().string());
    return folder && taken_over_.contains(folder->id) ? harm(*folder, path, false) : std::string();
  }

 private:
  struct Known {
    std::string harm;  // behind the name of what is read
    bool is_standard = false;
  };

  void add_file(const std::string& path, std::string_view what) {
    if (!names_file(path)) return;
    add(path, fmt::format(" would be replaced by {}; choose another name for that", what));
    add_part(
        io::part_path(path),
        fmt::format(" would be written over while it is read: {} is written there first", what));
  }

  void add(const std::string& path, std::string harm) {
    if (const auto there = find_file(path))
      known_.try_emplace(there->id, Known{.harm = std::move(harm)});
  }

  void add_part(const std::string& path, std::string harm) {
    const auto there = path.empty() ? std::nullopt : find_file(path);
    if (!there) return;
    known_.try_emplace(there->id, Known{.harm = std::move(harm)});
    if (there->is_directory) taken_over_.insert(there->id);
  }

  void add_result(const ResultPlaces& places) {
    if (!names_file(places.out)) return;
    if (places.is_split) return add_parts(places);
    if (!places.is_directory) return add_file(places.out, "the result");
    add(places.out, " would be replaced by the result; choose another name for that");
    add_part(io::OutputDirectory::part_path(places.out),
             " would be written over while it is read: the result is written there first");
  }

  // Parts have numbers that grow until all is written.
  void add_parts(const ResultPlaces& places) {
    constexpr std::string_view kUnfinished = ".part";
    const fs::path folder = fs::path(places.out).parent_path();
    std::error_code error;
    for (fs::directory_iterator each(folder.empty() ? "." : folder, error), end;
         !error && each != end; each.increment(error)) {
      std::string name = each->path().filename().string();
      const bool unfinished = name.ends_with(kUnfinished);
      if (unfinished) name.resize(name.size() - kUnfinished.size());
      if (!is_part_name(name, places.out, *places.kind)) continue;
      const std::string path = each->path().string();
      if (unfinished) {
        add_part(path, " would be written over: a part is written there first");
      } else {
        add(path, " would be written over: it has the name of a part");
      }
    }
  }

  std::map<FileId, Known> known_;
  std::set<FileId> taken_over_;  // directories, whose files go
  bool is_file_there_ = false;
};

// Looks at all that is read, up to the first that would be harmed.
class FilesRead {
 public:
  FilesRead(const ResultPlaces& places, const Results& results)
      : places_(places), results_(results) {}

  [[nodiscard]] std::string harm() {
    for (const std::string& file : places_.files_read) look_at(file);
    look_at_traces();
    return std::move(harm_);
  }

 private:
  void look_at(const std::string& path, bool in_trace = false) {
    if (path.empty() || !harm_.empty()) return;
    const bool standard = path == "-";
    const auto there = standard ? find_descriptor(STDIN_FILENO) : find_file(path);
    if (!there) return;
    harm_ = results_.harm(*there, standard ? "standard input" : path, in_trace);
    if (harm_.empty() && !standard) harm_ = results_.harm_in_folder(path);
  }

  void look_at_traces() {
    if (places_.are_files) {
      for (const std::string& file : places_.traces.names) look_at(file);
      return;
    }
    std::vector<std::string> names(places_.traces.names.begin(), places_.traces.names.end());
    // The files of a directory are not looked for on behalf of standard output.
    if (!results_.is_file_there()) {
      std::erase_if(names, [](const std::string& operand) {
        const auto there = find_file(operand);
        return there && there->is_directory;
      });
    }
    flow::Operands looked_at = places_.traces;
    looked_at.names = names;
    for (const flow::TracePlace& place : flow::list_traces(looked_at, {})) {
      if (io::is_live_address(place.operand)) continue;
      for (const flow::CoreFile& file : place.core_files) look_at(file.path);
      for (const std::string& directory : place.directories) look_in(directory);
      for (const std::string& file : place.files) look_at(file);
      if (place.parts().empty() && !place.has_core_files()) look_at(place.operand);
    }
  }

  void look_in(const std::string& directory) {
    look_at(directory, true);
    std::error_code error;
    for (fs::directory_iterator each(directory, error), end; !error && each != end;
         each.increment(error))
      look_at(each->path().string(), true);
  }

  const ResultPlaces& places_;
  const Results& results_;
  std::string harm_;
};

// What is wrong with a result that is a directory in one that is read, or "".
std::string check_nesting(const ResultPlaces& places) {
  if (!names_file(places.out) || !places.is_directory) return {};
  std::set<FileId> around;
  std::error_code error;
  for (fs::path folder = fs::weakly_canonical(fs::absolute(places.out, error), error).parent_path();
       !error && !folder.empty(); folder = folder.parent_path()) {
    if (const auto there = find_file(folder.string())) around.insert(there->id);
    if (folder == folder.parent_path()) break;
  }
  for (const flow::TracePlace& place : flow::list_traces(places.traces, {})) {
    for (const std::string& directory : place.directories) {
      const auto there = find_file(directory);
      if (there && around.contains(there->id))
        return fmt::format("the result {} would lie in {}, a trace that is read", places.out,
                           directory);
    }
  }
  return {};
}

}  // namespace

std::string check_results_apart(const ResultPlaces& places) {
  const Results results(places);
  if (!results.empty()) {
    if (std::string harm = FilesRead(places, results).harm(); !harm.empty()) return harm;
  }
  return check_nesting(places);
}

}  // namespace tracedeck
