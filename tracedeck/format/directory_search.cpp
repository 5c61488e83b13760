#include "tracedeck/format/directory_search.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "tracedeck/io/system.hpp"

namespace tracedeck {
namespace {

struct Found {
  const Format* format;
  std::string directory;
};

class Search {
 public:
  Search(std::span<const Format* const> formats, const std::stop_token& stop)
      : formats_(formats), stop_(stop) {}

  void look_at(const std::string& directory, int depth) {
    if (stop_.stop_requested() || !is_new(directory)) return;
    const auto format = std::ranges::find_if(
        formats_, [&](const Format* each) { return each->recognises_directory(directory); });
    if (format != formats_.end()) {
      found_.push_back({*format, directory});
    } else if (depth < kDeepestTrace) {
      for (const std::string& folder : folders_in(directory)) look_at(folder, depth + 1);
    }
  }

  // The directories of each logical trace together.
  DirectorySearch result() && {
    DirectorySearch result{.unsearched = std::move(unsearched_)};
    std::map<std::pair<const Format*, std::string>, std::size_t> by_identity;
    for (Found& each : found_) {
      // Nothing to compare a single one with.
      const std::string identity =
          found_.size() == 1 ? std::string() : each.format->directory_identity(each.directory);
      std::size_t place = result.traces.size();
      if (!identity.empty()) {
        place = by_identity.try_emplace({each.format, identity}, place).first->second;
      }
      if (place == result.traces.size()) result.traces.push_back({.format = each.format});
      result.traces[place].directories.push_back(std::move(each.directory));
    }
    return result;
  }

 private:
  // Links can lead back, and lead to one folder by several ways.
  bool is_new(const std::string& directory) {
    struct stat status{};
    return ::stat(directory.c_str(), &status) != 0 ||
           seen_.emplace(status.st_dev, status.st_ino).second;
  }

  std::vector<std::string> folders_in(const std::string& directory) {
    std::vector<std::string> folders;
    std::error_code error;
    for (std::filesystem::directory_iterator each(directory, error), end; !error && each != end;
         each.increment(error)) {
      std::error_code ignored;
      if (each->path().filename().native().starts_with('.')) continue;
      if (each->is_directory(ignored)) folders.push_back(each->path().string());
    }
    if (error) {
      unsearched_.push_back({.code = ErrorCode::kCannotOpen,
                             .message = io::why_not_opened(error.value()),
                             .input = directory});
    }
    std::ranges::sort(folders);
    return folders;
  }

  std::span<const Format* const> formats_;
  const std::stop_token& stop_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<Found> found_;
  std::vector<Error> unsearched_;
};

}  // namespace

DirectorySearch find_trace_directories(const std::string& root,
                                       std::span<const Format* const> formats,
                                       const std::stop_token& stop) {
  Search search(formats, stop);
  search.look_at(root, 0);
  return std::move(search).result();
}

}  // namespace tracedeck
