#include "cli/trace_place.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/open_files.hpp"
#include "tracedeck/io/live.hpp"

namespace tracedeck::cli {
namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

void add_directories(const Options& options, const std::string& operand,
                     const std::stop_token& stop, std::vector<TracePlace>& places) {
  Result<FoundTraces> found = find_traces(operand, options.format, stop);
  if (!found) {
    places.push_back({.operand = operand, .failure = std::move(found.error())});
    return;
  }
  for (Error& error : found->unsearched) {
    places.push_back({.operand = operand, .failure = std::move(error)});
  }
  for (FoundTrace& trace : found->traces) {
    places.push_back(
        {.operand = operand, .format = trace.format, .directories = std::move(trace.directories)});
  }
}

// What `operand` says, if it is of the form FILE@CORE.
std::optional<CoreFile> core_file(const Options& options, const std::string& operand) {
  const std::size_t at = operand.rfind('@');
  if (at == std::string::npos || at == 0) return std::nullopt;
  CoreFile file{.operand = operand, .path = operand.substr(0, at)};
  const char* const end = operand.data() + operand.size();
  const auto [stop, error] = std::from_chars(operand.data() + at + 1, end, file.core);
  std::error_code ignored;
  if (error != std::errc() || stop != end || std::filesystem::exists(operand, ignored))
    return std::nullopt;
  if (options.format != nullptr && !options.format->has_core_files()) return std::nullopt;
  return file;
}

const Format* format_of_core_files(const Options& options) {
  if (options.format != nullptr) return options.format;
  const auto found = std::ranges::find_if(
      formats(), [](const Format* format) { return format->has_core_files(); });
  return found == formats().end() ? nullptr : *found;
}

void add_core_file(const Options& options, const std::string& operand, CoreFile file,
                   std::vector<TracePlace>& places) {
  const auto place = std::ranges::find_if(places, &TracePlace::has_core_files);
  if (place != places.end()) {
    place->core_files.push_back(std::move(file));
    return;
  }
  places.push_back({.operand = operand, .format = format_of_core_files(options)});
  places.back().core_files.push_back(std::move(file));
}

Result<std::unique_ptr<Reader>> open_core_files(const TracePlace& place, const ReadOptions& options,
                                                const std::stop_token& stop) {
  std::vector<CoreInput> inputs;
  for (const CoreFile& file : place.core_files) {
    auto input = io::open_input(file.path, stop);
    if (!input) return std::unexpected(std::move(input.error()));
    inputs.push_back({.input = std::move(*input), .core = file.core});
  }
  return place.format->open_cores(std::move(inputs), options);
}

std::size_t files_in(const TracePlace& place) {
  std::size_t files = 1 + place.core_files.size();
  for (const std::string& directory : place.directories) {
    std::error_code error;
    for (std::filesystem::directory_iterator each(directory, error), end; !error && each != end;
         each.increment(error)) {
      ++files;
    }
  }
  return files;
}

// A time that waits for the trace's day is no use to a reader.
std::optional<Nanoseconds> known_time(const std::optional<TimePoint>& time) {
  if (!time || time->time_of_day) return std::nullopt;
  return time->value;
}

constexpr std::uint64_t kMaxState = std::uint64_t{1} << 30;
// Who sends shall not make us hold as much as what the user has on his own disk.
constexpr std::uint64_t kLiveMaxState = std::uint64_t{64} << 20;

// The files of cores have one clock: what is said of one of them holds for all.
std::int64_t clock_offset(const Options& options, const TracePlace& place) {
  std::vector<std::string_view> names = {place.operand};
  for (const CoreFile& file : place.core_files) names.emplace_back(file.operand);
  return options.clock_offset(names);
}

ReadOptions read_options(const Options& options, const TracePlace& place, const Reading& reading) {
  const unsigned jobs =
      options.jobs != 0 ? options.jobs : std::max(std::thread::hardware_concurrency(), 1U);
  const auto share = static_cast<unsigned>(jobs / std::max<std::size_t>(reading.traces_at_once, 1));
  return {.values = reading.values,
          .headers = reading.headers,
          .findings = reading.findings,
          .max_state = max_state(options, place.live),
          .clock_shift = clock_offset(options, place),
          .begin = known_time(options.begin),
          .end = known_time(options.end),
          .hexadecimal = options.tband_hexadecimal,
          .notice = reading.notice,
          .jobs = std::max(share, 1U)};
}

}  // namespace

std::uint64_t max_state(const Options& options, bool live) {
  return options.max_state.value_or(live ? kLiveMaxState : kMaxState);
}

bool TracePlace::reopens() const {
  if (live) return false;
  std::error_code ignored;
  if (has_core_files()) {
    return std::ranges::all_of(core_files, [&](const CoreFile& file) {
      return std::filesystem::is_regular_file(file.path, ignored);
    });
  }
  return is_directory() || (operand != "-" && std::filesystem::is_regular_file(operand, ignored));
}

std::vector<TracePlace> list_traces(const Options& options, const std::stop_token& stop) {
  std::vector<TracePlace> places;
  for (const std::string& operand : options.operands) {
    if (options.follow || io::is_live_address(operand)) {
      places.push_back({.operand = operand, .live = true});
    } else if (cli::is_directory(operand)) {
      add_directories(options, operand, stop, places);
    } else if (std::optional<CoreFile> file = core_file(options, operand)) {
      add_core_file(options, operand, *std::move(file), places);
    } else {
      places.push_back({.operand = operand});
    }
  }
  std::size_t files = 0;
  for (const TracePlace& place : places) files += files_in(place);
  allow_open_files(files);
  return places;
}

Result<std::unique_ptr<Reader>> open_reader(const Options& options, const TracePlace& place,
                                            const Reading& reading, std::stop_token stop) {
  if (place.failure) return std::unexpected(*place.failure);
  if (place.is_directory()) {
    return place.format->open_directories(place.directories, read_options(options, place, reading),
                                          std::move(stop));
  }
  if (place.has_core_files())
    return open_core_files(place, read_options(options, place, reading), stop);
  Result<FoundTraces> found = find_traces(place.operand, options.format, stop);
  if (!found) return std::unexpected(std::move(found.error()));
  return open_reader(options, place, reading, std::move(found->traces.front()), std::move(stop));
}

Result<std::unique_ptr<Reader>> open_reader(const Options& options, const TracePlace& place,
                                            const Reading& reading, FoundTrace found,
                                            std::stop_token stop) {
  return open_found(std::move(found), read_options(options, place, reading), std::move(stop));
}

}  // namespace tracedeck::cli
