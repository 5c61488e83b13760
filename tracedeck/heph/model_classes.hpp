// What the event types of a trace are in terms of the model.
#pragma once

#include "tracedeck/heph/event_type.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::heph {

// Members of the common context of events, in this order. They are a part of where an event comes
// from; other formats may carry them under these names.
inline constexpr std::string_view kSubstreamMember = "substream";
inline constexpr std::string_view kCounterMember = "counter";

// The structure of substream and counter.
[[nodiscard]] FieldClassPtr common_context_class();

// The class of a value with that type byte.
[[nodiscard]] FieldClassPtr value_class(std::uint8_t type);
// Of numbers and texts by the kinds of their slots, or of arrays of them.
[[nodiscard]] FieldClassPtr value_class(SlotKind kind, bool array);

[[nodiscard]] EventClass event_class(const EventType& type, const DataStreamClass& stream_class);

}  // namespace tracedeck::heph
