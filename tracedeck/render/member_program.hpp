// Members of structures on the lines of events, compiled: what stands before each value is put
// together once for an event class. Values of the kinds that events mostly have are written at
// once; all others, and what is rare of these, by the walk (value_walk.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/render/value_walk.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {

// A text that is copied in pieces of a fixed size, so that its length hardly matters.
class Literal {
 public:
  static constexpr std::size_t kPiece = 32;

  Literal() = default;
  explicit Literal(std::string_view text) : size_(text.size()), text_() {
    text_.reserve(size_ + kPiece);
    text_.append(text).append(kPiece, '\0');
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Copies `size` characters to room for `kPiece` more, of which `from` has as many, too.
  [[gnu::always_inline]] static char* copy(char* to, const char* from, std::size_t size) {
    std::memcpy(to, from, kPiece);
    for (std::size_t i = kPiece; i < size; i += kPiece) [[unlikely]]
      std::memcpy(to + i, from + i, kPiece);
    return to + size;
  }
  char* write(char* to) const { return copy(to, text_.data(), size_); }
  void append(TextBuffer& out) const { out.commit(write(out.reserve(size_ + kPiece))); }

 private:
  std::size_t size_ = 0;
  std::string text_ = std::string(kPiece, '\0');  // with a piece behind it
};

// Spaces in a row that are written at once, for which there has to be room.
inline constexpr std::size_t kSpaces = 64;
// Writes up to as many.
inline char* write_spaces(char* to, std::size_t count) {
  constexpr std::size_t kFew = 16;
  std::memset(to, ' ', kFew);
  if (count > kFew) [[unlikely]]
    std::memset(to + kFew, ' ', kSpaces - kFew);
  return to + count;
}

// A column that widens with its content, up to a limit; what is wider stands out.
class Column {
 public:
  static constexpr std::size_t kMost = 48;    // what a limit may be
  static constexpr std::size_t kBetween = 2;  // spaces between two columns of fields
  static_assert(kMost + kBetween <= kSpaces);

  explicit Column(std::size_t limit) : limit_(static_cast<std::uint32_t>(limit)) {}

  // How many spaces bring something of `width` to the column's width, which grows first.
  std::size_t padding(std::size_t width) {
    if (width <= width_) [[likely]]
      return width_ - width;
    if (width <= limit_) width_ = static_cast<std::uint32_t>(width);
    return 0;
  }

 private:
  std::uint32_t limit_;
  std::uint32_t width_ = 0;
};

// How the values of a member are written.
enum class ValueForm : std::uint8_t {
  kWalk,
  kHidden,   // not at all
  kNumber,   // decimal, like any integer of up to 64 bits
  kInteger,  // as the style spells integers of the class
  kReal,
  kText,
  kLabels,  // integers that few of are used: what was made of them is remembered, as of any that
            // the trace has names for
};

// What programs need to know of a style.
template <class Style>
concept CompiledStyle = requires(Style& style, const Style& as, char* to, const Slot& slot,
                                 const FieldClass* field_class, double real, std::string_view text,
                                 typename Style::Spelling spelling) {
  // The form of a class's values, and how its integers are spelt.
  { as.form_of(field_class, spelling) } -> std::same_as<ValueForm>;
  // Whether an integer of up to 64 bits is its digits and nothing else.
  { Style::is_bare(slot) } -> std::same_as<bool>;
  // Each writes to room for `kValueRoom`, or returns null when the walk is to do it.
  { as.write_integer(to, slot, spelling) } -> std::same_as<char*>;
  { Style::write_real(to, real) } -> std::same_as<char*>;
  // A text of up to `kShortText` bytes.
  { Style::write_text(to, text) } -> std::same_as<char*>;
  // Columns of a terminal that were filled, and how often something was written otherwise than
  // it is; the least of it that is known.
  { as.columns() } -> std::same_as<std::size_t>;
  { as.faults() } -> std::equality_comparable;
};

inline constexpr std::size_t kShortText = 64;
inline constexpr std::size_t kValueRoom = kShortText + 16;

// What was made of integers with labels or names, for a while.
class LabelCache {
 public:
  static constexpr std::size_t kLongest = 48;  // what is longer is made anew each time

  struct Entry {
    std::uint64_t bits = 0;
    std::uint32_t member = 0;  // its number; 0: nothing is remembered here
    std::uint32_t name = 0;    // of the value, its number; 0: it has none
    SlotKind kind = SlotKind::kUnsigned;
    std::uint8_t size = 0;
    std::uint8_t columns = 0;
    std::array<char, kLongest> text = {};
  };

  // Never 0.
  [[nodiscard]] std::uint32_t number_of_member() { return ++members_; }
  // Where a value of a member is remembered, if it is.
  [[nodiscard]] Entry& place(std::uint32_t member, const Slot& slot) {
    constexpr unsigned kBits = 9;
    if (entries_.empty()) [[unlikely]]
      entries_.resize(std::size_t{1} << kBits);
    return entries_[(slot.bits + member * std::uint64_t{0x9E37}) * 0x9E3779B97F4A7C15U >>
                    (64 - kBits)];
  }

