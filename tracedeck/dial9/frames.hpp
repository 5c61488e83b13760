// Writing of the frames that are not events, and the rules of what may stand in them.
//
// Sizes are exact; `put_...` write that many bytes at `to` and return the end. What they are
// given must have passed the checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {

// Which format the encoder may use. Both have wire version 1.
enum class Version : std::uint8_t {
  // NOLINTBEGIN(readability-identifier-naming): version numbers
  k0_3,
  k0_4,  // adds stack pools, schema annotations, dynamic lists and maps
  // NOLINTEND(readability-identifier-naming)
};

// Whether a schema can be written: names and counts within their limits, types known and
// part of the version. Errors: kInvalidArgument, kUnsupported for what needs 0.4.
[[nodiscard]] Result<void> check_schema(const Schema& schema, Version version);
// The same for annotations alone, of a schema with `field_count` fields.
[[nodiscard]] Result<void> check_annotations(std::span<const Annotation> annotations,
                                             std::size_t field_count, Version version);

[[nodiscard]] std::uint8_t* put_header(std::uint8_t* to);

// The schema frame alone; annotations have a frame of their own.
[[nodiscard]] std::size_t schema_frame_size(const Schema& schema);
[[nodiscard]] std::uint8_t* put_schema_frame(std::uint8_t* to, std::uint16_t type_id,
                                             const Schema& schema);

// 0 when there are no annotations, for then there is no frame.
[[nodiscard]] std::size_t annotations_frame_size(std::uint16_t type_id,
                                                 std::span<const Annotation> annotations);
[[nodiscard]] std::uint8_t* put_annotations_frame(std::uint8_t* to, std::uint16_t type_id,
                                                  std::span<const Annotation> annotations);

// A pool frame of one entry: text, or the addresses of a stack as they stand on the wire.
inline constexpr std::size_t kPoolFrameHeadSize = 1 + 4 + 4 + 4;
[[nodiscard]] std::uint8_t* put_pool_frame(std::uint8_t* to, FrameTag pool, std::uint32_t id,
                                           ByteSpan content);

[[nodiscard]] inline std::uint8_t* put_timestamp_reset(std::uint8_t* to, std::uint64_t timestamp) {
  *to = static_cast<std::uint8_t>(FrameTag::kTimestampReset);
  store_le(to + 1, timestamp);
  return to + kTimestampResetSize;
}

}  // namespace tracedeck::dial9
