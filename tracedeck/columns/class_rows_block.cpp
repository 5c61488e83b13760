// Appending rows of a class column by column.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/columns/class_rows.hpp"
#include "tracedeck/columns/limits.hpp"

namespace tracedeck::columns {
namespace {

// Whether instances can be repeated (`repeat_last`).
bool has_lists(const Column& column) {
  return column.type == ColumnType::kList || std::ranges::any_of(column.children, has_lists);
}

// Appends the integers in the slots at `slot` of rows. False: one of them is none that a column of
// `Stored` holds, signed as `Signed` says.
template <class Signed, class Stored>
bool append_integers(Values<Stored>& values, std::span<const Slot* const> rows,
                     std::uint32_t slot) {
  Stored* const out = values.grow(rows.size());
  unsigned kinds = 0;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Slot& value = rows[i][slot];
    const auto stored = static_cast<Signed>(value.bits);
    kinds |= static_cast<unsigned>(value.kind) - static_cast<unsigned>(SlotKind::kUnsigned);
    beyond |= value.bits ^ static_cast<std::uint64_t>(std::int64_t{0} + stored);
    out[i] = static_cast<Stored>(stored);
  }
  static_assert(static_cast<unsigned>(SlotKind::kSigned) ==
                static_cast<unsigned>(SlotKind::kUnsigned) + 1);
  return kinds <= 1 && beyond == 0;
}

// What is added to values of a clock that counts ns; nothing for others.
std::optional<std::int64_t> offset_of(const ClockClass* clock) {
  if (clock == nullptr || clock->tick != Tick{}) return {};
  return as_signed(clock->to_nanoseconds(0));
}

// If the bits that values have together are at most this, each value plus `offset` fits 63 bits.
std::uint64_t largest_before(std::int64_t offset) {
  const auto room =
      offset < 0 ? kLargestSigned : kLargestSigned - static_cast<std::uint64_t>(offset);
  return std::bit_floor(room + 1) - 1;
}

}  // namespace

void ClassRows::find_fixed_steps() {
  repeats_packets_ = plan_.packet_column != 0 && !has_lists(child(plan_.packet_column));
  is_fixed_ = !plan_.wide && find_fixed_steps(plan_.common) == plan_.common.end;
  fixed_common_ = fixed_slots_;
  is_fixed_ = is_fixed_ && find_fixed_steps(plan_.specific) == plan_.specific.end;
  fixed_specific_ = fixed_slots_ - fixed_common_;
  if (is_fixed_) rest_ = find_fixed_steps(plan_.payload);
}

std::uint32_t ClassRows::find_fixed_steps(StepRange range) {
  std::uint32_t at = range.begin;
  while (at < range.end) {
    const Step& step = plan_.steps[at];
    FixedStep fixed{.step = at, .slot = fixed_slots_};
    switch (step.op) {
      case Op::kStructure: {
        const std::size_t number = fixed_steps_.size();
        const std::uint32_t slots = fixed_slots_++;
        fixed_steps_.push_back(fixed);
        if (find_fixed_steps({at + 1, step.end}) != step.end) {
          fixed_steps_.resize(number);
          fixed_slots_ = slots;
          return at;
        }
        fixed_steps_[number].extent = fixed_slots_ - slots - 1;
        at = step.end;
        continue;
      }
      case Op::kJson:
      case Op::kOptional:
      case Op::kVariant:
      case Op::kOption:
      case Op::kJump:
      case Op::kMap:
        return at;
      default:
        break;
    }
    fixed_steps_.push_back(fixed);
    // The value's own step follows that of a label.
    if (step.op != Op::kLabel) ++fixed_slots_;
    at = step.end;
  }
  return at;
}