 private:
  std::uint32_t members_ = 0;
  std::vector<Entry> entries_;
};

// What programs write values with: `Walk` has the style, and writes values of any kind.
template <CompiledStyle Style, class Walk = StyledValues<Style>>
class CompiledValues : public Walk {
 public:
  using Walk::Walk;

  [[nodiscard]] LabelCache& labels() { return labels_; }
  [[nodiscard]] TextBuffer& scratch() { return scratch_; }

 private:
  LabelCache labels_;
  TextBuffer scratch_{nullptr, 1024};
};

template <CompiledStyle Style, class Values = CompiledValues<Style>>
class MemberProgram {
 public:
  // `before` stands before the value, and takes `columns`; `behind` stands behind one that is not
  // absent.
  void add(std::string_view before, std::size_t columns, const FieldClass* field_class,
           Values& values, std::string_view behind = {}) {
    if (texts_.empty()) texts_.resize(Literal::kPiece);
    Step step{.field_class = field_class, .columns = static_cast<std::uint32_t>(columns)};
    step.form = values.style().form_of(field_class, step.spelling);
    const bool is_integer = step.form == ValueForm::kNumber || step.form == ValueForm::kInteger ||
                            step.form == ValueForm::kLabels;
    if (is_integer) step.member = values.labels().number_of_member();
    step.before = text_of(before);
    step.behind = text_of(behind);
    room_ += kSpaces + before.size() + kValueRoom + behind.size() + 2 * Literal::kPiece;
    steps_.push_back(step);
  }
  // A member that is passed over, of programs that do not run in columns.
  void add_hidden() {
    if (texts_.empty()) texts_.resize(Literal::kPiece);
    room_ += Literal::kPiece;
    steps_.push_back({.form = ValueForm::kHidden});
  }

  // All members of a structure, or of none (null), separated as the style does.
  void add_members(const FieldClass* root, Values& values) {
    const auto* const structure = class_as<StructureClass>(root);
    if (structure == nullptr) return;
    steps_.reserve(steps_.size() + structure->members.size());
    for (std::size_t i = 0; i < structure->members.size(); ++i) {
      const Member& member = structure->members[i];
      TextBuffer before(nullptr, 512);
      values.style().begin_part(before, SlotKind::kStructure, i);
      values.style().member(before, member.name);
      add(before.view(), 0, member.field_class.get(), values);
    }
    texts_.shrink_to_fit();
  }

  // Writes members that lie one after the other; they may be fewer. Returns how many there were.
  std::size_t run(TextBuffer& out, std::span<const Slot> slots, Values& values) {
    std::size_t pending = 0;
    return run<false>(out, slots, values, pending);
  }
  // The same in columns. `pending`: spaces that are to come before the next text.
  void run_in_columns(TextBuffer& out, std::span<const Slot> slots, Values& values,
                      std::size_t& pending) {
    run<true>(out, slots, values, pending);
  }

 private:
  struct Text {
    std::uint32_t begin = 0;  // among `texts_`
    std::uint32_t size = 0;
  };
  struct Step {
    const FieldClass* field_class = nullptr;
    Text before = {};
    Text behind = {};
    std::uint32_t columns = 0;
    std::uint32_t member = 0;  // for the cache of labels
    ValueForm form = ValueForm::kWalk;
    typename Style::Spelling spelling = {};
    Column column{Column::kMost};
  };

  Text text_of(std::string_view text) {
    if (text.empty()) return {};
    const std::size_t end = texts_.size() - Literal::kPiece;
    const Text place{static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(text.size())};
    texts_.resize(end);
    texts_.insert(texts_.end(), text.begin(), text.end());
    texts_.resize(texts_.size() + Literal::kPiece);
    return place;
  }

  template <bool kInColumns>
  std::size_t run(TextBuffer& out, std::span<const Slot> slots, Values& values,
                  std::size_t& pending) {
    // What is written could be any of these, for all that the compiler knows, were they no copies.
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    Step* step = steps_.data();
    Step* const last = step + steps_.size();
    const char* const texts = texts_.data();
    std::size_t spaces = pending;
    char* at = out.reserve(room_);
    for (; step != last && slot != end; ++step) {
      if constexpr (kInColumns) at = write_spaces(at, spaces);
      at = Literal::copy(at, texts + step->before.begin, step->before.size);
      std::size_t columns = 0;
      if (step->form == ValueForm::kNumber && slot->kind == SlotKind::kUnsigned &&
          Style::is_bare(*slot)) [[likely]] {
        char* const behind = write_decimal(at, slot->bits);
        columns = static_cast<std::size_t>(behind - at);
        at = behind;
        ++slot;
      } else if (step->form == ValueForm::kHidden) {
        slot = slot->next();
        continue;
      } else {
        const auto [behind, next, width] = other(at, out, slot, *step, values);
        const bool absent = is_absent(*slot);
        at = behind;
        slot = next;
        columns = width;
        if constexpr (kInColumns) {
          if (absent) {
            spaces = Column::kBetween + step->column.padding(columns + step->columns);
            continue;
          }
        }
      }
      if constexpr (kInColumns) {
        columns += step->columns;
        if (step->behind.size != 0) {
          at = Literal::copy(at, texts + step->behind.begin, step->behind.size);
          columns += step->behind.size;
        }
        spaces = Column::kBetween + step->column.padding(columns);
      }
    }
    out.commit(at);
    pending = spaces;
    return static_cast<std::size_t>(step - steps_.data());
  }

