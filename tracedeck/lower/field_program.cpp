#include "tracedeck/lower/field_program.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tracedeck/lower/packed_array.hpp"
#include "tracedeck/lower/value_text.hpp"

namespace tracedeck::lower {
namespace {

using Kind = FieldStep::Kind;
using Steps = std::span<const FieldStep>;

bool is_short(const Slot& slot) {
  return slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned;
}

// The slots of `kDynamic`.
SlotKind dynamic_kind(const FieldClass& field_class) {
  const auto* const integer = field_class.as<IntegerClass>();
  if (integer != nullptr) return integer->is_signed ? SlotKind::kSigned : SlotKind::kUnsigned;
  if (field_class.as<BooleanClass>() != nullptr) return SlotKind::kBoolean;
  if (field_class.as<RealClass>() != nullptr) return SlotKind::kReal;
  return field_class.as<StringClass>() != nullptr ? SlotKind::kString : SlotKind::kBlob;
}

Slot name_slot(const Member& member) {
  const ByteSpan bytes = as_bytes(member.name.view());
  return bytes_slot(SlotKind::kString, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

const std::vector<Member>& members_of(const FieldStep& record) {
  return record.field_class->as<StructureClass>()->members;
}

// The steps of an option's value; nothing: there is no such option.
std::optional<Steps> option_steps(Steps options, std::uint64_t index) {
  for (; !options.empty(); options = options.subspan(1 + options.front().count)) {
    if (index-- == 0) return options.subspan(1, options.front().count);
  }
  return {};
}

class Lowering {
 public:
  Lowering(SlotRun& out, ByteArena& arena) : out_(out), arena_(arena) {}

  bool run(Steps steps, const Slot*& slot) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const FieldStep& step = steps[i];
      switch (step.kind) {
        case Kind::kCopy:
          copy(step.count, slot);
          break;
        case Kind::kNumber:
          if (!numbers(step.count, slot)) return false;
          break;
        case Kind::kOpen:
          ++slot;
          break;
        case Kind::kClose:
          break;
        case Kind::kOptional:
          if (!optional(steps.subspan(i + 1, step.count), slot)) return false;
          i += step.count;
          break;
        case Kind::kText:
          text(step, slot);
          break;
        case Kind::kDynamic:
          if (!dynamic(step, *slot++)) return false;
          break;
        default:
          if (!nested(step, steps.subspan(i + 1, inner_steps(step)), slot)) return false;
          i += inner_steps(step);
          break;
      }
    }
    return true;
  }

 private:
  bool nested(const FieldStep& step, Steps inner, const Slot*& slot) {
    switch (step.kind) {
      case Kind::kStructure:
        return structure(inner, slot);
      case Kind::kTruth:
        out_.add(unsigned_slot((slot++)->bits));
        return true;
      case Kind::kString:
        // Nor is it the number of a pool entry that is not known.
        if (slot->kind != SlotKind::kString || slot->text().contains('\0')) return false;
        keep(slot);
        return true;
      case Kind::kBytes:
        if (step.sized) out_.add(unsigned_slot(slot->length));
        if (step.packed) {
          out_.add(*slot++);
          out_.settled().back().kind = SlotKind::kPackedArray;  // of `PackedElement::kU8`
        } else {
          keep(slot);
        }
        return true;
      case Kind::kElements:
        return elements(step, inner, slot);
      case Kind::kVariant:
        return variant(step, inner, slot);
      case Kind::kList:
        return list(inner, slot);
      case Kind::kMaybe:
        return maybe(inner, slot);
      case Kind::kRecord:
        return record(step, inner, slot);
      default:
        return presence(step, inner, slot);
    }
  }

  bool dynamic(const FieldStep& step, Slot value) {
    if (value.kind != dynamic_kind(*step.field_class)) return false;
    const bool is_number = value.kind == SlotKind::kUnsigned;
    if (is_number) value.length = 0;  // of its name
    value.flags =
        is_number ? std::uint8_t{0} : static_cast<std::uint8_t>(value.flags & kSlotInterned);
    value.detail = step.width;
    out_.add(value);
    return true;
  }

  bool list(Steps element, const Slot*& slot) {
    const bool packed = slot->kind == SlotKind::kPackedArray;
    if (!packed && slot->kind != SlotKind::kArray) return false;
    const std::uint64_t count = packed ? packed_count(*slot) : slot->bits;
    const std::size_t head = out_.open(head_slot(SlotKind::kArray, count, 0));
    const Slot& array = *slot++;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Slot one = packed ? packed_element(array, i) : Slot{};
      const Slot* at = &one;
      if (!run(element, packed ? at : slot)) return false;
    }
    out_.close(head);
    return true;
  }

