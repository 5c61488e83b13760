#include "tracedeck/lower/field_program.hpp"

#include <span>
#include <string>

#include "tracedeck/lower/packed_array.hpp"
#include "tracedeck/lower/value_text.hpp"

namespace tracedeck::lower {
namespace {

using Kind = FieldStep::Kind;
using Steps = std::span<const FieldStep>;

bool is_wide(const Slot& slot) {
  return slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
}

void close(std::vector<Slot>& out, std::size_t head) {
  out[head].length = static_cast<std::uint32_t>(out.size() - head - 1);
}

// How many of the next steps are about what is inside of the value.
std::size_t inner_steps(const FieldStep& step) {
  const bool has_inner = step.kind == Kind::kOptional || step.kind == Kind::kStructure ||
                         step.kind == Kind::kElements || step.kind == Kind::kPresence;
  return has_inner ? step.count : 0;
}

class Lowering {
 public:
  Lowering(std::vector<Slot>& out, ByteArena& arena) : out_(out), arena_(arena) {}

  bool run(Steps steps, const Slot*& slot) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const FieldStep& step = steps[i];
      switch (step.kind) {
        case Kind::kCopy:
          copy(step.count, slot);
          break;
        case Kind::kNumber:
          if (is_wide(*slot)) return false;
          out_.push_back(*slot++);
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
          text(*step.field_class, slot);
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
        out_.push_back(unsigned_slot((slot++)->bits));
        return true;
      case Kind::kString:
        // Nor is it the number of a pool entry that is not known.
        if (slot->kind != SlotKind::kString || slot->text().contains('\0')) return false;
        out_.push_back(*slot++);
        return true;
      case Kind::kBytes:
        if (step.sized) out_.push_back(unsigned_slot(slot->length));
        out_.push_back(*slot++);
        if (step.packed) out_.back().kind = SlotKind::kPackedArray;  // of `PackedElement::kU8`
        return true;
      case Kind::kElements:
        return elements(step, inner, slot);
      default:
        return presence(step, inner, slot);
    }
  }

  bool structure(Steps members, const Slot*& slot) {
    const std::size_t head = out_.size();
    out_.push_back(*slot++);
    if (!run(members, slot)) return false;
    close(out_, head);
    return true;
  }

  bool elements(const FieldStep& step, Steps element, const Slot*& slot) {
    const bool packed = slot->kind == SlotKind::kPackedArray;
    if (!packed && slot->kind != SlotKind::kArray) return false;
    std::uint64_t left = packed ? packed_count(*slot) : slot->bits;
    if (step.sized) out_.push_back(unsigned_slot(left));
    const std::size_t head = out_.size();
    out_.push_back(*slot++);
    if (packed) return true;
    for (; left != 0; --left) {
      if (!run(element, slot)) return false;
    }
    close(out_, head);
    return true;
  }

  bool presence(const FieldStep& step, Steps value, const Slot*& slot) {
    const std::uint64_t present = (slot++)->bits;
    out_.push_back(step.packed ? unsigned_slot(present) : boolean_slot(present != 0));
    const std::size_t head = out_.size();
    out_.push_back(head_slot(step.packed ? SlotKind::kVariant : SlotKind::kOptional, present, 0));
    if (present != 0) {
      if (!run(value, slot)) return false;
    } else if (step.packed) {
      out_.push_back(head_slot(SlotKind::kStructure, 0, 0));
    }
    close(out_, head);
    return true;
  }

  void copy(std::uint32_t count, const Slot*& slot) {
    const Slot* const begin = slot;
    for (; count != 0; --count) slot = slot->next();
    out_.insert(out_.end(), begin, slot);
  }

  bool optional(Steps value, const Slot*& slot) {
    const std::size_t head = out_.size();
    out_.push_back(*slot++);
    if (out_[head].bits == 0) return true;
    if (!run(value, slot)) return false;
    close(out_, head);
    return true;
  }

  void text(const FieldClass& field_class, const Slot*& slot) {
    text_.clear();
    slot = append_value_text(text_, slot, field_class);
    out_.push_back(bytes_slot(SlotKind::kString, arena_.keep(as_bytes(text_)),
                              static_cast<std::uint32_t>(text_.size())));
  }

  std::vector<Slot>& out_;
  ByteArena& arena_;
  std::string text_;
};

class Restoring {
 public:
  Restoring(const Slot*& slot, const Slot* end, std::vector<Slot>& out, ByteArena& arena)
      : slot_(slot), end_(end), out_(out), arena_(arena) {}

  bool run(Steps steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const FieldStep& step = steps[i];
      if (step.kind == Kind::kOpen) {
        open_.push_back(out_.size());
        out_.push_back(head_slot(SlotKind::kStructure, 0, 0));
        continue;
      }
      if (step.kind == Kind::kClose) {
        close(out_, open_.back());
        open_.pop_back();
        continue;
      }
      if (step.kind == Kind::kCopy) {
        if (!copy(step.count)) return false;
        continue;
      }
      if (slot_ >= end_ || !value(steps, i)) return false;
      i += inner_steps(step);
    }
    return true;
  }

