#include "tracedeck/columns/time_partition.hpp"

#include <fmt/format.h>

#include <chrono>

#include "tracedeck/columns/limits.hpp"

namespace tracedeck::columns {
namespace {

constexpr std::int64_t kHoursOfDay = 24;

// Rounded down.
std::int64_t quotient(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

std::optional<std::int64_t> partition_hour(const Event& event, TimePartition partition) {
  constexpr std::int64_t kHour = 3'600'000'000'000;  // ns
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr || clock->origin != ClockOrigin::kUnixEpoch) return {};
  const std::optional<std::int64_t> time = as_signed(event.began_at());
  if (!time) return {};
  const std::int64_t hour = quotient(*time, kHour);
  return partition == TimePartition::kHour ? hour : quotient(hour, kHoursOfDay) * kHoursOfDay;
}

std::string partition_folder(std::optional<std::int64_t> hour, TimePartition partition) {
  if (!hour || partition == TimePartition::kNone) return {};
  const std::int64_t day = quotient(*hour, kHoursOfDay);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  std::string folder =
      fmt::format("date={:04}-{:02}-{:02}/", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (partition == TimePartition::kHour)
    folder += fmt::format("hour={:02}/", *hour - day * kHoursOfDay);
  return folder;
}

}  // namespace tracedeck::columns
