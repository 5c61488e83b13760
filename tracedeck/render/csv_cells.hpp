// Values as those of lines of comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "tracedeck/io/output.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// Passes text on with its quotes doubled.
class QuoteDoubler final : public io::Output {
 public:
  void pass_to(TextBuffer& into) { into_ = &into; }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override;
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  TextBuffer* into_ = nullptr;
  std::string name_;
};

// JSON inside of a value of a line, which is in quotes: those of the JSON are doubled.
class CsvJson {
 public:
  CsvJson() = default;
  CsvJson(const CsvJson&) = delete;
  CsvJson& operator=(const CsvJson&) = delete;

  // Writes the JSON that `append(buffer)` appends.
  template <class Append>
  void operator()(TextBuffer& out, Append append) {
    doubler_.pass_to(out);
    append(json_);
    json_.hand_over();
  }

 private:
  QuoteDoubler doubler_;
  TextBuffer json_{&doubler_};
};

// Values as JSON of that kind: a `CompiledStyle`.
class CsvStyle {
 public:
  using Spelling = JsonStyle::Spelling;

  explicit CsvStyle(bool large_as_strings) : style_(large_as_strings) {}

  // See `JsonStyle`.
  template <class Append>
  void json(TextBuffer& out, Append append) {
    json_(out, append);
  }

  void scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class) {
    json(out, [&](TextBuffer& json) { style_.scalar(json, slot, field_class); });
  }
  void packed(TextBuffer& out, const Slot& slot, const FieldClass* element) {
    json(out, [&](TextBuffer& json) { style_.packed(json, slot, element); });
  }
  void absent(TextBuffer& out) { style_.absent(out); }
  void open(TextBuffer& out, SlotKind kind) { style_.open(out, kind); }
  void close(TextBuffer& out, SlotKind kind) { style_.close(out, kind); }
  void begin_part(TextBuffer& out, SlotKind kind, std::size_t index) {
    style_.begin_part(out, kind, index);
  }
  void member(TextBuffer& out, std::string_view name) {
    json(out, [&](TextBuffer& json) { style_.member(json, name); });
  }
  void key(TextBuffer& out, const Slot& slot) { member(out, slot.text()); }
  static constexpr bool kOpensChoices = JsonStyle::kOpensChoices;
  static const std::vector<bool>* shown_members(const StructureClass* structure) {
    return JsonStyle::shown_members(structure);
  }
  void open_pair(TextBuffer& out) { style_.open_pair(out); }
  void split_pair(TextBuffer& out) { style_.split_pair(out); }
  void close_pair(TextBuffer& out) { style_.close_pair(out); }

  [[nodiscard]] static ValueForm form_of(const FieldClass* field_class, Spelling& spelling) {
    return JsonStyle::form_of(field_class, spelling);
  }
  [[nodiscard]] static bool is_bare(const Slot& slot) { return JsonStyle::is_bare(slot); }
  static char* write_integer(char*, const Slot&, Spelling) { return nullptr; }
  static char* write_real(char* to, double value) { return JsonStyle::write_real(to, value); }
  static char* write_text(char* to, std::string_view text) {
    *to = '"';
    char* const end = JsonStyle::write_text(to + 1, text);
    if (end == nullptr) return nullptr;
    *end = '"';
    return end + 1;
  }
  [[nodiscard]] static std::size_t columns() { return 0; }
  [[nodiscard]] const JsonStyle::Faults& faults() const { return style_.faults(); }
  void count(const JsonStyle::Faults& faults) { style_.count(faults); }

 private:
  JsonStyle style_;
  CsvJson json_;
};

}  // namespace tracedeck::render