 private:
  bool value(Steps steps, std::size_t at) {
    const FieldStep& step = steps[at];
    const Steps inner = steps.subspan(at + 1, inner_steps(step));
    switch (step.kind) {
      case Kind::kOptional:
        return optional(inner);
      case Kind::kStructure:
        return structure(inner);
      case Kind::kTruth:
        return truth();
      case Kind::kBytes:
        return bytes(step);
      case Kind::kElements:
        return elements(step, inner);
      case Kind::kPresence:
        return presence(inner);
      default:
        break;
    }
    if (step.kind == Kind::kString && slot_->kind != SlotKind::kString) return false;
    if (step.kind == Kind::kText) {
      if (slot_->kind != SlotKind::kString) return false;
      const std::string_view text = (slot_++)->text();
      return parse_value_text(text, *step.field_class, out_, arena_);
    }
    if (step.kind == Kind::kNumber && !has_width(*slot_, step.width)) return false;
    return copy(1);
  }

  bool copy(std::uint32_t count) {
    const Slot* const begin = slot_;
    for (; count != 0; --count) {
      if (slot_ >= end_) return false;
      slot_ = slot_->next();
    }
    if (slot_ == begin + 1) {
      out_.push_back(*begin);
    } else {
      out_.insert(out_.end(), begin, slot_);
    }
    return true;
  }

  bool optional(Steps value) {
    if (slot_->kind != SlotKind::kOptional) return false;
    const std::size_t head = out_.size();
    out_.push_back(*slot_++);
    if (out_[head].bits == 0) return true;
    if (!run(value)) return false;
    close(out_, head);
    return true;
  }

  bool structure(Steps members) {
    if (slot_->kind != SlotKind::kStructure) return false;
    const std::size_t head = out_.size();
    out_.push_back(*slot_++);
    if (!run(members)) return false;
    close(out_, head);
    return true;
  }

  bool truth() {
    if (slot_->kind != SlotKind::kUnsigned || slot_->bits > 1) return false;
    out_.push_back(boolean_slot((slot_++)->bits != 0));
    return true;
  }

  // What was added before a value.
  bool pass_over_added() { return ++slot_ < end_; }

  bool bytes(const FieldStep& step) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind == SlotKind::kBlob || slot_->kind == SlotKind::kPackedArray) {
      out_.push_back(*slot_++);
      out_.back().kind = SlotKind::kBlob;
      return true;
    }
    if (slot_->kind != SlotKind::kArray) return false;
    std::vector<std::uint8_t> gathered;
    const Slot* const behind = slot_->next();
    for (++slot_; slot_ < behind; ++slot_)
      gathered.push_back(static_cast<std::uint8_t>(slot_->bits));
    out_.push_back(bytes_slot(SlotKind::kBlob, arena_.keep(gathered),
                              static_cast<std::uint32_t>(gathered.size())));
    return true;
  }

  bool elements(const FieldStep& step, Steps element) {
    if (step.sized && !pass_over_added()) return false;
    if (slot_->kind == SlotKind::kPackedArray) {
      const Slot& packed = *slot_++;
      if (element.front().kind == Kind::kTruth) return unpacked(packed, element);
      out_.push_back(packed);
      return true;
    }
    if (slot_->kind != SlotKind::kArray) return false;
    const std::size_t head = out_.size();
    out_.push_back(*slot_++);
    for (std::uint64_t left = out_[head].bits; left != 0; --left) {
      if (!run(element)) return false;
    }
    close(out_, head);
    if (step.field_class != nullptr) pack_array(out_, head, *step.field_class, arena_);
    return true;
  }

  bool unpacked(const Slot& packed, Steps element) {
    const std::size_t head = out_.size();
    const std::size_t count = packed_count(packed);
    out_.push_back(head_slot(SlotKind::kArray, count, 0));
    for (std::size_t i = 0; i < count; ++i) {
      const Slot one = packed_element(packed, i);
      const Slot* slot = &one;
      if (!Restoring(slot, slot + 1, out_, arena_).run(element)) return false;
    }
    close(out_, head);
    return true;
  }

  bool presence(Steps value) {
    if (!pass_over_added()) return false;
    if (slot_->kind != SlotKind::kOptional && slot_->kind != SlotKind::kVariant) return false;
    const Slot* const behind = slot_->next();
    const bool present = slot_->bits != 0;
    const std::size_t head = out_.size();
    out_.push_back(head_slot(SlotKind::kOptional, present ? 1 : 0, 0));
    ++slot_;
    if (present && !run(value)) return false;
    slot_ = behind;
    close(out_, head);
    return true;
  }

  const Slot*& slot_;
  const Slot* end_;
  std::vector<Slot>& out_;
  ByteArena& arena_;
  std::vector<std::size_t> open_;  // heads of structures
};

}  // namespace

bool lower_values(const FieldProgram& program, const Slot* slot, std::vector<Slot>& out,
                  ByteArena& arena) {
  return program.empty() || Lowering(out, arena).run(program, slot);
}

bool restore_values(const FieldProgram& program, const Slot*& slot, const Slot* end,
                    std::vector<Slot>& out, ByteArena& arena) {
  return program.empty() || Restoring(slot, end, out, arena).run(program);
}

}  // namespace tracedeck::lower