bool ClassRows::find_slots(std::span<const EventRow> rows, const Slot** slots) const {
  std::uint32_t contexts = 0;
  std::uint32_t differs = 0;
  for (const EventRow& row : rows) {
    const Event& event = *row.event;
    *slots++ = event.slots;
    contexts |= (event.common_count ^ fixed_common_) | (event.specific_count ^ fixed_specific_);
    differs |= event.slot_count ^ fixed_slots_;
  }
  if (contexts != 0 || differs == 0) return contexts == 0;
  return rest_ != plan_.payload.end && std::ranges::all_of(rows, [this](const EventRow& row) {
           return row.event->slot_count >= fixed_slots_;
         });
}

bool ClassRows::append_block(std::span<const EventRow> rows) {
  std::array<const Slot*, kBlock> slots;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  if (!is_fixed_ || !find_slots(rows, slots.data())) return false;
  const std::int64_t last_time = table_.last_time;
  const bool was_sorted = table_.sorted;
  const std::uint64_t bytes = table_.bytes;
  const ColumnLosses losses = tools_.losses;
  append_times(rows);
  append_origins(rows);
  append_packets(rows);
  const SlotsOfRows of_rows = std::span(slots).first(rows.size());
  for (const FixedStep& each : fixed_steps_) fill(each, of_rows);
  if (rest_ != plan_.payload.end) {
    for (const EventRow& row : rows)
      run(rest_, plan_.payload.end, row.event->slots + fixed_slots_,
          row.event->slots + row.event->slot_count);
  }
  table_.rows += rows.size();
  table_.bytes += fixed_bytes_ * rows.size();
  if (!wrong_ && !too_wide_) [[likely]]
    return true;
  for (std::size_t i = 0; i < rows.size(); ++i) remove_row();
  wrong_ = false;
  too_wide_ = false;
  table_.last_time = last_time;
  table_.sorted = was_sorted;
  table_.bytes = bytes;
  tools_.losses = losses;
  return false;
}

void ClassRows::append_times(std::span<const EventRow> rows) {
  const ClockClass* const clock = rows.front().event->event_class->clock;
  if (plan_.clock != 0) {
    for (const EventRow& row : rows) append_clock(clock_columns(), *row.event, tools_.losses);
  }
  if (plan_.duration != 0) {
    for (const EventRow& row : rows) append_duration(*row.event);
  }
  const std::optional<std::int64_t> offset = offset_of(clock);
  if (!offset) {
    for (const EventRow& row : rows) {
      append_time(*row.event);
      // `append_time` looks for the first row of the table.
      ++table_.rows;
    }
    table_.rows -= rows.size();
    return;
  }
  Column& column = child(0);
  column.valid.append(rows.size(), std::uint8_t{1});
  std::uint64_t* const out = column.words64.grow(rows.size());
  auto last = table_.rows == 0 ? std::numeric_limits<std::int64_t>::min() : table_.last_time;
  bool falls = false;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t value = rows[i].event->time;
    const auto time = static_cast<std::int64_t>(value + static_cast<std::uint64_t>(*offset));
    out[i] = static_cast<std::uint64_t>(time);
    all |= value;
    falls |= time < last;
    last = time;
  }
  // If a value may be too wide, `append` decides row by row.
  too_wide_ = too_wide_ || all > largest_before(*offset);
  table_.sorted = table_.sorted && !falls;
  table_.last_time = last;
}

void ClassRows::append_origins(std::span<const EventRow> rows) {
  std::uint64_t* const seqs = child(plan_.seq).words64.grow(rows.size());
  const RowOrigin* const first = rows.front().origin;
  std::uintptr_t differs = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    seqs[i] = static_cast<std::uint64_t>(rows[i].seq);
    differs |= std::bit_cast<std::uintptr_t>(rows[i].origin) ^ std::bit_cast<std::uintptr_t>(first);
  }
  if (differs == 0) [[likely]]
    return append_origin(*first, rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    const RowOrigin* const origin = rows[begin].origin;
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end].origin == origin) ++end;
    append_origin(*origin, end - begin);
    begin = end;
  }
}

