#include "tracedeck/columns/class_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "tracedeck/base/real.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/limits.hpp"
#include "tracedeck/columns/timestamp.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::columns {
namespace {

bool is_integer(const Slot& slot) {
  return slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned;
}

bool is_wide_integer(const Slot& slot) {
  return slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
}

// About what a row takes, texts and elements of lists apart.
std::uint64_t bytes_of_row(const Column& column) {
  std::uint64_t bytes = column.nullable ? 1 : 0;
  if (column.type == ColumnType::kDecimal) return bytes + 16;
  if (column.type == ColumnType::kBoolean) return bytes + 1;
  if (column.type == ColumnType::kDouble) return bytes + 8;
  if (column.type == ColumnType::kInteger) return bytes + (column.width == 64 ? 8 : 4);
  if (column.type == ColumnType::kList) return bytes + 4;
  if (column.is_leaf()) return bytes + 4;
  for (const Column& child : column.children) bytes += bytes_of_row(child);
  return bytes;
}

}  // namespace

std::size_t append_clock(std::span<Column> columns, const Event& event, ColumnLosses& losses) {
  const ClockClass* const clock = event.event_class->clock;
  std::size_t count = 0;
  for (Column& column : columns) {
    if (column.is_timestamp) {
      append_timestamp(column, clock,
                       clock == nullptr ? std::nullopt : std::optional(event.began_at()), losses);
    } else if (column.type == ColumnType::kInteger && !column.is_signed) {
      column.valid.push_back(clock == nullptr ? 0 : 1);
      if (clock != nullptr) column.words64.push_back(event.time);
    } else {
      break;
    }
    ++count;
  }
  return count;
}

ClassRows::ClassRows(ClassColumns columns, Table& table, RowTools& tools)
    : plan_(std::move(columns)),
      table_(table),
      tools_(tools),
      labels_(plan_.labels),
      fixed_bytes_(bytes_of_row(table.root)) {
  // Its columns are the table's.
  plan_.root = {};
  find_fixed_steps();
}

RowResult ClassRows::append(const EventRow& row) {
  const Event& event = *row.event;
  const std::int64_t last_time = table_.last_time;
  const bool was_sorted = table_.sorted;
  const ColumnLosses losses = tools_.losses;
  append_time(event);
  append_clock(clock_columns(), event, tools_.losses);
  append_duration(event);
  append_origin(*row.origin, 1);
  child(plan_.seq).words64.push_back(static_cast<std::uint64_t>(row.seq));
  append_packet(event);
  fill(plan_.common, event.common_context());
  fill(plan_.specific, event.specific_context());
  fill(plan_.payload, event.payload());
  ++table_.rows;
  if (wrong_ || too_wide_) [[unlikely]] {
    remove_row();
    table_.last_time = last_time;
    table_.sorted = was_sorted;
    tools_.losses = losses;
    const bool wrong = std::exchange(wrong_, false);
    const bool too_wide = std::exchange(too_wide_, false);
    return too_wide && !wrong ? RowResult::kTooWide : RowResult::kRefused;
  }
  table_.bytes += fixed_bytes_;
  return RowResult::kAppended;
}

void ClassRows::append_time(const Event& event) {
  Column& column = child(0);
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr) {
    column.valid.push_back(0);
    table_.sorted = false;
  } else if (clock->counts_nanoseconds() && event.time <= kLargestSigned && !plan_.wide) {
    const auto time = static_cast<std::int64_t>(event.time);
    column.valid.push_back(1);
    column.words64.push_back(event.time);
    table_.sorted = table_.sorted && (table_.rows == 0 || table_.last_time <= time);
    table_.last_time = time;
  } else {
    const Nanoseconds exact = clock->to_nanoseconds(event.time);
    append_time(column, exact);
    const std::optional<std::int64_t> time = as_signed(exact);
    table_.sorted = table_.sorted && time && (table_.rows == 0 || table_.last_time <= *time);
    if (time) table_.last_time = *time;
  }
}

void ClassRows::append_duration(const Event& event) {
  if (plan_.duration == 0) return;
  const ClockClass* const clock = event.event_class->clock;
  if (clock == nullptr || !event.event_class->has_duration) {
    child(plan_.duration).valid.push_back(0);
  } else {
    append_time(child(plan_.duration), clock->interval(event.time, event.end_time));
  }
}

void ClassRows::append_time(Column& column, const Nanoseconds& time) {
  if (!plan_.wide) {
    const std::optional<std::int64_t> value = as_signed(time);
    too_wide_ = too_wide_ || !value;
    column.valid.push_back(value ? 1 : 0);
    if (value) column.words64.push_back(static_cast<std::uint64_t>(*value));
    return;
  }
  if (time.magnitude() >= kDecimalEnd) {
    tools_.losses.add(ColumnLoss::kLargeTime);
    return column.valid.push_back(0);
  }
  const auto size = static_cast<Int128>(time.magnitude());
  column.valid.push_back(1);
  column.decimals.push_back(time.negative() ? -size : size);
}