  bool maybe(Steps value, const Slot*& slot) {
    if (slot->kind != SlotKind::kOptional) return false;
    const bool present = slot->bits != 0;
    const std::size_t head = out_.open(head_slot(SlotKind::kArray, present ? 1 : 0, 0));
    ++slot;
    if (present && !run(value, slot)) return false;
    out_.close(head);
    return true;
  }

  bool record(const FieldStep& step, Steps values, const Slot*& slot) {
    if (slot->kind != SlotKind::kStructure) return false;
    ++slot;
    const std::size_t head = out_.open(head_slot(SlotKind::kMap, members_of(step).size(), 0));
    for (const Member& member : members_of(step)) {
      out_.add(name_slot(member));
      if (!run(values.subspan(1, values.front().count), slot)) return false;
      values = values.subspan(1 + values.front().count);
    }
    out_.close(head);
    return true;
  }

  // One slot.
  void keep(const Slot*& slot) {
    out_.keep(slot, slot + 1);
    ++slot;
  }

  bool structure(Steps members, const Slot*& slot) {
    const std::size_t head = out_.open(*slot++);
    if (!run(members, slot)) return false;
    out_.close(head);
    return true;
  }

  bool elements(const FieldStep& step, Steps element, const Slot*& slot) {
    const bool packed = slot->kind == SlotKind::kPackedArray;
    if (!packed && slot->kind != SlotKind::kArray) return false;
    std::uint64_t left = packed ? packed_count(*slot) : slot->bits;
    if (step.sized) out_.add(unsigned_slot(left));
    if (packed) {
      keep(slot);
      return true;
    }
    const std::size_t head = out_.open(*slot++);
    for (; left != 0; --left) {
      if (!run(element, slot)) return false;
    }
    out_.close(head);
    return true;
  }

  bool presence(const FieldStep& step, Steps value, const Slot*& slot) {
    const std::uint64_t present = (slot++)->bits;
    if (step.sized) out_.add(step.packed ? unsigned_slot(present) : boolean_slot(present != 0));
    const std::size_t head =
        out_.open(head_slot(step.packed ? SlotKind::kVariant : SlotKind::kOptional, present, 0));
    if (present != 0) {
      if (!run(value, slot)) return false;
    } else if (step.packed) {
      out_.add(head_slot(SlotKind::kStructure, 0, 0));
    }
    out_.close(head);
    return true;
  }

  bool numbers(std::uint32_t count, const Slot*& slot) {
    const Slot* const begin = slot;
    for (const Slot* const end = slot + count; slot != end; ++slot) {
      if (!is_short(*slot)) return false;
    }
    out_.keep(begin, slot);
    return true;
  }

  bool variant(const FieldStep& step, Steps options, const Slot*& slot) {
    const std::uint64_t index = slot->bits;
    const auto value = option_steps(options, index);
    if (slot->kind != SlotKind::kVariant || !value) return false;
    if (step.sized) out_.add(unsigned_slot(index));
    const std::size_t head = out_.open(*slot++);
    if (!run(*value, slot)) return false;
    out_.close(head);
    return true;
  }

  void copy(std::uint32_t count, const Slot*& slot) {
    const Slot* const begin = slot;
    for (; count != 0; --count) slot = slot->next();
    out_.keep(begin, slot);
  }

  bool optional(Steps value, const Slot*& slot) {
    const bool present = slot->bits != 0;
    const std::size_t head = out_.open(*slot++);
    if (!present) return true;
    if (!run(value, slot)) return false;
    out_.close(head);
    return true;
  }

  void text(const FieldStep& step, const Slot*& slot) {
    std::string value;
    slot = append_value_text(value, slot, *step.field_class);
    std::string_view text = value;
    if (step.packed && text.starts_with('"')) text = text.substr(1, text.size() - 2);
    out_.add(bytes_slot(SlotKind::kString, arena_.keep(as_bytes(text)),
                        static_cast<std::uint32_t>(text.size())));
  }

  SlotRun& out_;
  ByteArena& arena_;
};

class Restoring {
 public:
  Restoring(const Slot*& slot, const Slot* end, SlotRun& out, ByteArena& arena)
      : slot_(slot), end_(end), out_(out), arena_(arena) {}

