#include "tracedeck/format/part_search.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "tracedeck/io/input.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck {
namespace {

class Search {
 public:
  Search(std::span<const Format* const> formats, const std::stop_token& stop)
      : formats_(formats), stop_(stop) {}

  void look_at(const std::string& directory, int depth) {
    if (stop_.stop_requested() || !is_new(directory)) return;
    const auto format = std::ranges::find_if(
        formats_, [&](const Format* each) { return each->recognises_directory(directory); });
    if (format != formats_.end()) {
      found_.push_back({.format = *format, .path = directory});
      return;
    }
    Entries entries = entries_in(directory);
    look_at_files(entries.files);
    if (depth == kDeepestTrace) return;
    for (const std::string& folder : entries.folders) look_at(folder, depth + 1);
  }

  PartSearch result() && {
    return {.found = std::move(found_), .unsearched = std::move(unsearched_)};
  }

 private:
  struct Entries {
    std::vector<std::string> files = {};
    std::vector<std::string> folders = {};
  };

  // Links can lead back, and lead to one folder by several ways.
  bool is_new(const std::string& directory) {
    struct stat status{};
    return ::stat(directory.c_str(), &status) != 0 ||
           seen_.emplace(status.st_dev, status.st_ino).second;
  }

  void look_at_files(const std::vector<std::string>& files) {
    std::vector<TracePart> parts;
    for (const std::string& file : files) {
      if (stop_.stop_requested()) return;
      parts.push_back(file_part(file, formats_, stop_));
    }
    const auto is_known = [](const TracePart& part) { return part.format != nullptr; };
    if (std::ranges::any_of(parts, is_known)) std::ranges::move(parts, std::back_inserter(found_));
  }

  Entries entries_in(const std::string& directory) {
    Entries entries;
    std::error_code error;
    for (std::filesystem::directory_iterator each(directory, error), end; !error && each != end;
         each.increment(error)) {
      std::error_code ignored;
      if (each->path().filename().native().starts_with('.')) continue;
      if (each->is_directory(ignored)) {
        entries.folders.push_back(each->path().string());
      } else if (each->is_regular_file(ignored)) {
        entries.files.push_back(each->path().string());
      }
    }
    if (error) {
      unsearched_.push_back({.code = ErrorCode::kCannotOpen,
                             .message = io::why_not_opened(error.value()),
                             .input = directory});
    }
    std::ranges::sort(entries.files);
    std::ranges::sort(entries.folders);
    return entries;
  }

  std::span<const Format* const> formats_;
  const std::stop_token& stop_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<TracePart> found_;
  std::vector<Error> unsearched_;
};

// Reads on until there are `size` bytes. False: the input ends before.
bool read_up_to(io::Input& input, std::size_t size, std::vector<std::uint8_t>& bytes) {
  std::size_t used = bytes.size();
  bytes.resize(std::max(used, size));
  while (used < size) {
    const std::size_t got = input.read(bytes.data() + used, size - used).value_or(0);
    if (got == 0) break;
    used += got;
  }
  bytes.resize(used);
  return used >= size;
}

}  // namespace

PartSearch find_trace_parts(const std::string& root, std::span<const Format* const> formats,
                            const std::stop_token& stop) {
  Search search(formats, stop);
  search.look_at(root, 0);
  return std::move(search).result();
}

TracePart file_part(const std::string& path, std::span<const Format* const> formats,
                    const std::stop_token& stop) {
  TracePart part{.path = path, .is_file = true};
  const auto input = io::open_input(path, stop);
  if (!input) return part;
  std::vector<std::uint8_t> head;
  bool whole = !read_up_to(**input, kOriginSize, head);
  for (const Format* const format : formats) {
    if (!whole && head.size() < format->recognition_size())
      whole = !read_up_to(**input, format->recognition_size(), head);
    if (!format->recognises(head, whole)) continue;
    part.format = format;
    part.origin = format->origin(head);
    break;
  }
  return part;
}

}  // namespace tracedeck