void ClassRows::append_packet(const Event& event) {
  if (plan_.packet_column == 0) return;
  const bool known = event.packet != nullptr && !event.packet->context.empty();
  child(plan_.packet_column).valid.push_back(known ? 1 : 0);
  if (known) fill(plan_.packet, event.packet->context);
}

void ClassRows::fill(StepRange range, std::span<const Slot> slots) {
  run(range.begin, range.end, slots.data(), slots.data() + slots.size());
}

const Slot* ClassRows::run(std::uint32_t begin, std::uint32_t end, const Slot* slot,
                           const Slot* limit) {
  const Step* const steps = plan_.steps.data();
  for (std::uint32_t at = begin; at < end;) {
    const Step& step = steps[at];
    if (step.op == Op::kJump) {
      at = step.end;
      continue;
    }
    if (step.op == Op::kOption) {
      ++at;
      continue;
    }
    Column& column = column_of(step);
    if (slot >= limit) [[unlikely]] {
      append_wrong(step);
      at = step.end;
      continue;
    }
    switch (step.op) {
      case Op::kInteger32: {
        const bool fits = column.is_signed
                              ? slot->integer == static_cast<std::int32_t>(slot->integer)
                              : slot->bits == static_cast<std::uint32_t>(slot->bits);
        if (!is_integer(*slot) || !fits) [[unlikely]]
          wrong_ = true;
        column.words32.push_back(static_cast<std::uint32_t>(slot->bits));
        break;
      }
      case Op::kInteger64:
        if (!is_integer(*slot)) [[unlikely]]
          (step.checks && is_wide_integer(*slot) ? too_wide_ : wrong_) = true;
        column.words64.push_back(slot->bits);
        break;
      case Op::kBoolean:
        if (slot->kind != SlotKind::kBoolean) [[unlikely]]
          wrong_ = true;
        column.bytes.push_back(slot->bits != 0 ? 1 : 0);
        break;
      case Op::kLabel:
        append_label(step, *slot);
        at = step.end;
        continue;
      case Op::kText:
        append_text(column, *slot);
        break;
      case Op::kStructure:
        if (slot->kind != SlotKind::kStructure) [[unlikely]] {
          append_wrong(step);
          break;
        }
        run(at + 1, step.end, slot + 1, std::min(slot->next(), limit));
        break;
      case Op::kOptional: {
        if (slot->kind != SlotKind::kOptional) [[unlikely]] {
          append_wrong(step);
          break;
        }
        const bool is_there = slot->bits != 0;
        column.valid.push_back(is_there ? 1 : 0);
        if (is_there) run(at + 1, step.end, slot + 1, std::min(slot->next(), limit));
        break;
      }
      case Op::kVariant: {
        const std::uint32_t option = begin_variant(step, *slot);
        if (option != 0) run(option, step.end, slot + 1, std::min(slot->next(), limit));
        break;
      }
      case Op::kArray:
        append_array(step, at, slot, limit);
        break;
      case Op::kMap:
        append_elements(step, at, slot, limit,
                        slot->kind == SlotKind::kMap || slot->kind == SlotKind::kStringMap);
        break;
      case Op::kFloat:
      case Op::kDouble:
        append_real(step, *slot);
        break;
      case Op::kDecimal: {
        const std::optional<Int128> value = integer_value(*slot);
        wrong_ = wrong_ || !value;
        column.decimals.push_back(value.value_or(0));
        break;
      }
      case Op::kDigits:
        wrong_ = wrong_ || (!is_integer(*slot) && !is_wide_integer(*slot));
        append_json(column, slot, nullptr);
        break;
      case Op::kBytes:
        wrong_ = wrong_ || slot->kind != SlotKind::kBlob;
        append_string(column, slot->kind == SlotKind::kBlob ? slot->text() : std::string_view());
        break;
      case Op::kJson:
        if (step.field_class == nullptr || step.field_class->as<DynamicClass>() != nullptr)
          tools_.losses.add(ColumnLoss::kDynamic);
        append_json(column, slot, step.field_class);
        break;
      case Op::kPresent:
        column.bytes.push_back(1);
        break;
      case Op::kOption:
      case Op::kJump:
        break;
    }
    slot = slot->next();
    at = step.end;
  }
  return slot;
}

void ClassRows::append_real(const Step& step, const Slot& slot) {
  NearestReal real{.value = slot.real};
  if (slot.kind == SlotKind::kWideReal) {
    real = nearest_real(slot.bytes());
    if (!real.exact) tools_.losses.add(ColumnLoss::kRoundedReal);
  } else if (slot.kind != SlotKind::kReal) {
    wrong_ = true;
  }
  Column& column = column_of(step);
  if (step.op == Op::kFloat) {
    column.words32.push_back(single_bits(real.value));
  } else {
    column.words64.push_back(std::bit_cast<std::uint64_t>(real.value));
  }
}

void ClassRows::append_array(const Step& step, std::uint32_t index, const Slot* slot,
                             const Slot* limit) {
  if (step.nullable) {
    const bool is_there = slot->kind != SlotKind::kUnresolved;
    column_of(step).valid.push_back(is_there ? 1 : 0);
    if (!is_there) return tools_.losses.add(ColumnLoss::kUnresolvedList);
  }
  if (slot->kind == SlotKind::kPackedArray) return append_packed(step, index, *slot);
  append_elements(step, index, slot, limit, slot->kind == SlotKind::kArray);
}