  bool run(Steps steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const FieldStep& step = steps[i];
      switch (step.kind) {
        case Kind::kCopy:
          if (!copy(step.count)) return false;
          break;
        case Kind::kNumber:
          if (!numbers(step)) return false;
          break;
        case Kind::kOpen:
          open_.push_back(out_.open(head_slot(SlotKind::kStructure, 0, 0)));
          break;
        case Kind::kClose:
          out_.close(open_.back());
          open_.pop_back();
          break;
        default:
          if (slot_ >= end_ || !value(step, steps.subspan(i + 1, inner_steps(step)))) return false;
          i += inner_steps(step);
          break;
      }
    }
    return true;
  }

 private:
  bool value(const FieldStep& step, Steps inner) {
    switch (step.kind) {
      case Kind::kOptional:
        return optional(inner);
      case Kind::kStructure:
        return structure(inner);
      case Kind::kTruth:
        return truth();
      case Kind::kString:
        return slot_->kind == SlotKind::kString && copy(1);
      case Kind::kBytes:
        return bytes(step);
      case Kind::kElements:
        return elements(step, inner);
      case Kind::kPresence:
        return presence(step, inner);
      case Kind::kVariant:
        return variant(step, inner);
      case Kind::kDynamic:
        return dynamic(step);
      case Kind::kList:
        return list(step, inner);
      case Kind::kMaybe:
        return maybe(inner);
      case Kind::kRecord:
        return record(step, inner);
      default:
        return text(*step.field_class);
    }
  }

  bool dynamic(const FieldStep& step) {
    Slot value = *slot_++;
    if (value.kind != dynamic_kind(*step.field_class)) return false;
    const auto* const integer = step.field_class->as<IntegerClass>();
    const auto* const layout =
        integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
    value.detail = 0;
    out_.add(value);
    return layout == nullptr || has_width(value, layout->width);
  }

  bool list(const FieldStep& step, Steps element) {
    if (slot_->kind != SlotKind::kArray) return false;
    std::uint64_t left = slot_->bits;
    const std::size_t head = out_.open(*slot_++);
    for (; left != 0; --left) {
      if (!run(element)) return false;
    }
    out_.close(head);
    if (step.field_class != nullptr) pack_array(out_.settled(), head, *step.field_class, arena_);
    return true;
  }

  bool maybe(Steps value) {
    if (slot_->kind != SlotKind::kArray || slot_->bits > 1) return false;
    const bool present = (slot_++)->bits != 0;
    const std::size_t head = out_.open(head_slot(SlotKind::kOptional, present ? 1 : 0, 0));
    if (present && !run(value)) return false;
    out_.close(head);
    return true;
  }

  bool record(const FieldStep& step, Steps values) {
    const std::vector<Member>& members = members_of(step);
    if (slot_->kind != SlotKind::kMap || slot_->bits != members.size()) return false;
    ++slot_;
    const std::size_t head = out_.open(head_slot(SlotKind::kStructure, 0, 0));
    for (const Member& member : members) {
      const bool is_named =
          slot_ < end_ && slot_->kind == SlotKind::kString && slot_->text() == member.name.view();
      if (!is_named) return false;
      ++slot_;
      if (!run(values.subspan(1, values.front().count))) return false;
      values = values.subspan(1 + values.front().count);
    }
    out_.close(head);
    return true;
  }

  bool text(const FieldClass& field_class) {
    if (slot_->kind != SlotKind::kString) return false;
    const std::string_view text = (slot_++)->text();
    return parse_value_text(text, field_class, out_.settled(), arena_);
  }

  bool numbers(const FieldStep& step) {
    if (end_ - slot_ < static_cast<std::ptrdiff_t>(step.count)) return false;
    const Slot* const begin = slot_;
    slot_ += step.count;
    out_.keep(begin, slot_);
    return step.width == 0 ||
           std::all_of(begin, slot_, [&](const Slot& slot) { return has_width(slot, step.width); });
  }

  bool copy(std::uint32_t count) {
    const Slot* const begin = slot_;
    for (; count != 0; --count) {
      if (slot_ >= end_) return false;
      slot_ = slot_->next();
    }
    out_.keep(begin, slot_);
    return true;
  }

  bool optional(Steps value) {
    if (slot_->kind != SlotKind::kOptional) return false;
    const bool present = slot_->bits != 0;
    const std::size_t head = out_.open(*slot_++);
    if (!present) return true;
    if (!run(value)) return false;
    out_.close(head);
    return true;
  }

  bool structure(Steps members) {
    if (slot_->kind != SlotKind::kStructure) return false;
    const std::size_t head = out_.open(*slot_++);
    if (!run(members)) return false;
    out_.close(head);
    return true;
  }

