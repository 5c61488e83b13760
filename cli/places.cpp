#include "cli/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/split.hpp"
#include "tracedeck/convert/results_apart.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {
namespace {

// What `name` leads to, links followed, whether or not there is such a file.
std::filesystem::path place_of(const std::string& name) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(name, error);
  const std::filesystem::path place = std::filesystem::weakly_canonical(whole, error);
  return error ? whole : place;
}

// Whether both name one place. An empty name is none.
bool same_place(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code ignored;
  return place_of(a) == place_of(b) || std::filesystem::equivalent(a, b, ignored);
}

// The folder that a file of that name lies in.
std::string folder_of(const std::string& name) { return place_of(name).parent_path().string(); }

// Whether a file of that name would become a part of a trace.
bool lies_in_trace(const std::string& name) {
  const std::string folder = folder_of(name);
  return std::ranges::any_of(
      formats(), [&](const Format* format) { return format->recognises_directory(folder); });
}

// Where things go; empty names are none.
struct Places {
  std::string out;
  std::string out_part;
  std::string report;
  std::string report_part;
};

Places places_of(const Options& options) {
  Places places;
  places.out = options.out == kStandard ? "/dev/stdout" : options.out;
  places.out_part = writes_directory(options) ? io::OutputDirectory::part_path(places.out)
                                              : io::part_path(places.out);
  places.report = options.report == kStandard ? "/dev/stdout" : options.report;
  if (!places.report.empty()) places.report_part = io::part_path(places.report);
  return places;
}

std::string check_report(const Options& options, const Places& places) {
  if (places.report.empty()) return {};
  if (same_place(places.report, places.out)) {
    if (options.report == kStandard || options.out == kStandard)
      return "the report and the result cannot both be standard output: give one of them a file";
    return "the report and the result cannot both be " + options.out;
  }
  if (same_place(places.report, places.out_part))
    return fmt::format("the report cannot be {}, where the result is written first", places.report);
  if (same_place(places.report_part, places.out))
    return fmt::format("the result cannot be {}, where the report is written first", options.out);
  const std::string folder = folder_of(places.report);
  if (writes_directory(options) &&
      (same_place(folder, places.out) || same_place(folder, places.out_part)))
    return fmt::format("the report cannot be {}, a file of the result", places.report);
  if (lies_in_trace(places.report))
    return fmt::format("the report {} would become a part of the trace it lies in", places.report);
  return {};
}

}  // namespace

std::string check_read_again(const Options& options, std::string_view what) {
  const auto once = [&](std::string_view trace) {
    return fmt::format(
        "{} reads its TRACEs twice or more, and {} can be read once; a file is needed", what,
        trace);
  };
  if (options.follow) return once("what is followed");
  for (const std::string& operand : options.operands) {
    if (operand == kStandard) return once("standard input");
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(operand, ignored);
    const bool is_at_rest = std::filesystem::is_regular_file(status) ||
                            std::filesystem::is_directory(status) ||
                            !std::filesystem::exists(status);
    if (!is_at_rest || io::is_live_address(operand)) return once(operand);
  }
  return {};
}

std::string check_results_apart(const Options& options) {
  const auto is_result = [](std::string_view id) { return id == "o" || id == "page-out"; };
  ResultPlaces places{
      .traces = {.names = options.operands, .format = options.format, .follow = options.follow},
      .are_files = options.merge,
      .files_read = options.files_read,
      .files = {{options.report, "the report"}, {options.partial, "the partial answer"}},
      .kind = find_output(options.to),
      .is_directory = writes_directory(options),
      .is_split = is_split(options)};
  places.files_read.push_back(options.metadata_file);
  if (std::ranges::any_of(options.given, is_result)) places.out = options.out;
  return tracedeck::check_results_apart(places);
}

bool reads_live(const Options& options) {
  return options.follow || std::ranges::any_of(options.operands, io::comes_live);
}

std::string interrupted_text(const std::string& out, const std::string& written) {
  if (written.empty()) return "interrupted before anything was written";
  if (written == out)
    return fmt::format("interrupted; {} is not complete",
                       out == kStandard ? "standard output" : out);
  return fmt::format("interrupted; what was written until then is in {}", written);
}

std::string unfinished_file(const std::string& out) {
  const std::string part = out == kStandard ? std::string() : io::part_path(out);
  return part.empty() ? out : part;
}

bool writes_directory(const Options& options) {
  const OutputKind* const kind = find_output(options.to);
  return kind != nullptr && kind->in_directory(options.layout);
}

std::string check_places(const Options& options) {
  const bool directory = writes_directory(options);
  if (directory && options.out == kStandard)
    return fmt::format("a result of --to {} is a directory, which standard output cannot be",
                       options.to);
  const Places places = places_of(options);
  if (std::string wrong = check_report(options, places); !wrong.empty()) return wrong;
  if (!directory && !places.out_part.empty() && lies_in_trace(places.out))
    return fmt::format("the result {} would become a part of the trace it lies in", options.out);
  return {};
}

}  // namespace tracedeck::cli
