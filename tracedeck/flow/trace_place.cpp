#include "tracedeck/flow/trace_place.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tracedeck/flow/trace_names.hpp"
#include "tracedeck/io/joined_input.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/io/open_files.hpp"
#include "tracedeck/trace_identity.hpp"

namespace tracedeck::flow {
namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// The parts of traces that operands name or hold, which are put together when all are known.
struct NamedParts {
  std::vector<TracePart> found = {};
  std::vector<std::string> operands = {};  // of each
  std::vector<std::size_t> places = {};    // that are kept for each

  void add(TracePart part, const std::string& operand, std::vector<TracePlace>& to) {
    found.push_back(std::move(part));
    operands.push_back(operand);
    places.push_back(to.size());
    to.push_back({.operand = operand});
  }
};

void add_tree(const Operands& operands, const std::string& operand, const std::stop_token& stop,
              NamedParts& named, std::vector<TracePlace>& places) {
  Result<PartSearch> search = find_parts(operand, operands.format, stop);
  if (!search) {
    places.push_back({.operand = operand, .failure = Rare<Error>(std::move(search.error()))});
    return;
  }
  for (Error& error : search->unsearched) {
    places.push_back({.operand = operand, .failure = Rare<Error>(std::move(error))});
  }
  for (TracePart& each : search->found) named.add(std::move(each), operand, places);
}

// Each trace takes the place of the first of its parts that was named.
void join_named(NamedParts named, const std::stop_token& stop, std::vector<TracePlace>& places) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < named.found.size(); ++i) index.try_emplace(named.found[i].path, i);
  std::vector<bool> is_taken(places.size());
  for (JoinedTrace& trace : join_parts(std::move(named.found), stop)) {
    std::vector<std::size_t> parts;
    for (const std::string& path : trace.parts()) parts.push_back(index[path]);
    std::ranges::sort(parts);
    TracePlace& place = places[named.places[parts.front()]];
    // A file that is no trace is said to be none when it was named, and else passed over.
    const bool is_operand = trace.files.size() == 1 && trace.files.front() == place.operand;
    if (trace.format == nullptr && !is_operand) continue;
    is_taken[named.places[parts.front()]] = true;
    place.notices = std::move(trace.notices);
    place.named_again = std::move(trace.named_again);
    place.origin = std::move(trace.origin);
    if (is_operand) continue;
    place.format = trace.format;
    place.directories = std::move(trace.directories);
    place.files = std::move(trace.files);
    for (const std::size_t part : parts) {
      const std::string& operand = named.operands[part];
      const bool is_new =
          std::ranges::find(place.other_operands, operand) == place.other_operands.end();
      if (operand != place.operand && is_new) place.other_operands.push_back(operand);
    }
  }
  // From the back, those that went to another.
  for (std::size_t i = named.places.size(); i-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(named.places[i]);
    if (!is_taken[named.places[i]]) places.erase(places.begin() + at);
  }
}

// What `operand` says, if it is of the form FILE@CORE.
std::optional<CoreFile> core_file(const Operands& operands, const std::string& operand) {
  const std::size_t at = operand.rfind('@');
  if (at == std::string::npos || at == 0) return std::nullopt;
  CoreFile file{.operand = operand, .path = operand.substr(0, at)};
  const char* const end = operand.data() + operand.size();
  const auto [stop, error] = std::from_chars(operand.data() + at + 1, end, file.core);
  std::error_code ignored;
  if (error != std::errc() || stop != end || std::filesystem::exists(operand, ignored))
    return std::nullopt;
  if (operands.format != nullptr && !operands.format->has_core_files()) return std::nullopt;
  return file;
}

const Format* format_of_core_files(const Operands& operands) {
  if (operands.format != nullptr) return operands.format;
  const auto found = std::ranges::find_if(
      formats(), [](const Format* format) { return format->has_core_files(); });
  return found == formats().end() ? nullptr : *found;
}

// `apart`: what is read beside live places is read file by file.
void add_core_file(const Operands& operands, const std::string& operand, CoreFile file, bool apart,
                   std::vector<TracePlace>& places) {
  const auto place = std::ranges::find_if(places, &TracePlace::has_core_files);
  if (place != places.end() && !apart) {
    place->core_files.push_back(std::move(file));
    return;
  }
  places.push_back({.operand = operand, .format = format_of_core_files(operands)});
  places.back().core_files.push_back(std::move(file));
}