  bool truth() {
    if (slot_->kind != SlotKind::kUnsigned || slot_->bits > 1) return false;
    out_.add(boolean_slot((slot_++)->bits != 0));
    return true;
  }

  // What was added before a value.
  bool pass_over_added() { return ++slot_ < end_; }

  bool bytes(const FieldStep& step) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind == SlotKind::kBlob || slot_->kind == SlotKind::kPackedArray) {
      out_.add(*slot_++);
      out_.settled().back().kind = SlotKind::kBlob;
      return true;
    }
    if (slot_->kind != SlotKind::kArray) return false;
    std::vector<std::uint8_t> gathered;
    const Slot* const behind = slot_->next();
    for (++slot_; slot_ < behind; ++slot_)
      gathered.push_back(static_cast<std::uint8_t>(slot_->bits));
    out_.add(bytes_slot(SlotKind::kBlob, arena_.keep(gathered),
                        static_cast<std::uint32_t>(gathered.size())));
    return true;
  }

  bool elements(const FieldStep& step, Steps element) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind == SlotKind::kPackedArray) {
      if (element.front().kind == Kind::kTruth) return unpacked(*slot_++, element);
      return copy(1);
    }
    return list(step, element);
  }

  bool unpacked(const Slot& packed, Steps element) {
    const std::size_t count = packed_count(packed);
    const std::size_t head = out_.open(head_slot(SlotKind::kArray, count, 0));
    for (std::size_t i = 0; i < count; ++i) {
      const Slot one = packed_element(packed, i);
      const Slot* slot = &one;
      if (!Restoring(slot, slot + 1, out_, arena_).run(element)) return false;
    }
    out_.close(head);
    return true;
  }

  bool variant(const FieldStep& step, Steps options) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind != SlotKind::kVariant) return false;
    const auto value = option_steps(options, slot_->bits);
    if (!value) return false;
    const std::size_t head = out_.open(*slot_++);
    if (!run(*value)) return false;
    out_.close(head);
    return true;
  }

  bool presence(const FieldStep& step, Steps value) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind != SlotKind::kOptional && slot_->kind != SlotKind::kVariant) return false;
    const Slot* const behind = slot_->next();
    const bool present = slot_->bits != 0;
    const std::size_t head = out_.open(head_slot(SlotKind::kOptional, present ? 1 : 0, 0));
    ++slot_;
    if (present && !run(value)) return false;
    slot_ = behind;
    out_.close(head);
    return true;
  }

  const Slot*& slot_;
  const Slot* end_;
  SlotRun& out_;
  ByteArena& arena_;
  std::vector<std::size_t> open_;  // heads of structures
};

}  // namespace

std::size_t inner_steps(const FieldStep& step) {
  switch (step.kind) {
    case Kind::kOptional:
    case Kind::kStructure:
    case Kind::kElements:
    case Kind::kPresence:
    case Kind::kVariant:
    case Kind::kList:
    case Kind::kMaybe:
    case Kind::kRecord:
      return step.count;
    default:
      return 0;
  }
}

void add_to_run(FieldProgram& program, FieldStep step) {
  if (!program.empty()) {
    FieldStep& last = program.back();
    const bool stays = step.kind == Kind::kCopy || step.kind == Kind::kNumber;
    if (stays && last.kind == step.kind && last.width == step.width) {
      last.count += step.count;
      return;
    }
  }
  program.push_back(std::move(step));
}

std::optional<std::vector<std::uint32_t>> added_lengths(const FieldProgram& program) {
  std::vector<std::uint32_t> lengths;
  std::uint32_t values = 0;
  for (std::size_t i = 0; i < program.size(); i += 1 + inner_steps(program[i])) {
    const FieldStep& step = program[i];
    const bool stays = step.kind == Kind::kCopy || step.kind == Kind::kString ||
                       (step.kind == Kind::kNumber && step.width == 0);
    if (stays) {
      values += step.count;
    } else if (step.kind == Kind::kElements && step.sized && program[i + 1].kind != Kind::kTruth) {
      lengths.push_back(std::exchange(values, 0));
    } else {
      return std::nullopt;
    }
  }
  return lengths;
}

bool field_program_detail::lower(const FieldProgram& program, const Slot* slot, SlotRun& out,
                                 ByteArena& arena) {
  return Lowering(out, arena).run(program, slot);
}

bool field_program_detail::restore(const FieldProgram& program, const Slot*& slot, const Slot* end,
                                   SlotRun& out, ByteArena& arena) {
  return Restoring(slot, end, out, arena).run(program);
}

}  // namespace tracedeck::lower
