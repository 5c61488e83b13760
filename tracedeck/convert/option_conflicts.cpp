#include "tracedeck/convert/option_conflicts.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tracedeck/io/output.hpp"

namespace tracedeck {
namespace {

// The option that keeps some events from being read, or "".
std::string_view event_option(const flow::Selection& selection) {
  return selection.where != nullptr ? "where" : selection.limit ? "limit" : "";
}

std::string conflict_of_parts(const ConversionTask& task) {
  const std::string_view option = task.split_size ? "--split-size" : "--split-duration";
  if (task.spans) {
    return fmt::format(
        "option '{0}' does not go with '--spans', whose slices are found as a whole; "
        "divide the result by another 'tracedeck convert {0}'",
        option);
  }
  if (task.is_drawn()) {
    return fmt::format("option '{}' goes with results that hold events, and '--to {}' shows them",
                       option, task.kind->name);
  }
  if (task.split_size && (task.kind->at_end || task.settings.flat)) {
    return fmt::format(
        "option '--split-size' does not go with '--to {}{}', whose size shows at the "
        "end; '--split-duration' divides it by time",
        task.kind->name, task.settings.flat ? " --flat" : "");
  }
  return {};
}

// Tables of rules that nothing asks for.
std::string conflict_of_tables(const ConversionTask& task) {
  const bool are_applied =
      task.is_drawn() || task.is_split() || task.content != TableContent::kEvents;
  if (task.tables.empty() || are_applied) return {};
  return task.kind->has_option("spans")
             ? "option '--table' goes with '--spans', which makes time lines of events"
             : "option '--table' goes with '--what spans' or '--what all', which apply it";
}

// Of tables, where nothing asks for flows.
std::string conflict_of_flows(const ConversionTask& task) {
  if (!task.all_flows || !task.kind->has_segment() || task.content != TableContent::kEvents)
    return {};
  return "option '--flows' goes with '--what spans' or '--what all', which have a table of them";
}

std::string conflict_of_drawing(const ConversionTask& task) {
  if (const std::string_view option = event_option(task.reading.selection); !option.empty()) {
    return fmt::format(
        "option '--{}' does not go with '--to {}': without some events, begins and ends would not "
        "be found",
        option, task.kind->name);
  }
  // What was written to a pipe cannot be taken back.
  if (task.max_size && (task.out == "-" || io::part_path(task.out).empty()))
    return "option '--max-size' tries several times: OUT has to be a file";
  return {};
}

// Of tables of what events mean.
std::string conflict_of_meaning(const ConversionTask& task) {
  if (task.layout == TableLayout::kOne)
    return "option '--what' goes with '--layout class' or 'schema': one table has events alone";
  if (task.is_split())
    return "a divided result has events alone: '--what' does not go with '--split-size' and "
           "'--split-duration'";
  if (task.settings.tables.clock_values && task.content == TableContent::kSpans)
    return "option '--raw' goes with '--what events' or '--what all': events have values of clocks";
  const flow::Selection& selection = task.reading.selection;
  if (selection.begin && task.content == TableContent::kAll)
    return "option '--begin' goes with '--what events' or '--what spans', not with both at once";
  const std::string_view option = event_option(selection);
  if (option.empty()) return {};
  return fmt::format(
      "option '--{}' goes with '--what events': without some events, begins and ends would not be "
      "found",
      option);
}

}  // namespace

std::string conflict_of(const ConversionTask& task) {
  std::string conflict;
  if (task.is_split()) conflict = conflict_of_parts(task);
  if (conflict.empty()) conflict = conflict_of_tables(task);
  if (conflict.empty()) conflict = conflict_of_flows(task);
  if (conflict.empty() && task.is_drawn()) conflict = conflict_of_drawing(task);
  if (conflict.empty() && task.content != TableContent::kEvents)
    conflict = conflict_of_meaning(task);
  return conflict;
}

}  // namespace tracedeck
