#include "tracedeck/lower/field_program.hpp"

#include <span>
#include <string>

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
      }
    }
    return true;
  }

 private:
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
      for (std::uint32_t left = step.kind == Kind::kCopy ? step.count : 1; left != 0; --left) {
        if (slot_ >= end_) return false;
        if (!value(steps, i)) return false;
      }
      if (step.kind == Kind::kOptional) i += step.count;
    }
    return true;
  }

 private:
  bool value(Steps steps, std::size_t at) {
    const FieldStep& step = steps[at];
    if (step.kind == Kind::kOptional) return optional(steps.subspan(at + 1, step.count));
    if (step.kind == Kind::kText) {
      if (slot_->kind != SlotKind::kString) return false;
      const std::string_view text = (slot_++)->text();
      return parse_value_text(text, *step.field_class, out_, arena_);
    }
    if (step.kind == Kind::kNumber && !has_width(*slot_, step.width)) return false;
    const Slot* const next = slot_->next();
    out_.insert(out_.end(), slot_, next);
    slot_ = next;
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

  const Slot*& slot_;
  const Slot* end_;
  std::vector<Slot>& out_;
  ByteArena& arena_;
  std::vector<std::size_t> open_;  // heads of structures
};

}  // namespace

bool lower_values(const FieldProgram& program, const Slot* slot, std::vector<Slot>& out,
                  ByteArena& arena) {
  return Lowering(out, arena).run(program, slot);
}

bool restore_values(const FieldProgram& program, const Slot*& slot, const Slot* end,
                    std::vector<Slot>& out, ByteArena& arena) {
  return Restoring(slot, end, out, arena).run(program);
}

}  // namespace tracedeck::lower
