// What a target format can hold, as data: from it the lowering of foreign classes follows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// Of a target whose field classes may be nested.
struct NestedProfile {
  // A format of several dialects, of which the target is one. Classes of the others keep widths,
  // alignments, and the fields that are their lengths and selectors, as far as the target can.
  std::string_view format;
  bool booleans = true;     // else they are enumerations
  bool blobs = true;        // else they are arrays of bytes
  bool optionals = true;    // else they are variants
  bool attributes = true;   // of classes, beside marks
  bool all_numbers = true;  // those of variable length, and of more than 64 bits
  bool encodings = false;   // of text; else it is UTF-8
  bool outer_locations =
      true;  // else locations lead to fields of the same structure or another root
  bool clocks_for_all = false;    // readers want a clock of all data streams, or of none
  bool selects_by_label = false;  // options have the names that their values have as labels
  // Readers look for the selector of a variant among the members before it alone.
  bool selector_beside = false;
  // Readers take a leading underscore off, and then two members of one name for an error.
  bool underscores_vanish = false;
  // Readers find no length and no selector that is a field of a specific context from there.
  bool fixed_specific_context = false;
  // The form in which the target has such integers.
  IntegerClass::Form (*integer_form)(const IntegerClass& integer) = nullptr;
  // A legal name for a member, and nothing else when it is legal.
  std::string (*member_name)(std::string_view name) = nullptr;
  // Whether options of variants may be called so.
  bool (*is_option_name)(std::string_view name) = nullptr;
  // Whether a trace of the format that is written alone keeps the heads of its packets and events.
  // `trace`: as the writer gets it, when its first data stream begins.
  bool (*keeps_heads)(const TraceDescription& trace) = nullptr;
  // How results of earlier versions were lowered, where that differs; else null.
  const NestedProfile* earlier = nullptr;
};

// Of a target that is poorer than the model: it gets what it can say natively, the rest as text,
// and nothing is marked, so nothing comes back but what the target holds.
struct PlainProfile {
  // The class of a number without a sign or with one, a real or a text, by the kind of its slot, or
  // of an array of such, as a reader of the target makes it: fields are attributes of these. Null:
  // its event classes are fixed, and the fields of other events are one text.
  FieldClassPtr (*value_class)(SlotKind kind, bool array) = nullptr;
  // The context that its readers give events, which says where they come from.
  FieldClassPtr (*common_context)() = nullptr;
};

struct TargetProfile {
  std::string_view format;  // whose traces it has
  // Of the format, where its targets have several (`TraceDescription::version`); empty: any.
  std::string_view version = {};

  // What marks are in its traces, as receipts say it; empty: there are none.
  std::string_view marks = {};

  // Whether the target holds events of a class as they are, so that they come back equal. Of a
  // plain one that shows when they are lowered: null.
  bool (*holds)(const EventClass& event_class) = nullptr;

  // Set: structures, arrays, contexts, clocks and data streams stay what they are, marks are
  // attributes of classes, and the rest of this says what of a class differs. Not set: everything
  // is flattened into the fields of one data stream, which the members behind this are about.
  const NestedProfile* nested = nullptr;
  // Set: nothing is marked, and nothing comes from a trace of the target but what it holds.
  const PlainProfile* plain = nullptr;

  // Widths of unsigned integers, ascending; 0s are none. Wider ones up to 64 bits have a variable
  // length, and signed ones 64 bits.
  std::array<std::uint8_t, 3> unsigned_widths = {};
  // The version which, when it is asked for, holds lists and maps of values that say their kinds,
  // and attributes of fields; empty: none does.
  std::string_view list_version = {};
  std::size_t longest_name = 0;  // bytes, of classes and fields
  std::size_t most_members = 0;  // of a payload
  // The ids of classes that are made here, from the last one down.
  std::uint64_t last_class_id = 0;
};

}  // namespace tracedeck