// What is followed of the file of one core is a trace of its own.
TracePlace live_place(const Operands& operands, const std::string& operand) {
  TracePlace place{.operand = operand, .live = true};
  std::optional<CoreFile> file = core_file(operands, operand);
  if (!file || io::is_live_address(operand)) return place;
  place.format = format_of_core_files(operands);
  place.core_files.push_back(*std::move(file));
  return place;
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

// As many as are open at a time.
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

// What tells traces apart in the terms of who runs the programs: the first of
// these that each has and no two share.
constexpr std::array<std::string FileOrigin::*, 3> kTellingApart = {
    &FileOrigin::service, &FileOrigin::host, &FileOrigin::process};

// The names that `member` gives, none if it does not tell all apart.
std::vector<std::string> names_by(std::string FileOrigin::* member,
                                  std::span<const TracePlace* const> places) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const TracePlace* const place : places) {
    const std::string& name = place->origin.*member;
    if (name.empty() || !seen.insert(name).second) return {};
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_of(std::span<const TracePlace* const> places) {
  for (const auto member : kTellingApart) {
    if (std::vector<std::string> names = names_by(member, places); !names.empty()) return names;
  }
  std::vector<std::string> paths;
  for (const TracePlace* const place : places)
    paths.push_back(place->parts().empty() ? place->operand : place->parts().front());
  return shortest_endings(paths);
}

void name_places(std::vector<TracePlace>& places) {
  std::vector<TracePlace*> named;
  for (TracePlace& place : places) {
    if (!place.failure) named.push_back(&place);
  }
  if (named.size() < 2) return;
  const std::vector<const TracePlace*> of(named.begin(), named.end());
  std::vector<std::string> names = names_of(of);
  for (std::size_t i = 0; i < named.size(); ++i) named[i]->name = std::move(names[i]);
}

}  // namespace

bool TracePlace::reopens() const {
  if (live) return false;
  std::error_code ignored;
  if (has_core_files()) {
    return std::ranges::all_of(core_files, [&](const CoreFile& file) {
      return std::filesystem::is_regular_file(file.path, ignored);
    });
  }
  return !parts().empty() || is_regular_file(operand);
}

std::vector<std::string_view> TracePlace::names() const {
  std::vector<std::string_view> names = {operand};
  names.insert(names.end(), other_operands.begin(), other_operands.end());
  for (const CoreFile& file : core_files) names.emplace_back(file.operand);
  for (const std::string& part : parts()) names.emplace_back(part);
  if (!name.empty()) names.emplace_back(name);
  return names;
}

std::vector<TracePlace> list_traces(const Operands& operands, const std::stop_token& stop) {
  const bool live = operands.follow || std::ranges::any_of(operands.names, io::is_live_address);
  std::vector<TracePlace> places;
  NamedParts named;
  for (const std::string& operand : operands.names) {
    if (operands.follow || io::is_live_address(operand)) {
      places.push_back(live_place(operands, operand));
    } else if (flow::is_directory(operand)) {
      add_tree(operands, operand, stop, named, places);
    } else if (std::optional<CoreFile> file = core_file(operands, operand)) {
      add_core_file(operands, operand, *std::move(file), live, places);
    } else if (operands.names.size() > 1 && is_regular_file(operand)) {
      named.add(find_file_part(operand, operands.format, stop), operand, places);
    } else {
      places.push_back({.operand = operand});
    }
  }
  join_named(std::move(named), stop, places);
  name_places(places);
  std::size_t files = 0;
  for (const TracePlace& place : places) files += files_in(place);
  io::allow_open_files(files);
  return places;
}

Result<FoundTrace> find_place(const TracePlace& place, const Format* format,
                              const std::stop_token& stop) {
  if (place.failure) return std::unexpected(*place.failure);
  if (place.is_directory())
    return FoundTrace{.format = place.format, .directories = place.directories};
  if (!place.files.empty()) {
    const std::string& name = place.files.front();
    return FoundTrace{
        .format = place.format, .input = io::joined_input(name, place.files, stop), .name = name};
  }
  Result<FoundTraces> found = find_traces(place.operand, format, stop);
  if (!found) return std::unexpected(std::move(found.error()));
  return std::move(found->traces.front());
}

Result<std::unique_ptr<Reader>> open_place(const TracePlace& place, const Format* format,
                                           const ReadOptions& options, std::stop_token stop) {
  if (place.has_core_files()) return open_core_files(place, options, stop);
  Result<FoundTrace> found = find_place(place, format, stop);
  if (!found) return std::unexpected(std::move(found.error()));
  return open_found(*std::move(found), options, std::move(stop));
}

}  // namespace tracedeck::flow