void ClassRows::append_elements(const Step& step, std::uint32_t index, const Slot* slot,
                                const Slot* limit, bool is_kind) {
  const bool right = is_kind && slot->bits <= slot->length;
  wrong_ = wrong_ || !right;
  const std::uint32_t count = right ? static_cast<std::uint32_t>(slot->bits) : 0;
  column_of(step).words32.push_back(count);
  table_.bytes += std::uint64_t{count} * 8;
  const Slot* const end = std::min(slot->next(), limit);
  ++slot;
  for (std::uint32_t i = 0; i < count; ++i) slot = run(index + 1, step.end, slot, end);
}

void ClassRows::append_packed(const Step& step, std::uint32_t index, const Slot& slot) {
  const std::size_t count = packed_count(slot);
  column_of(step).words32.push_back(static_cast<std::uint32_t>(count));
  table_.bytes += std::uint64_t{count} * 8;
  const Step& element = plan_.steps[index + 1];
  const auto form = static_cast<PackedElement>(slot.detail);
  if (element.op == Op::kInteger64 && form == PackedElement::kU64Le) {
    std::uint64_t* const words = column_of(element).words64.grow(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = load_le<std::uint64_t>(slot.pointer + 8 * i);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Slot each = packed_element(slot, i);
    run(index + 1, step.end, &each, &each + 1);
  }
}

// Returns the step of the option; 0: there is none.
std::uint32_t ClassRows::begin_variant(const Step& step, const Slot& slot) {
  Column& group = column_of(step);
  const std::size_t options = group.children.size() - 1;
  if (slot.kind != SlotKind::kVariant || slot.bits >= options) {
    append_wrong(step);
    return 0;
  }
  group.children.front().words32.push_back(static_cast<std::uint32_t>(slot.bits));
  for (std::size_t i = 0; i < options; ++i)
    group.children[i + 1].valid.push_back(i == slot.bits ? 1 : 0);
  return plan_.options[step.extra + slot.bits];
}

void ClassRows::append_label(const Step& step, const Slot& slot) {
  // Of what an input chooses there may be any number.
  constexpr std::size_t kMostLabels = 65'536;
  if (is_integer(slot)) [[likely]] {
    Labels& labels = labels_[step.extra];
    auto found = labels.find(slot.bits);
    if (found == labels.end()) {
      if (labels.size() >= kMostLabels) labels.clear();
      found = labels.emplace(slot.bits, label_of(step, slot)).first;
    }
    return append_label(column_of(step), found->second);
  }
  append_label(column_of(step), is_wide_integer(slot) ? label_of(step, slot) : Label());
}

ClassRows::Label ClassRows::label_of(const Step& step, const Slot& slot) {
  Label label;
  const std::optional<Int128> value = integer_value(slot);
  for (const Mapping& mapping : step.field_class->as<IntegerClass>()->mappings) {
    if (!has_label(mapping, slot, value)) continue;
    label.more = label.word >= 0;
    if (label.more) break;
    label.word = column_of(step).words->number(repaired_utf8(mapping.label));
  }
  return label;
}

void ClassRows::append_label(Column& column, const Label& label) {
  if (label.more) tools_.losses.add(ColumnLoss::kMoreLabels);
  column.valid.push_back(label.word >= 0 ? 1 : 0);
  if (label.word >= 0) column.words32.push_back(static_cast<std::uint32_t>(label.word));
}

void ClassRows::append_text(Column& column, const Slot& slot) {
  if (slot.kind == SlotKind::kString) [[likely]] {
    if (is_valid_utf8(slot.text())) [[likely]]
      return append_string(column, slot.text());
    tools_.losses.add(ColumnLoss::kRepairedText);
    return append_string(column, repaired_utf8(slot.text()));
  }
  if (slot.kind == SlotKind::kUnresolved) {
    tools_.losses.add(ColumnLoss::kUnresolvedText);
    return append_json(column, &slot, nullptr);
  }
  wrong_ = true;
  append_string(column, {});
}

void ClassRows::append_string(Column& column, std::string_view text) {
  column.characters.append(text);
  column.words32.push_back(static_cast<std::uint32_t>(text.size()));
  table_.bytes += text.size();
}

void ClassRows::append_json(Column& column, const Slot* slot, const FieldClass* field_class) {
  tools_.text.clear();
  tools_.json.append(tools_.text, slot, field_class);
  append_string(column, tools_.text.view());
}

void ClassRows::append_wrong(const Step& step) {
  wrong_ = true;
  const bool says_null = step.op == Op::kOptional || step.op == Op::kLabel || step.nullable;
  if (says_null) return append_nothing(column_of(step));
  append_zero(column_of(step));
}

void ClassRows::remove_row() {
  for (Column& column : table_.root.children) remove_last(column);
  --table_.rows;
}

}  // namespace tracedeck::columns
