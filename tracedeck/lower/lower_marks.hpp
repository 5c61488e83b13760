// Events of a result that say what it was made from.
//
// A mark is an event of class `tracedeck.mark`, which has the time of the event before it, or of
// the first one: the number of the source trace, from 0; optionally the id of a class of the
// result; and a text. With an id, the text says how events of that class were lowered; without, it
// is one of description_text.hpp. Marks come before the events that need them. A loss is an event
// of class `tracedeck.loss`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/lower/shape.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::lower {

inline constexpr std::string_view kMarkName = "tracedeck.mark";
inline constexpr std::string_view kLossName = "tracedeck.loss";

// The payloads of both.
[[nodiscard]] const FieldClassPtr& mark_payload();
[[nodiscard]] const FieldClassPtr& loss_payload();

// What a mark says of a class of the result.
struct ClassMark {
  std::uint64_t event_class = 0;  // its ordinal in the source trace
  Shape shape = {};

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<ClassMark> parse(std::string_view text);
};

struct Mark {
  std::uint64_t trace = 0;
  std::optional<std::uint64_t> class_id = {};
  std::string_view text = {};

  void append(std::vector<Slot>& slots) const;
  // Of an event of class `tracedeck.mark`.
  [[nodiscard]] static std::optional<Mark> parse(std::span<const Slot> payload);
};

// A loss, perhaps of a data stream, which is told by its ordinal.
struct LossMark {
  std::uint64_t trace = 0;
  std::optional<std::uint64_t> stream = {};
  Loss loss = {};  // without its stream

  void append(std::vector<Slot>& slots, ByteArena& arena) const;
  [[nodiscard]] static std::optional<LossMark> parse(std::span<const Slot> payload);
};

}  // namespace tracedeck::lower
