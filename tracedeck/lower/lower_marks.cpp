#include "tracedeck/lower/lower_marks.hpp"

#include <utility>

#include "tracedeck/lower/value_text.hpp"

namespace tracedeck::lower {
namespace {

FieldClassPtr structure(std::vector<Member> members) {
  return make_field_class(StructureClass{.members = std::move(members)});
}
Member member(std::string_view name, FieldClassPtr field_class) {
  return {.name = name, .field_class = std::move(field_class), .attributes = {}};
}
FieldClassPtr number() { return make_field_class(IntegerClass{.layout = Leb128Layout{}}); }
FieldClassPtr text() { return make_field_class(StringClass{.extent = LengthPrefixed{}}); }
FieldClassPtr flag() { return make_field_class(BooleanClass{}); }
FieldClassPtr optional(FieldClassPtr value) {
  return make_field_class(OptionalClass{.value = std::move(value)});
}

// The words of `ClassMark`; the last one, which came later, where it is true.
const FieldClass& class_mark_class(bool lists) {
  const auto made = [](bool all) {
    std::vector<Member> members = {
        member("event-class", number()),
        member("stream-keys",
               make_field_class(ArrayClass{.element = text(), .extent = LengthPrefixed{}})),
        member("stream-number", flag()), member("packet-context", flag()),
        member("any-integer", flag())};
    if (all) members.push_back(member("lists", flag()));
    return structure(std::move(members));
  };
  static const FieldClassPtr kClass = made(false);
  static const FieldClassPtr kWithLists = made(true);
  return lists ? *kWithLists : *kClass;
}

Slot text_slot(std::string_view of) {
  const ByteSpan bytes = as_bytes(of);
  return bytes_slot(SlotKind::kString, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

void append_optional(std::vector<Slot>& slots, const std::optional<Slot>& value) {
  slots.push_back(head_slot(SlotKind::kOptional, value ? 1 : 0, value ? 1 : 0));
  if (value) slots.push_back(*value);
}
void append_number(std::vector<Slot>& slots, const std::optional<std::uint64_t>& value) {
  append_optional(slots, value ? std::optional(unsigned_slot(*value)) : std::nullopt);
}
void append_time(std::vector<Slot>& slots, const std::optional<Nanoseconds>& time,
                 ByteArena& arena) {
  std::optional<Slot> value;
  if (time) {
    const std::string digits = time->to_string();
    value = bytes_slot(SlotKind::kString, arena.keep(as_bytes(digits)),
                       static_cast<std::uint32_t>(digits.size()));
  }
  append_optional(slots, value);
}

// Takes values from a payload one by one; of the kinds asked for, or `failed`.
class Taker {
 public:
  explicit Taker(std::span<const Slot> slots)
      : at_(slots.data()), end_(slots.data() + slots.size()) {}

  std::uint64_t number(SlotKind kind = SlotKind::kUnsigned) {
    const Slot* const slot = take(kind);
    return slot == nullptr ? 0 : slot->bits;
  }
  std::string_view text() {
    const Slot* const slot = take(SlotKind::kString);
    return slot == nullptr ? std::string_view() : slot->text();
  }
  bool present() { return number(SlotKind::kOptional) != 0; }
  std::optional<std::uint64_t> optional_number() {
    return present() ? std::optional(number()) : std::nullopt;
  }
  std::optional<Nanoseconds> optional_time() {
    if (!present()) return std::nullopt;
    std::string_view digits = text();
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    Uint128 magnitude = 0;
    // 38 digits are below 2^128.
    failed_ = failed_ || digits.empty() || digits.size() > 38;
    for (const char digit : digits) {
      failed_ = failed_ || digit < '0' || digit > '9';
      magnitude = magnitude * 10 + static_cast<unsigned>(digit - '0');
    }
    return Nanoseconds::from_unsigned(magnitude, negative);
  }
  [[nodiscard]] bool failed() const { return failed_ || at_ != end_; }

 private:
  const Slot* take(SlotKind kind) {
    failed_ = failed_ || at_ >= end_ || at_->kind != kind;
    return failed_ ? nullptr : at_++;
  }

  const Slot* at_;
  const Slot* end_;
  bool failed_ = false;
};

}  // namespace

const FieldClassPtr& mark_payload() {
  static const FieldClassPtr kClass = structure(
      {member("class", optional(number())), member("trace", number()), member("text", text())});
  return kClass;
}

const FieldClassPtr& loss_payload() {
  static const FieldClassPtr kClass =
      structure({member("events", optional(number())), member("packets", optional(number())),
                 member("taken_back", flag()), member("begin", optional(text())),
                 member("end", optional(text())), member("begin_value", optional(number())),
                 member("end_value", optional(number())),
                 member("stream.number", optional(number())), member("trace", number())});
  return kClass;
}

std::string ClassMark::text() const {
  std::vector<Slot> slots = {head_slot(SlotKind::kStructure, 0, 0), unsigned_slot(event_class),
                             head_slot(SlotKind::kArray, shape.stream_keys.size(),
                                       static_cast<std::uint32_t>(shape.stream_keys.size()))};
  for (const std::string& key : shape.stream_keys) slots.push_back(text_slot(key));
  for (const bool each : {shape.stream_number, shape.packet_context, shape.any_integer})
    slots.push_back(boolean_slot(each));
  if (shape.lists) slots.push_back(boolean_slot(true));
  slots.front().length = static_cast<std::uint32_t>(slots.size() - 1);
  std::string text;
  append_value_text(text, slots.data(), class_mark_class(shape.lists));
  return text;
}

std::optional<ClassMark> ClassMark::parse(std::string_view text) {
  std::vector<Slot> slots;
  ReusedArena arena;
  const bool lists = text.contains("\"lists\":");
  if (!parse_value_text(text, class_mark_class(lists), slots, arena)) return std::nullopt;
  ClassMark mark{.event_class = slots[1].bits};
  const Slot* slot = &slots[3];
  for (std::uint64_t left = slots[2].bits; left != 0; --left)
    mark.shape.stream_keys.emplace_back((slot++)->text());
  for (bool* const each :
       {&mark.shape.stream_number, &mark.shape.packet_context, &mark.shape.any_integer})
    *each = (slot++)->bits != 0;
  mark.shape.lists = lists && slot->bits != 0;
  return mark;
}

void Mark::append(std::vector<Slot>& slots) const {
  append_number(slots, class_id);
  slots.push_back(unsigned_slot(trace));
  slots.push_back(text_slot(text));
}

std::optional<Mark> Mark::parse(std::span<const Slot> payload) {
  Taker values(payload);
  Mark mark{.trace = 0, .class_id = values.optional_number()};
  mark.trace = values.number();
  mark.text = values.text();
  return values.failed() ? std::nullopt : std::optional(mark);
}

void LossMark::append(std::vector<Slot>& slots, ByteArena& arena) const {
  append_number(slots, loss.events);
  append_number(slots, loss.packets);
  slots.push_back(boolean_slot(loss.taken_back));
  append_time(slots, loss.begin, arena);
  append_time(slots, loss.end, arena);
  append_number(slots, loss.begin_value);
  append_number(slots, loss.end_value);
  append_number(slots, stream);
  slots.push_back(unsigned_slot(trace));
}

std::optional<LossMark> LossMark::parse(std::span<const Slot> payload) {
  Taker values(payload);
  LossMark mark;
  mark.loss.events = values.optional_number();
  mark.loss.packets = values.optional_number();
  mark.loss.taken_back = values.number(SlotKind::kBoolean) != 0;
  mark.loss.begin = values.optional_time();
  mark.loss.end = values.optional_time();
  mark.loss.begin_value = values.optional_number();
  mark.loss.end_value = values.optional_number();
  mark.stream = values.optional_number();
  mark.trace = values.number();
  return values.failed() ? std::nullopt : std::optional(mark);
}

}  // namespace tracedeck::lower
