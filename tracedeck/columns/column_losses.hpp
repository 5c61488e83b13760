// What columns hold otherwise than events have it, counted for the receipt.
#pragma once

#include <cstdint>

#include "tracedeck/format/adaptations.hpp"

namespace tracedeck::columns {

enum class ColumnLoss : std::uint8_t {
  kRepairedText,
  kUnresolvedText,
  kUnresolvedList,
  kRoundedReal,
  kMoreLabels,
  kLargeTime,
  kDynamic,
  kRenamed,
  kAsJson,
  kWideClass,
  kSmallGroup,
  kOtherKind,
  kLabelWithoutColumn,
  kOtherOrigin,
  kFarTime,
  kCount
};

using ColumnLosses = AdaptationCounts<ColumnLoss>;

[[nodiscard]] Receipt receipt_of(const ColumnLosses& losses);

}  // namespace tracedeck::columns
