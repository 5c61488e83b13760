#include "cli/split.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "tracedeck/part_files.hpp"

namespace tracedeck::cli {
namespace {

std::filesystem::path place_folder(const std::string& name) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(name, error);
  return (error ? std::filesystem::absolute(name, error) : whole).parent_path();
}

// Whether a part may get that name.
bool is_part(const std::string& name, const Options& options, const OutputKind& kind) {
  return !name.empty() && is_part_name(name, options.out, kind) &&
         place_folder(name) == place_folder(options.out);
}

}  // namespace

bool is_split(const Options& options) {
  return options.split_size.has_value() || options.split_duration.has_value();
}

std::string check_split(const Options& options, const OutputKind& kind) {
  if (!is_split(options)) return {};
  const std::string_view option = options.split_size ? "--split-size" : "--split-duration";
  if (options.out == kStandard)
    return fmt::format("option '{}' writes several files, and standard output is one", option);
  if (is_part(options.report, options, kind))
    return fmt::format("the report cannot be {}, the name of a part", options.report);
  if (options.tables.empty()) return {};
  return check_read_again(options, fmt::format("--table with {}", option));
}

void report_other_parts(const Options& options, Session& session, std::size_t parts) {
  const std::string next = part_name(options.out, *find_output(options.to), parts + 1);
  std::error_code ignored;
  if (!std::filesystem::exists(next, ignored)) return;
  session.diagnostics.note(fmt::format("{} was there before, and is no part of this result", next));
}

}  // namespace tracedeck::cli