void ClassRows::append_origin(const RowOrigin& origin, std::size_t rows) {
  OriginWords& words = origins_[origin.number % origins_.size()];
  if (origin.number != words.origin) [[unlikely]] {
    words.origin = origin.number;
    words.trace = child(plan_.trace).words->number(origin.trace);
    if (origin.stream) words.stream = child(plan_.stream).words->number(*origin.stream);
  }
  child(plan_.trace).words32.append(rows, words.trace);
  Column& stream = child(plan_.stream);
  stream.valid.append(rows, origin.stream ? std::uint8_t{1} : std::uint8_t{0});
  if (origin.stream) stream.words32.append(rows, words.stream);
  for (std::uint32_t i = 0; i < plan_.tags; ++i)
    child(plan_.first_tag + i).words32.append(rows, std::uint32_t{0});
}

void ClassRows::append_packets(std::span<const EventRow> rows) {
  if (plan_.packet_column == 0) return;
  for (std::size_t begin = 0; begin < rows.size();) {
    const Packet* const packet = rows[begin].event->packet;
    std::size_t end = begin + 1;
    if (repeats_packets_) {
      while (end < rows.size() && rows[end].event->packet == packet) ++end;
    }
    append_packet(*rows[begin].event);
    if (end - begin > 1) repeat_last(child(plan_.packet_column), end - begin - 1);
    begin = end;
  }
}

void ClassRows::fill(const FixedStep& fixed, SlotsOfRows rows) {
  const Step& step = plan_.steps[fixed.step];
  Column& column = column_of(step);
  switch (step.op) {
    case Op::kInteger64:
      // A value that is too wide is looked at by `append`.
      if (!append_integers<std::uint64_t>(column.words64, rows, fixed.slot)) wrong_ = true;
      return;
    case Op::kInteger32: {
      const bool right = column.is_signed
                             ? append_integers<std::int32_t>(column.words32, rows, fixed.slot)
                             : append_integers<std::uint32_t>(column.words32, rows, fixed.slot);
      wrong_ = wrong_ || !right;
      return;
    }
    case Op::kText:
      for (const Slot* const row : rows) append_text(column, row[fixed.slot]);
      return;
    case Op::kLabel:
      for (const Slot* const row : rows) append_label(step, row[fixed.slot]);
      return;
    case Op::kArray:
      return fill_lists(fixed, rows);
    case Op::kStructure:
    case Op::kPresent:
      for (const Slot* const row : rows) {
        const Slot& head = row[fixed.slot];
        wrong_ = wrong_ || head.kind != SlotKind::kStructure || head.length != fixed.extent;
      }
      if (step.op == Op::kPresent) column.bytes.append(rows.size(), std::uint8_t{1});
      return;
    default:
      for (const Slot* const row : rows)
        run(fixed.step, step.end, row + fixed.slot, row + fixed.slot + 1);
  }
}

void ClassRows::fill_lists(const FixedStep& fixed, SlotsOfRows rows) {
  const Step& step = plan_.steps[fixed.step];
  std::size_t count = 0;
  bool are_words = plan_.steps[fixed.step + 1].op == Op::kInteger64;
  for (const Slot* const row : rows) {
    const Slot& list = row[fixed.slot];
    are_words = are_words && list.kind == SlotKind::kPackedArray &&
                list.detail == static_cast<std::uint8_t>(PackedElement::kU64Le);
    count += list.length / 8;
  }
  if (!are_words) {
    for (const Slot* const row : rows)
      append_array(step, fixed.step, row + fixed.slot, row + fixed.slot + 1);
    return;
  }
  Column& column = column_of(step);
  if (step.nullable) column.valid.append(rows.size(), std::uint8_t{1});
  table_.bytes += count * 8;
  std::uint32_t* lengths = column.words32.grow(rows.size());
  std::uint64_t* out = column.children.front().words64.grow(count);
  for (const Slot* const row : rows) {
    const Slot& list = row[fixed.slot];
    const std::uint32_t length = list.length / 8;
    *lengths++ = length;
    for (std::uint32_t i = 0; i < length; ++i)
      *out++ = load_le<std::uint64_t>(list.pointer + std::size_t{8} * i);
  }
}

}  // namespace tracedeck::columns
