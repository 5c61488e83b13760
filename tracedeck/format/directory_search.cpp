#include "tracedeck/format/directory_search.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

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
      found_.push_back({*format, directory});
    } else if (depth < kDeepestTrace) {
      for (const std::string& folder : folders_in(directory)) look_at(folder, depth + 1);
    }
  }

  DirectorySearch result() && {
    return {.found = std::move(found_), .unsearched = std::move(unsearched_)};
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
  std::vector<FoundDirectory> found_;
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
