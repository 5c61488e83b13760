#include "tracedeck/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "tracedeck/ctf/format.hpp"
#include "tracedeck/dial9/format.hpp"
#include "tracedeck/format/content_guess.hpp"
#include "tracedeck/heph/format.hpp"
#include "tracedeck/io/joined_input.hpp"
#include "tracedeck/io/prefix_input.hpp"
#include "tracedeck/io/system.hpp"
#include "tracedeck/lower/nested_restoring_reader.hpp"
#include "tracedeck/lower/restoring_reader.hpp"
#include "tracedeck/lower/target_lowering.hpp"
#include "tracedeck/tband/format.hpp"
#include "tracedeck/trace_identity.hpp"

namespace tracedeck {
namespace {

// The first bytes of an input, read as far as somebody wants to see.
class Head {
 public:
  explicit Head(io::Input& input) : input_(input) {}

  // Reads until there are `size` bytes or the input ends.
  void want(std::size_t size) {
    while (bytes_.size() < size && !whole_) read(size);
  }

  // Reads up to `size` bytes, but does not wait for what a live input may bring.
  void want_at_hand(std::size_t size) {
    if (!input_.live()) want(size);
  }

  // The same with what a live input has brought.
  void want_ready(std::size_t size) {
    using std::chrono::milliseconds;
    while (bytes_.size() < size && !whole_ && input_.ready(milliseconds(0))) read(size);
  }

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool live() const { return input_.live(); }
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void read(std::size_t size) {
    const std::size_t had = bytes_.size();
    bytes_.resize(size);
    const Result<std::size_t> got = input_.read(bytes_.data() + had, size - had);
    bytes_.resize(had + got.value_or(0));
    if (!got) failure_ = got.error();
    whole_ = bytes_.size() == had;
  }

