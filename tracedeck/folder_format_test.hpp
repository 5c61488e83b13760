// A trace format for tests whose traces are directories: a file named "folder", which holds the
// identity, and data streams, each a file of lines that are times. A line "bad" is an error there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/format/format.hpp"

namespace tracedeck {

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The events of one or several data stream files, in turn.
class FolderStream final : public RecordSource {
 public:
  FolderStream(std::shared_ptr<TraceDescription> description, std::vector<std::string> files)
      : description_(std::move(description)), files_(std::move(files)) {}

  Result<BatchPtr> next() override {
    if (failure_) return std::unexpected(*failure_);
    while (file_ < files_.size()) {
      if (BatchPtr batch = read(files_[file_++])) return batch;
      if (failure_) return std::unexpected(*failure_);
    }
    return nullptr;
  }

 private:
  BatchPtr read(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    const auto known = std::ranges::find_if(
        description_->event_classes(), [&](const EventClass& each) { return each.name == name; });
    auto stream =
        std::make_shared<const DataStream>(DataStream{.entity = description_->next_stream(),
                                                      .stream_class = known->stream_class,
                                                      .keys = {},
                                                      .file = file});
    auto batch = std::make_shared<Batch>(0);
    batch->pin(std::shared_ptr<const TraceDescription>(description_));
    batch->add_stream(RecordKind::kStreamBegin, stream);
    std::istringstream lines(text_of_file(file));
    for (std::string line; std::getline(lines, line);) {
      if (line == "bad") {
        failure_ = Error{.code = ErrorCode::kReadFailed, .message = "a bad line", .input = file};
        break;
      }
      Event& event = batch->add_event();
      event.event_class = &*known;
      event.stream = stream.get();
      event.time = event.end_time = std::stoull(line);
    }
    return batch;
  }

  std::shared_ptr<TraceDescription> description_;
  std::vector<std::string> files_;
  std::size_t file_ = 0;
  std::optional<Error> failure_;
};

// What the readers of a test were asked for.
struct FolderLog {
  std::vector<std::vector<std::string>> opened;
  std::vector<ReadOptions> options;
};

class FolderReader final : public Reader {
 public:
  FolderReader(std::span<const std::string> directories, const ReadOptions& options)
      : description_(std::make_shared<TraceDescription>(directories.front(), "folder", "1")) {
    auto& clock =
        description_->add_clock({.shift = options.clock_shift, .origin = ClockOrigin::kUnixEpoch});
    auto& stream_class =
        description_->add_stream_class({.default_clock = &clock, .trace = description_.get()});
    for (const std::string& directory : directories) {
      std::vector<std::string> here;
      for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        if (entry.is_regular_file() && entry.path().filename() != "folder") {
          here.push_back(entry.path().string());
        }
      }
      std::ranges::sort(here);
      for (const std::string& file : here) {
        (void)description_->add_event_class(
            {.name = std::filesystem::path(file).filename().string(),
             .stream_class = &stream_class,
             .clock = &clock});
        files_.push_back(file);
      }
    }
    all_ = std::make_unique<FolderStream>(description_, files_);
  }

  Result<BatchPtr> next() override { return all_->next(); }
  std::shared_ptr<const TraceDescription> description() const override { return description_; }
  std::vector<std::unique_ptr<RecordSource>> take_streams() override {
    std::vector<std::unique_ptr<RecordSource>> streams;
    for (const std::string& file : files_) {
      streams.push_back(
          std::make_unique<FolderStream>(description_, std::vector<std::string>{file}));
    }
    return streams;
  }

 private:
  std::shared_ptr<TraceDescription> description_;
  std::vector<std::string> files_;
  std::unique_ptr<RecordSource> all_;
};

// A format of such traces, which remembers what its readers were asked for.
class FolderFormat {
 public:
  static const Format& format() {
    static constexpr Format kFormat({
        .info = {.name = "folder",
                 .title = "a folder of times",
                 .versions = "1",
                 .summary = "for tests",
                 .file_name_hint = "",
                 .directory_hint = "a file named folder"},
        .rules = []() -> std::span<const Rule> { return {}; },
        .directories = DirectoryTraces{.recognises = [](const std::string& path) -> bool {
                                         return std::filesystem::exists(path + "/folder");
                                       },
                                       .identity = [](const std::string& path) -> std::string {
                                         return text_of_file(path + "/folder");
                                       },
                                       .open = open},
    });
    return kFormat;
  }

  inline static FolderLog log;

 private:
  static Result<std::unique_ptr<Reader>> open(std::span<const std::string> directories,
                                              const ReadOptions& options, std::stop_token) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    log.opened.emplace_back(directories.begin(), directories.end());
    log.options.push_back(options);
    return std::make_unique<FolderReader>(directories, options);
  }
};

// A folder of its own, removed at the end, and such traces in it.
class FolderTree {
 public:
  FolderTree() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tracedeck-tree-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  FolderTree(const FolderTree&) = delete;
  FolderTree& operator=(const FolderTree&) = delete;
  ~FolderTree() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name = {}) const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  // A trace in folder `name` with the identity; its streams are added with `stream`.
  std::string trace(const std::string& name, const std::string& identity = {}) const {
    std::filesystem::create_directories(path(name));
    std::ofstream(path(name) + "/folder") << identity;
    return path(name);
  }
  void stream(const std::string& file, const std::string& lines) const {
    std::ofstream(path(file)) << lines;
  }

 private:
  std::string path_;
};

}  // namespace tracedeck
