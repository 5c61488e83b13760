#include "cli/output_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/split.hpp"

namespace tracedeck::cli {
namespace {

// The outputs that know an option, among those that lie beside `kind` in a command.
std::vector<std::string_view> knowing(std::string_view option, const OutputKind& kind) {
  std::vector<std::string_view> names;
  for (const OutputKind& each : outputs()) {
    const bool beside = (kind.shown && each.shown) || (kind.converts() && each.converts());
    if (beside && each.has_option(option)) names.push_back(each.name);
  }
  return names;
}

bool any_knows(std::string_view option) {
  for (const OutputKind& each : outputs()) {
    if (each.has_option(option)) return true;
  }
  return false;
}

}  // namespace

std::string check_output_options(const Options& options, const OutputKind& kind,
                                 std::string_view option) {
  for (const std::string_view given : options.given) {
    if (kind.has_option(given) || !any_knows(given)) continue;
    // Of a divided result it counts slices.
    if (given == "table" && is_split(options)) continue;
    return fmt::format("option '--{}' goes with '{} {}' only", given, option,
                       fmt::join(knowing(given, kind), ", "));
  }
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(options.given, name) != options.given.end();
  };
  if (options.flat && is_given("records")) {
    return "option '--records' does not go with '--flat', which has a column for each field of an "
           "event";
  }
  if (options.partition != columns::TimePartition::kNone && options.layout == TableLayout::kOne)
    return "option '--partition' goes with '--layout class' or 'schema': one table is not divided";
  if (kind.in_directory(options.layout) && kind.makes == OutputKind::Makes::kFile &&
      is_split(options))
    return fmt::format(
        "option '--layout' class of '{} {}' writes a directory, which is not divided", option,
        kind.name);
  if (options.explain && kind.has_option("spans") && !options.spans)
    return "option '--explain' goes with '--spans', which makes time lines of events";
  return {};
}

OutputSettings output_settings(const Options& options) {
  OutputSettings settings{.all_records = options.all_records,
                          .large_integers_as_strings = options.int64_strings,
                          .babeltrace = {.clock_gmt = options.clock_gmt,
                                         .clock_seconds = options.clock_seconds,
                                         .clock_cycles = options.clock_cycles,
                                         .clock_date = options.clock_date,
                                         .no_delta = options.no_delta,
                                         .names = options.babeltrace_names.shown(),
                                         .fields = options.babeltrace_fields.shown()},
                          .write = {.version = options.dial9_version}};
  settings.tables = {.segment = options.segment,
                     .tags = options.tags,
                     .one_table = options.layout == TableLayout::kOne,
                     .names_columns = options.layout == TableLayout::kSchema,
                     .timestamps = options.timestamps,
                     .clock_values = options.clock_values,
                     .partition = options.partition};
  settings.flat = options.flat;
  settings.all_arguments = options.all_arguments;
  settings.shortest = options.shortest;
  settings.perfetto_level = options.perfetto_level;
  settings.stacks = options.stacks;
  return settings;
}

}  // namespace tracedeck::cli