  io::Input& input_;
  std::vector<std::uint8_t> bytes_;
  bool whole_ = false;
  std::optional<Error> failure_;
};

// Each format is shown no more than it and those before it want, so that a live input that has
// brought enough is not waited for.
const Format* recognise(Head& head) {
  for (const Format* const format : formats()) {
    if (head.live() && !format->recognises_live()) continue;
    head.want(format->recognition_size());
    if (format->recognises(head.bytes(), head.whole())) return format;
  }
  return nullptr;
}

std::string names_of_formats() {
  std::string names;
  for (const Format* const format : formats()) {
    names += names.empty() ? "" : "|";
    names += format->info().name;
  }
  return names;
}

// `format`, or all of them when it is null; as long as the pointer lives.
std::span<const Format* const> candidates(const Format* const& format) {
  return format == nullptr ? formats() : std::span<const Format* const>(&format, 1);
}

// The directory of a file when it is a trace, or "".
std::string trace_around(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code ignored;
  const bool is_trace = std::filesystem::is_regular_file(file, ignored) &&
                        std::ranges::any_of(formats(), [&](const Format* f) {
                          return f->recognises_directory(folder);
                        });
  return is_trace ? folder : "";
}

// The profile whose marks a trace of the format may have in its events; null: none has.
const TargetProfile* profile_of(const Format& format) {
  const TargetProfile* const profile =
      format.targets().empty() ? nullptr : format.targets().front().profile;
  const bool marks = profile != nullptr && profile->nested == nullptr && profile->plain == nullptr;
  return marks ? profile : nullptr;
}

// The one whose marks its classes have; null: they have none.
const TargetProfile* profile_of(const Format& format, const TraceDescription& description) {
  for (const WriteTarget& target : format.targets()) {
    const TargetProfile* const profile = target.profile;
    const bool fits = profile != nullptr && profile->nested != nullptr &&
                      profile->version == description.version();
    if (fits && lower::has_marks(description)) return profile;
  }
  return nullptr;
}

// What its classes say that it was. It is read with its values.
Result<std::unique_ptr<Reader>> restored(const Format& format,
                                         Result<std::unique_ptr<Reader>> stored,
                                         const ReadOptions& options) {
  if (!stored) return stored;
  const TargetProfile* const profile = profile_of(format, *(*stored)->description());
  if (profile == nullptr) return stored;
  return lower::restore_nested(*std::move(stored), *profile, options);
}

Result<std::unique_ptr<Reader>> open_folders(const FoundTrace& found, ReadOptions options,
                                             const std::stop_token& stop) {
  const Format& format = *found.format;
  auto stored = format.open_directories(found.directories, options, stop);
  if (!stored || options.as_stored) return stored;
  const bool bounded = options.begin || options.end;
  const bool is_marked = profile_of(format, *(*stored)->description()) != nullptr;
  if (is_marked && (!options.values || bounded)) {
    options.values = true;
    options.passed_packets = bounded;
    stored = format.open_directories(found.directories, options, stop);
  }
  auto reader = restored(format, std::move(stored), options);
  if (!reader || !is_marked || !bounded || (*reader)->description()->has_ordered_packets())
    return reader;
  // Where events stand in the order of recording is known by those before them.
  options.begin.reset();
  options.end.reset();
  return restored(format, format.open_directories(found.directories, options, stop), options);
}

Result<std::unique_ptr<Reader>> open_file(const Format& format, std::unique_ptr<io::Input> input,
                                          ReadOptions options) {
  if (options.as_stored) return format.open(std::move(input), options);
  if (options.metadata != nullptr) {
    options.values = true;
    options.begin.reset();
    options.end.reset();
    return restored(format, format.open(std::move(input), options), options);
  }
  const TargetProfile* const profile = profile_of(format);
  if (profile == nullptr) return format.open(std::move(input), options);
  Head head(*input);
  head.want_ready(input->live() ? lower::kFirstMarkWithin : lower::kMarksWithin);
  const bool marked = lower::may_have_marks(head.bytes());
  auto whole = io::unread(head.take(), std::move(input));
  if (!whole) return std::unexpected(std::move(whole.error()));
  if (!marked) return format.open(*std::move(whole), options);
  options.values = true;
  auto stored = format.open(*std::move(whole), options);
  if (!stored) return stored;
  return lower::restore(*std::move(stored), *profile, options);
}

std::unexpected<Error> unrecognised(Head& head, const io::Input& input) {
  // Damage so near the beginning explains it better.
  if (head.failure()) return std::unexpected(*head.failure());
  if (head.bytes().empty()) {
    return fail(ErrorCode::kUnrecognised,
                input.stopped() ? "it was stopped before its first byte came"
                                : "it is empty; see whether what should have written it did run",
                input.name());
  }
  if (const std::string folder = trace_around(input.name()); !folder.empty()) {
    return fail(ErrorCode::kUnrecognised,
                fmt::format("this is a file of the trace {}; name the directory", folder),
                input.name());
  }
  head.want_at_hand(kGuessSize);
  return fail(ErrorCode::kUnrecognised,
              fmt::format("this is no trace of a known format: it {} (--format {} reads it as one "
                          "all the same)",
                          guess_content(head.bytes()), names_of_formats()),
              input.name());
}

Result<FoundTrace> find_file(const std::string& path, const Format* format, std::stop_token stop) {
  Result<std::unique_ptr<io::Input>> input = io::open_input(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  Result<FoundTrace> found = find_trace(std::move(*input), format);
  if (found) found->name = path;
  return found;
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

std::unexpected<Error> no_trace_in(const std::string& path, std::span<const Format* const> among,
                                   bool stopped) {
  if (stopped) {
    return fail(ErrorCode::kUnrecognised, "it was stopped before a trace was found", path);
  }
  std::string wanted;
  for (const Format* const format : among) {
    const FormatInfo& info = format->info();
    wanted += wanted.empty() ? "" : ", or ";
    wanted += info.directory_hint.empty() ? fmt::format("a file of {}", info.name)
                                          : fmt::format("{} ({})", info.directory_hint, info.name);
  }
  return fail(ErrorCode::kUnrecognised,
              fmt::format("there is no trace in this directory: neither it nor a folder in it has "
                          "{}; name a file, or another directory",
                          wanted),
              path);
}

Result<FoundTraces> find_in_directory(const std::string& path, const Format* format,
                                      const std::stop_token& stop) {
  Result<PartSearch> search = find_parts(path, format, stop);
  if (!search) return std::unexpected(std::move(search.error()));
  FoundTraces found{.unsearched = std::move(search->unsearched)};
  for (JoinedTrace& trace : join_parts(std::move(search->found), stop)) {
    if (trace.format == nullptr) continue;
    std::string name = trace.parts().front();
    found.traces.push_back(
        {.format = trace.format, .directories = std::move(trace.directories), .name = name});
    if (!trace.files.empty())
      found.traces.back().input = io::joined_input(name, std::move(trace.files), stop);
  }
  return found;
}

std::unexpected<Error> several(const std::vector<FoundTrace>& traces, const std::string& path) {
  return fail(ErrorCode::kUnsupported,
              fmt::format("this directory holds {} traces, {} and {} among them; open them one by "
                          "one",
                          traces.size(), traces[0].name, traces[1].name),
              path);
}

}  // namespace

std::span<const Format* const> formats() {
  using lower::lower_to_target;
  static const Format kDial9(dial9::format(), lower_to_target);
  static const Format kHeph(heph::format(), lower_to_target);
  static const Format kCtf(ctf::format(), lower_to_target);
  static const Format kTband(tband::format(), lower_to_target);
  static const std::array kFormats = {&kDial9, &kHeph, &kCtf, &kTband};
  return kFormats;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find_if(
      formats(), [&](const Format* format) { return format->info().name == name; });
  return found == formats().end() ? nullptr : *found;
}

FoundTarget find_target(std::string_view name) {
  for (const Format* const format : formats()) {
    for (const WriteTarget& target : format->targets()) {
      if (target.name == name) return {.format = format, .target = &target};
    }
  }
  return {};
}

Result<PartSearch> find_parts(const std::string& path, const Format* format,
                              const std::stop_token& stop) {
  const std::span<const Format* const> among = candidates(format);
  PartSearch search = find_trace_parts(path, among, stop);
  if (!search.found.empty()) return search;
  // What cannot be looked into may hold what is missed.
  if (!search.unsearched.empty()) return std::unexpected(std::move(search.unsearched.front()));
  return no_trace_in(path, among, stop.stop_requested());
}

TracePart find_file_part(const std::string& path, const Format* format,
                         const std::stop_token& stop) {
  return file_part(path, candidates(format), stop);
}

Result<FoundTrace> find_trace(std::unique_ptr<io::Input> input, const Format* format) {
  std::string name = input->name();
  if (format != nullptr) {
    return FoundTrace{.format = format, .input = std::move(input), .name = std::move(name)};
  }
  Head head(*input);
  format = recognise(head);
  if (format == nullptr) return unrecognised(head, *input);
  Result<std::unique_ptr<io::Input>> whole = io::unread(head.take(), std::move(input));
  if (!whole) return std::unexpected(std::move(whole.error()));
  return FoundTrace{.format = format, .input = std::move(*whole), .name = std::move(name)};
}

Result<FoundTraces> find_traces(const std::string& path, const Format* format,
                                std::stop_token stop) {
  if (is_directory(path)) return find_in_directory(path, format, stop);
  Result<FoundTrace> found = find_file(path, format, std::move(stop));
  if (!found) return std::unexpected(std::move(found.error()));
  FoundTraces result;
  result.traces.push_back(std::move(*found));
  return result;
}

Result<std::unique_ptr<Reader>> open_found(FoundTrace found, const ReadOptions& options,
                                           std::stop_token stop) {
  if (found.core) {
    std::vector<CoreInput> files;
    files.push_back({.input = std::move(found.input), .core = *found.core});
    return found.format->open_cores(std::move(files), options);
  }
  if (found.input != nullptr) return open_file(*found.format, std::move(found.input), options);
  return open_folders(found, options, stop);
}

Result<std::unique_ptr<Reader>> open_trace(const std::string& path, const ReadOptions& options,
                                           const Format* format, std::stop_token stop) {
  Result<FoundTraces> found = find_traces(path, format, stop);
  if (!found) return std::unexpected(std::move(found.error()));
  if (found->traces.size() > 1) return several(found->traces, path);
  return open_found(std::move(found->traces.front()), options, std::move(stop));
}

}  // namespace tracedeck
