#include "tracedeck/joined_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "tracedeck/io/likeness.hpp"

namespace tracedeck {
namespace {

struct RotatedFile {
  const Format* format = nullptr;
  std::string path = {};
  std::string folder = {};
  FileOrigin origin = {};
  std::optional<RotatedName> name = {};
  std::uint64_t held = 0;  // how many of its first bytes are those of files that are left out
};

// Files of one process, as far as is known.
struct FileGroup {
  bool by_process = false;  // they say of which one they are
  std::vector<RotatedFile> files = {};
  std::vector<std::string> notices = {};
  std::vector<std::string> named_again = {};
};

RotatedFile described(TracePart part) {
  FileOrigin around = origin_in_path(part.path);
  FileOrigin origin = std::move(part.origin);
  if (origin.process.empty()) origin.process = std::move(around.process);
  if (origin.host.empty()) origin.host = std::move(around.host);
  if (origin.service.empty()) origin.service = std::move(around.service);
  const std::size_t slash = part.path.rfind('/');
  return {.format = part.format,
          .path = part.path,
          .folder = slash == std::string::npos ? "" : part.path.substr(0, slash),
          .origin = std::move(origin),
          .name = rotated_name(part.path)};
}

// Whether it is called as the parts of a divided result are.
bool has_part_name(const RotatedFile& file) { return file.name && file.name->stem.ends_with('-'); }

// Of files that are called as parts, which recordings that somebody counts are called too. A part
// begins with what describes the whole: its metadata and its first clock anchor.
bool are_of_one_result(const RotatedFile& one, const RotatedFile& other) {
  const FormatInfo& info = one.format->info();
  if (info.clock_restarts || one.origin.metadata != other.origin.metadata) return false;
  return one.origin.anchor == other.origin.anchor &&
         (one.origin.anchor || info.clock_sync_event.empty());
}

std::string read_apart(const RotatedFile& one, const RotatedFile& other, std::size_t traces) {
  return fmt::format("{} and {} are read as {} traces: nothing in them says that they are one",
                     one.path, other.path, traces);
}

// Makes the groups of files that are there.
class Grouping {
 public:
  void add(TracePart part) {
    struct stat status{};
    if (::stat(part.path.c_str(), &status) == 0) {
      const auto [known, is_new] = seen_.try_emplace({status.st_dev, status.st_ino}, part.path);
      if (!is_new) {
        twice_[known->second].push_back(part.path);
        return;
      }
    }
    RotatedFile file = described(std::move(part));
    const bool has_stem = file.name && !file.name->stem.empty();
    const bool by_process = !file.origin.process.empty();
    if (file.format == nullptr || !(by_process || has_stem)) {
      alone_.push_back(std::move(file));
      return;
    }
    const Key key = by_process ? Key(file.format, file.origin.host, file.origin.process, "")
                               : Key(file.format, "", file.folder, file.name->stem);
    const auto [known, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({.by_process = by_process});
    groups_[known->second].files.push_back(std::move(file));
  }

  std::vector<FileGroup> take() {
    adopt();
    for (RotatedFile& file : alone_) {
      groups_.emplace_back();
      groups_.back().files.push_back(std::move(file));
    }
    for (FileGroup& group : groups_) add_named_again(group);
    std::erase_if(groups_, [](const FileGroup& group) { return group.files.empty(); });
    return std::move(groups_);
  }

 private:
  // Format; host and process, or folder and stem.
  using Key = std::tuple<const Format*, std::string, std::string, std::string>;
  // Folder, stem and ending of names.
  using NameKey = std::tuple<std::string, std::string, std::string>;

  static std::optional<NameKey> key_of(const RotatedFile& file) {
    if (!file.name) return std::nullopt;
    return NameKey(file.folder, file.name->stem, file.name->ending);
  }

  // What does not say of which process it is goes with those of its name that do, if they are of
  // one process.
  void adopt() {
    std::map<NameKey, std::set<std::size_t>> processes;
    std::map<NameKey, std::set<std::size_t>> others;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      auto& names = groups_[i].by_process ? processes : others;
      for (const RotatedFile& file : groups_[i].files)
        if (const auto key = key_of(file)) names[*key].insert(i);
    }
    const auto owner = [&](const RotatedFile& file) -> std::optional<std::size_t> {
      const auto key = key_of(file);
      if (!key) return std::nullopt;
      for (const auto* const names : {&processes, &others}) {
        const auto found = names->find(*key);
        if (found != names->end())
          return found->second.size() == 1 ? std::optional(*found->second.begin()) : std::nullopt;
      }
      return std::nullopt;
    };
    const auto give = [&](std::vector<RotatedFile>& files, std::size_t from) {
      for (RotatedFile& file : std::exchange(files, {})) {
        const auto to = owner(file);
        const bool moves = to && *to != from && fits(file, groups_[*to]);
        (moves ? groups_[*to].files : files).push_back(std::move(file));
      }
    };
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (!groups_[i].by_process) give(groups_[i].files, i);
    give(alone_, groups_.size());
  }

