#include "tracedeck/columns/column_losses.hpp"

namespace tracedeck::columns {
namespace {

constexpr ColumnLosses::Table kColumnFacts = {{
    {"texts that are no UTF-8", "each invalid sequence written as U+FFFD", true},
    {"texts of which only the number in a pool is known", "written as JSON text with that number",
     false},
    {"lists of which only the number in a pool is known", "written as null", true},
    {"reals of more bits than 64", "rounded to binary64", true},
    {"values that have several labels", "written with the first", true},
    {"times and durations that columns do not hold", "written as null", true},
    {"values that carry their type", "written as JSON text", false},
    {"fields whose names cannot be those of columns", "written under other names", false},
    {"fields that are nested too deep or take too many columns", "written as JSON text", false},
    {"event classes with integers that 64 bits do not hold",
     "written from the first on to another table, of wider columns", false},
    {"row groups that end early to bound memory", "written small", false},
    {"values that columns made for the first rows do not hold", "written as null", true},
    {"labels of numbers of which the first rows have none", "left out", true},
    {"times of clocks that do not count from the Unix epoch", "written without a timestamp", false},
    {"times before the year 1900 or after 2299", "written without a timestamp", false},
}};

}  // namespace

Receipt receipt_of(const ColumnLosses& losses) { return losses.receipt(kColumnFacts); }

}  // namespace tracedeck::columns
