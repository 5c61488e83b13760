// The numbers of the fields of pprof's messages.
#pragma once

#include <cstdint>

namespace tracedeck::exporting::pprof {

namespace profile {
inline constexpr std::uint32_t kSampleType = 1;
inline constexpr std::uint32_t kSample = 2;
inline constexpr std::uint32_t kMapping = 3;
inline constexpr std::uint32_t kLocation = 4;
inline constexpr std::uint32_t kFunction = 5;
inline constexpr std::uint32_t kStringTable = 6;
inline constexpr std::uint32_t kTimeNanos = 9;
inline constexpr std::uint32_t kDurationNanos = 10;
inline constexpr std::uint32_t kDefaultSampleType = 14;
}  // namespace profile
namespace value_type {
inline constexpr std::uint32_t kType = 1;
inline constexpr std::uint32_t kUnit = 2;
}  // namespace value_type
namespace sample {
inline constexpr std::uint32_t kLocationId = 1;
inline constexpr std::uint32_t kValue = 2;
}  // namespace sample
namespace mapping {
inline constexpr std::uint32_t kId = 1;
inline constexpr std::uint32_t kMemoryLimit = 3;
inline constexpr std::uint32_t kHasFunctions = 7;
}  // namespace mapping
namespace location {
inline constexpr std::uint32_t kId = 1;
inline constexpr std::uint32_t kMappingId = 2;
inline constexpr std::uint32_t kAddress = 3;
inline constexpr std::uint32_t kLine = 4;
}  // namespace location
namespace line {
inline constexpr std::uint32_t kFunctionId = 1;
inline constexpr std::uint32_t kLine = 2;
}  // namespace line
namespace function {
inline constexpr std::uint32_t kId = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kSystemName = 3;
inline constexpr std::uint32_t kFilename = 4;
}  // namespace function

}  // namespace tracedeck::exporting::pprof