  static bool fits(const RotatedFile& file, const FileGroup& group) {
    return file.format == nullptr ||
           (file.format == group.files.front().format && !has_part_name(file));
  }

  void add_named_again(FileGroup& group) {
    for (const RotatedFile& file : group.files) {
      const auto again = twice_.find(file.path);
      if (again == twice_.end()) continue;
      std::ranges::move(again->second, std::back_inserter(group.named_again));
    }
  }

  std::map<std::pair<dev_t, ino_t>, std::string> seen_;
  std::map<std::string, std::vector<std::string>> twice_;
  std::map<Key, std::size_t> index_;
  std::vector<FileGroup> groups_;
  std::vector<RotatedFile> alone_;
};

// Whether the times that are known do not fall.
template <class Files>
bool times_go_on(const Files& files) {
  std::optional<std::uint64_t> last;
  for (const RotatedFile& file : files) {
    if (!file.origin.begin) continue;
    if (last && *file.origin.begin < *last) return false;
    last = file.origin.begin;
  }
  return true;
}

void sort_by_number(std::vector<RotatedFile>& files) {
  const bool numbered =
      std::ranges::all_of(files, [](const RotatedFile& file) { return file.name.has_value(); });
  std::ranges::sort(files, {}, [&](const RotatedFile& file) {
    return std::pair(numbered ? file.name->number : 0, file.path);
  });
}

// By times, those without one behind the file before them.
void sort_by_time(std::vector<RotatedFile>& files) {
  std::uint64_t last = 0;
  std::vector<std::pair<std::uint64_t, RotatedFile>> timed;
  for (RotatedFile& file : files) {
    last = file.origin.begin.value_or(last);
    timed.emplace_back(last, std::move(file));
  }
  std::ranges::stable_sort(timed, {}, [](const auto& each) { return each.first; });
  std::ranges::transform(timed, files.begin(), [](auto& each) { return std::move(each.second); });
}

// Groups of files that have no process of their own, apart by clock and where times fall.
std::vector<FileGroup> split(FileGroup group) {
  const std::string first = group.files.front().path;
  std::vector<FileGroup> parts;
  const RotatedFile* last = nullptr;  // of the part at hand, that a format recognises
  for (const RotatedFile& file : group.files) {
    const bool goes_on = file.format == nullptr || last == nullptr ||
                         (!file.origin.clock.empty() && file.origin.clock == last->origin.clock &&
                          file.origin.begin.value_or(0) >= last->origin.begin.value_or(0) &&
                          (!has_part_name(file) || are_of_one_result(file, *last)));
    if (parts.empty() || !goes_on) parts.emplace_back();
    if (file.format != nullptr) last = &file;
    parts.back().files.push_back(file);
  }
  parts.front().notices = std::move(group.notices);
  parts.front().named_again = std::move(group.named_again);
  if (parts.size() > 1) {
    const RotatedFile& second = parts[1].files.front();
    parts.front().notices.push_back(
        has_part_name(second)
            ? read_apart(parts.front().files.front(), second, parts.size())
            : fmt::format("{} and {} have names of one recording, but are read as {} traces: their "
                          "clocks are not one, or their times do not go on",
                          first, second.path, parts.size()));
  }
  return parts;
}

// Leaves out copies, and files that another one is put together from.
class Copies {
 public:
  Copies(FileGroup& group, std::stop_token stop) : group_(group), stop_(std::move(stop)) {}

  void leave_out() {
    for (RotatedFile& file : std::exchange(group_.files, {})) {
      if (!is_held(file) && !is_alike(file)) kept_.push_back(std::move(file));
    }
    group_.files = std::move(kept_);
  }

 private:
  // Whether a file before goes on with all that this one holds.
  bool is_held(RotatedFile& file) {
    if (whole_ == kNone || kept_[whole_].format != file.format) return false;
    RotatedFile& whole = kept_[whole_];
    const auto size = io::size_within(file.path, whole.path, whole.held, stop_);
    if (!size || *size == 0) return false;
    whole.held += *size;
    group_.notices.push_back(
        fmt::format("{}: it is not read, as {} holds all of it", file.path, whole.path));
    return true;
  }

  // Whether the file before, or this one in its place, holds what both do.
  bool is_alike(RotatedFile& file) {
    if (kept_.empty() || !may_be_copy(file, kept_.back())) return false;
    RotatedFile& before = kept_.back();
    using io::Likeness;
    const Likeness like = io::likeness(before.path, file.path, stop_);
    if (like == Likeness::kDifferent) {
      if (file.origin.begin && group_.by_process)
        group_.notices.push_back(
            fmt::format("{}: it begins at the same time as {} and holds other bytes; both are "
                        "read, so that what both hold counts twice",
                        file.path, before.path));
      return false;
    }
    const bool is_equal = like == Likeness::kEqual;
    const bool has_better_name = is_equal && file.name && !before.name;
    if (like == Likeness::kFirstIsBeginning || has_better_name) std::swap(before, file);
    group_.notices.push_back(
        is_equal ? fmt::format("{}: it is not read, as {} holds the same", file.path, before.path)
                 : fmt::format("{}: it is not read, as {} begins with all of it", file.path,
                               before.path));
    if (!is_equal) {
      whole_ = kept_.size() - 1;
      before.held = io::size_within(file.path, before.path, 0, stop_).value_or(0);
    }
    return true;
  }