  static bool is_absent(const Slot& slot) {
    return slot.kind == SlotKind::kOptional && slot.bits == 0;
  }

  // Writes a value of a frequent kind and returns its end; else null. `columns` are what it takes.
  [[gnu::always_inline]] static char* write(char* at, const Slot& slot, const Step& step,
                                            Values& values, std::size_t& columns) {
    const bool is_narrow = slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned;
    char* end = nullptr;
    switch (step.form) {
      case ValueForm::kNumber:
        if (!is_narrow) return nullptr;
        if (!Style::is_bare(slot)) return recall(at, slot, step, values, columns);
        end = slot.kind == SlotKind::kUnsigned ? write_decimal(at, slot.bits)
                                               : write_decimal(at, slot.integer);
        break;
      case ValueForm::kInteger:
        if (!is_narrow) return nullptr;
        if (!Style::is_bare(slot)) return recall(at, slot, step, values, columns);
        end = values.style().write_integer(at, slot, step.spelling);
        break;
      case ValueForm::kReal:
        if (slot.kind != SlotKind::kReal) return nullptr;
        end = Style::write_real(at, slot.real);
        break;
      case ValueForm::kText:
        if (slot.kind != SlotKind::kString || slot.length > kShortText) return nullptr;
        end = Style::write_text(at, slot.text());
        break;
      case ValueForm::kLabels:
        return is_narrow ? recall(at, slot, step, values, columns) : nullptr;
      case ValueForm::kHidden:
      case ValueForm::kWalk:
        return nullptr;
    }
    if (end != nullptr) columns = static_cast<std::size_t>(end - at);
    return end;
  }

  struct Written {
    char* at;
    const Slot* next;  // behind the value
    std::size_t columns;
  };
  // Writes any value, with room for all behind it.
  Written other(char* at, TextBuffer& out, const Slot* slot, const Step& step, Values& values) {
    Written written{.at = nullptr, .next = slot, .columns = 0};
    if (!is_absent(*slot)) {
      const Slot* const value = slot->kind == SlotKind::kOptional ? slot + 1 : slot;
      written.at = write(at, *value, step, values, written.columns);
      written.next = value + 1;
    }
    if (written.at != nullptr) return written;
    out.commit(at);
    const std::size_t columns = values.style().columns();
    written.next = walk(out, slot, step, values);
    written.columns = values.style().columns() - columns;
    written.at = out.reserve(room_);
    return written;
  }

  // Writes an integer that is remembered, and returns its end; else null.
  [[gnu::always_inline]] static char* recall(char* at, const Slot& slot, const Step& step,
                                             Values& values, std::size_t& columns) {
    const LabelCache::Entry& known = values.labels().place(step.member, slot);
    if (known.bits != slot.bits || known.member != step.member || known.kind != slot.kind ||
        known.name != slot.name())
      return nullptr;
    std::memcpy(at, known.text.data(), known.text.size());
    columns = known.columns;
    return at + known.size;
  }

  static const Slot* walk(TextBuffer& out, const Slot* slot, const Step& step, Values& values) {
    const bool is_narrow = slot->kind == SlotKind::kUnsigned || slot->kind == SlotKind::kSigned;
    const bool is_remembered =
        is_narrow && step.member != 0 && (step.form == ValueForm::kLabels || slot->name() != 0);
    if (!is_remembered) return values.append(out, slot, step.field_class);
    const std::size_t columns = values.style().columns();
    const auto faults = values.style().faults();
    TextBuffer& text = values.scratch();
    text.clear();
    const Slot* const behind = values.append(text, slot, step.field_class);
    out.append(text.view());
    if (text.size() > LabelCache::kLongest || values.style().faults() != faults) return behind;
    LabelCache::Entry& place = values.labels().place(step.member, *slot);
    place.bits = slot->bits;
    place.member = step.member;
    place.name = slot->name();
    place.kind = slot->kind;
    place.size = static_cast<std::uint8_t>(text.size());
    place.columns = static_cast<std::uint8_t>(values.style().columns() - columns);
    std::ranges::copy(text.view(), place.text.begin());
    return behind;
  }

  std::vector<Step> steps_;
  std::size_t room_ = 0;     // for all but what the walk writes
  std::vector<char> texts_;  // with a piece behind the last one; empty: there are no steps
};

}  // namespace tracedeck::render
