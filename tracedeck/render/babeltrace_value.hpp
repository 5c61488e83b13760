// Values of any kind as babeltrace2 prints them.
#pragma once

#include <cstddef>
#include <vector>

#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"

namespace tracedeck::render {

// Writes values. It keeps its own stack, so that the nesting depth of a trace is bounded by memory
// alone. One thread at a time.
class BabeltraceValues {
 public:
  explicit BabeltraceValues(BabeltracePalette palette) : palette_(palette) {}

  // Whether names of members and indices stand before them, as they do unless this says otherwise.
  void show_names(bool shown) { names_ = shown; }

  // Writes the value at `slot`, of a class that `notes` knows or of none (null), and returns the
  // slot after it.
  const Slot* append(TextBuffer& out, const Slot* slot, const FieldClass* field_class,
                     BabeltraceNotes& notes);

 private:
  enum class Form : std::uint8_t { kArray, kStructure, kMap, kChosen };

  // A value that has been opened.
  struct Frame {
    const Slot* end;
    const FieldClass* field_class;
    const std::vector<bool>* shown;  // which members of a structure are; null: all
    std::size_t index = 0;           // parts that were met; of a map, keys and values
    std::size_t written = 0;
    Form form;
  };

  const Slot* begin(TextBuffer& out, const Slot* slot, const FieldClass* field_class,
                    BabeltraceNotes& notes);
  void open(TextBuffer& out, const Slot* slot, const FieldClass* field_class,
            const BabeltraceNotes& notes);
  void scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class,
              BabeltraceNotes& notes) const;
  void bytes(TextBuffer& out, ByteSpan bytes) const;
  void packed(TextBuffer& out, const Slot& slot, const FieldClass* element,
              BabeltraceNotes& notes) const;
  bool go_on(TextBuffer& out, const Slot*& slot, const FieldClass*& field_class);
  bool go_on_in_structure(TextBuffer& out, const Slot*& slot, const FieldClass*& field_class);
  void name(TextBuffer& out, std::string_view text) const;

  void index(TextBuffer& out, std::size_t index) const;

  BabeltracePalette palette_;
  bool names_ = true;
  std::vector<Frame> frames_;
};

}  // namespace tracedeck::render