  static bool may_be_copy(const RotatedFile& file, const RotatedFile& before) {
    if (file.format == nullptr || file.format != before.format ||
        file.origin.begin != before.origin.begin)
      return false;
    return file.origin.begin ||
           (file.name && before.name && file.name->number == before.name->number);
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  FileGroup& group_;
  std::stop_token stop_;
  std::vector<RotatedFile> kept_;
  std::size_t whole_ = kNone;  // of `kept_`, a file that holds others
};

// `trace.3`, `run-0003`.
std::string numbered_name(const RotatedName& name, std::uint64_t number) {
  if (name.stem.empty()) return fmt::format("number {}", number);
  return name.stem.ends_with('-') ? fmt::format("{}{:04}", name.stem, number)
                                  : fmt::format("{}.{}", name.stem, number);
}

void tell_missing(FileGroup& group) {
  std::vector<std::string> paths;
  for (const RotatedFile& file : group.files) paths.push_back(file.path);
  const MissingFiles missing = missing_files(paths);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::uint64_t count = missing.before[i];
    if (count == 0) continue;
    const RotatedName& last = *group.files[i - 1].name;
    const RotatedName& next = *group.files[i].name;
    const bool rises = last.number < next.number;
    const auto step = [&](std::uint64_t from, std::uint64_t by) {
      return numbered_name(next, rises ? from + by : from - by);
    };
    group.notices.push_back(
        count == 1
            ? fmt::format("{}: {}, the file before it, is not there; what it held is lost",
                          group.files[i].path, step(last.number, 1))
            : fmt::format("{}: {} to {}, the {} files before it, are not there; what they held is "
                          "lost",
                          group.files[i].path, step(last.number, 1), step(last.number, count),
                          count));
  }
  if (!missing.is_known && paths.size() > 1)
    group.notices.push_back(fmt::format(
        "{}: it and {} are read in the order of their times, as {}; whether one is missing is not "
        "known",
        paths.front(),
        paths.size() == 2 ? paths[1] : fmt::format("{} more files", paths.size() - 1),
        missing.is_contradicted ? "the numbers in their names say another one"
                                : "not all of their names say one"));
}

JoinedFiles joined(FileGroup group) {
  JoinedFiles trace{.notices = std::move(group.notices),
                    .named_again = std::move(group.named_again)};
  for (RotatedFile& file : group.files) {
    if (trace.format == nullptr) trace.format = file.format;
    if (trace.origin.metadata.empty() && trace.origin.process.empty())
      trace.origin = std::move(file.origin);
    trace.files.push_back(std::move(file.path));
  }
  return trace;
}

// The name without its digits.
std::string letters_of(const RotatedFile& file) {
  std::string letters = file.path;
  std::erase_if(letters, [](unsigned char each) { return std::isdigit(each) != 0; });
  return letters;
}

// Files whose names are alike but for numbers may be expected to be one trace.
void tell_apart(std::vector<FileGroup>& groups) {
  std::map<std::pair<const Format*, std::string>, std::vector<FileGroup*>> alike;
  for (FileGroup& group : groups) {
    const RotatedFile& file = group.files.front();
    if (group.files.size() == 1 && file.format != nullptr && !file.name && !group.by_process)
      alike[{file.format, letters_of(file)}].push_back(&group);
  }
  for (const auto& [letters, apart] : alike) {
    if (apart.size() < 2) continue;
    apart.front()->notices.push_back(
        read_apart(apart[0]->files.front(), apart[1]->files.front(), apart.size()));
  }
}

}  // namespace

std::vector<JoinedFiles> join_files(std::vector<TracePart> files, const std::stop_token& stop) {
  std::ranges::sort(files, {}, &TracePart::path);
  Grouping grouping;
  for (TracePart& file : files) grouping.add(std::move(file));
  std::vector<FileGroup> groups;
  for (FileGroup& group : grouping.take()) {
    sort_by_number(group.files);
    if (!times_go_on(group.files)) {
      std::ranges::reverse(group.files);
      const bool counts_down = times_go_on(group.files);
      if (!counts_down) std::ranges::reverse(group.files);
      if (!counts_down && group.by_process) sort_by_time(group.files);
    }
    if (group.by_process) {
      groups.push_back(std::move(group));
    } else {
      std::ranges::move(split(std::move(group)), std::back_inserter(groups));
    }
  }
  tell_apart(groups);
  std::vector<JoinedFiles> traces;
  for (FileGroup& group : groups) {
    Copies(group, stop).leave_out();
    tell_missing(group);
    traces.push_back(joined(std::move(group)));
  }
  return traces;
}

}  // namespace tracedeck
