// Reads the texts of description_text.hpp, and makes the description that they were written of.
//
// Texts are what anybody may have put into a trace. The memory that one takes is at most
// proportional to its length. What is accepted is sound for who uses a description:
// - classes, clocks and streams that something refers to are there; payloads, contexts and headers
//   are structures; field classes are nested at most `kClassNesting` deep, and written out at every
//   place that uses them are no more than `WrittenOut` allows for;
// - widths and alignments are those that readers of formats allow, ranges hold a value, clocks
//   tick, attributes that are JSON are JSON, names of formats and versions are
//   printable;
// - the data streams of a class with `streams_are_parts` have one key, and the payload of a class
//   with `self_described` is a string and a map.
// It is not checked that a field location leads to a field, or to one that can be a length or a
// selector. A location only says how a field lay on the wire: slots have lengths and options of
// their own, so events are shown and converted without any, and who follows one must look whether
// it leads anywhere, as with every description.
// Lengths of static arrays are any, too; slots need not agree with them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/error.hpp"
#include "tracedeck/lower/text_members.hpp"
#include "tracedeck/lower/text_reader.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/written_out.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::lower {

// One thread at a time.
class DescriptionReader {
 public:
  // `input`: the name of the trace, for its description and for errors.
  // `clock_shift`: ns, added to that of each clock.
  explicit DescriptionReader(std::string input, std::int64_t clock_shift = 0)
      : input_(std::move(input)), clock_shift_(clock_shift) {}

  // Adds the object of a text. The trace's text is the first, and what an object refers to is there
  // before it. A text that says what is there already changes nothing. After an error, which says
  // what is wrong and where in the text, nothing has changed either, and others can be added.
  // kInvalidArgument: it is none of our texts, or what it says cannot be, or something else is
  // there under its ordinal. kLimitExceeded: field classes are nested too deep or too many.
  [[nodiscard]] Result<void> add(std::string_view text);

  // Null before the trace's text.
  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }

  // Objects by the ordinals that their texts gave, which need not be those that they have in
  // `description`: texts may be missing. Null: there was no text of it. Data streams point into the
  // description, and live as long as anybody holds them.
  [[nodiscard]] const ClockClass* clock(std::uint64_t ordinal) const;
  [[nodiscard]] const DataStreamClass* stream_class(std::uint64_t ordinal) const;
  [[nodiscard]] const EventClass* event_class(std::uint64_t ordinal) const;
  [[nodiscard]] std::shared_ptr<const DataStream> data_stream(std::uint64_t ordinal) const;
  // How many texts are missing, by the ordinals of those that came: of entries of the environment,
  // clocks and classes. None of a part of a divided result.
  [[nodiscard]] std::uint64_t missing() const;

  // The one that was added last, and its ordinal, once; or nothing.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::shared_ptr<const DataStream>>>
  take_new_stream() {
    if (newest_stream_ == data_streams_.end()) return std::nullopt;
    return *std::exchange(newest_stream_, data_streams_.end());
  }
  // The end of a data stream that was added last, and the ordinal of that, once; or nothing.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, StreamEnd>> take_stream_end() {
    return std::exchange(stream_end_, std::nullopt);
  }

 private:
  // Each adds what the rest of an object says, or returns false and leaves the fault to `reader`.
  bool add_entity(JsonMembers& object, std::string& place, TextReader& reader);
  bool add_trace(JsonMembers& object, TextReader& reader);
  bool add_environment(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);
  bool add_clock(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);
  bool add_stream_class(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);
  bool add_event_class(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);
  bool add_data_stream(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);
  bool add_stream_end(JsonMembers& object, std::uint64_t ordinal, TextReader& reader);

  bool fits(std::initializer_list<FieldClassPtr> classes, JsonRef at, TextReader& reader);

  std::string input_;
  std::int64_t clock_shift_;
  std::shared_ptr<TraceDescription> description_;
  bool is_part_ = false;
  JsonParser parser_;
  WrittenOut written_out_;
  TextReferences references_;
  std::map<std::uint64_t, std::size_t> environment_;  // indices in the description
  std::map<std::uint64_t, const EventClass*> event_classes_;
  std::map<std::uint64_t, std::shared_ptr<const DataStream>> data_streams_;
  decltype(data_streams_)::const_iterator newest_stream_ = data_streams_.end();
  std::optional<std::pair<std::uint64_t, StreamEnd>> stream_end_ = {};
};

}  // namespace tracedeck::lower
