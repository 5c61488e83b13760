// The segments of a trace that was converted to CTF and comes back.
//
// There, segments are no data streams: packets say in a member of their context which one their
// events are of (docs/formats/ctf.md, "Writing").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tracedeck/model/record.hpp"

namespace tracedeck::dial9 {

// The member of the packet context that holds the number of the segment, if there is one.
[[nodiscard]] std::optional<std::size_t> segment_member(const DataStreamClass& stream_class);

// The number of the segment, which member `member` of the packet's context is.
[[nodiscard]] std::optional<std::uint64_t> segment_of(const Packet& packet, std::size_t member);

}  // namespace tracedeck::dial9
