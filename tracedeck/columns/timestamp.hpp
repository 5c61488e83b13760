// Times of day in columns: microseconds since the Unix epoch, beside the exact times in ns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/base/time.hpp"
#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::columns {

[[nodiscard]] inline Column timestamp_column(std::string name) {
  Column column{.name = std::move(name), .type = ColumnType::kInteger, .nullable = true};
  column.is_signed = true;
  column.width = 64;
  column.is_timestamp = true;
  return column;
}

// A time since the Unix epoch in microseconds, rounded down; nothing outside of the years 1900 to
// 2299, which are what all engines hold.
[[nodiscard]] inline std::optional<std::int64_t> as_timestamp(const Nanoseconds& time) {
  constexpr std::int64_t kFirst = -2'208'988'800'000'000;
  constexpr std::int64_t kEnd = 10'413'792'000'000'000;
  constexpr std::int64_t kMicrosecond = 1000;
  const Uint128 size = time.magnitude() / kMicrosecond;
  if (size > Uint128{kEnd}) return {};
  auto value = static_cast<std::int64_t>(size);
  if (time.negative()) value = -value - (time.magnitude() % kMicrosecond != 0 ? 1 : 0);
  if (value < kFirst || value >= kEnd) return {};
  return value;
}

// `clock`: which the time is of; null: it is not known.
inline void append_timestamp(Column& column, const ClockClass* clock,
                             const std::optional<Nanoseconds>& time, ColumnLosses& losses) {
  std::optional<std::int64_t> value;
  if (time && (clock == nullptr || clock->origin != ClockOrigin::kUnixEpoch)) {
    losses.add(ColumnLoss::kOtherOrigin);
  } else if (time) {
    value = as_timestamp(*time);
    if (!value) losses.add(ColumnLoss::kFarTime);
  }
  column.valid.push_back(value ? 1 : 0);
  if (value) column.words64.push_back(static_cast<std::uint64_t>(*value));
}

}  // namespace tracedeck::columns
