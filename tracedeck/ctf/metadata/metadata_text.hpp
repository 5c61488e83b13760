// Metadata of a trace as text: JSON text sequences (CTF2-SPECRC-3.0, CTF2-SPEC-2.0: metadata
// stream) and TSDL (CTF 1.8.3, 7).
//
// A `MetadataWriter` writes classes as they come; they must be of kinds that its dialect has.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// Nodes of field classes that one metadata text may spell out. Only CTF2-SPEC-2.0 has aliases; in
// the other dialects a class that is shared stands wherever it is used.
inline constexpr std::size_t kMostSpeltClasses = std::size_t{1} << 20;

// Text that is made and handed on in pieces, so that a long one is never there as a whole.
class MetadataText {
 public:
  // Takes the text as it is made.
  using Sink = std::function<Result<void>(std::string_view)>;

  explicit MetadataText(Sink sink) : sink_(std::move(sink)) {}

  // What is appended to.
  std::string text;

  // To be called where a piece may end, often enough for pieces to be short.
  void between() {
    if (text.size() >= kPiece) end_piece();
  }
  // Appends what may be long.
  void append(std::string_view long_text);
  // Appends what `make` does, or nothing if it returns an error. A long text is made twice, the
  // first time to see whether it can be: both times must be the same.
  template <class Make>
  Result<void> add(Make make) {
    begin_trial();
    const Result<void> made = make();
    return end_trial(made.has_value()) ? make() : made;
  }
  // Hands on what there is. Errors: the first of the sink, which then gets nothing more.
  Result<void> hand_on();

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  void end_piece();
  void begin_trial();
  // Returns whether it is to be made again.
  bool end_trial(bool fine);

  Sink sink_;
  Result<void> handed_on_;
  std::optional<std::size_t> before_trial_ = {};  // bytes of the piece at hand
  bool is_long_ = false;                          // what is tried: parts of it are gone
};

// Makes the fragments or blocks of a metadata stream, in the order of the calls. Classes that were
// added may not be referred to by other descriptions' classes: a data stream class names its clock
// by id, an event record class its data stream class. Errors: kLimitExceeded (the two limits
// above), kUnsupported (a class that the dialect has no words for); the class is not written then,
// but aliases that stand before it may be.
class MetadataWriter {
 public:
  virtual ~MetadataWriter() = default;

  // What stands before all classes, to be called first and once. CTF2-SPECRC-3.0 has no place for
  // the environment: see `environment_text`.
  [[nodiscard]] virtual Result<void> begin(const TraceClass& trace_class,
                                           const Attributes& environment) = 0;
  [[nodiscard]] virtual Result<void> add_clock(const ClockClass& clock) = 0;
  [[nodiscard]] virtual Result<void> add_stream_class(const DataStreamClass& stream_class) = 0;
  [[nodiscard]] Result<void> add_event_class(const EventClass& event_class) {
    return add_event_class(event_class, event_class.attributes);
  }
  // With these attributes in place of its own, which may be long.
  [[nodiscard]] virtual Result<void> add_event_class(const EventClass& event_class,
                                                     const Attributes& attributes) = 0;
  // Hands on the rest of what was added. Errors: the first of the sink.
  [[nodiscard]] Result<void> hand_on() { return pieces_.hand_on(); }

 protected:
  explicit MetadataWriter(MetadataText::Sink sink) : pieces_(std::move(sink)) {}

  MetadataText pieces_;
  std::string& text_ = pieces_.text;
};

// `sink`: takes the text, long classes piece by piece.
[[nodiscard]] std::unique_ptr<MetadataWriter> metadata_writer(Dialect dialect,
                                                              MetadataText::Sink sink);

// The whole metadata of a description, whose classes are lowered before (tracedeck/lower). Errors:
// as above.
[[nodiscard]] Result<std::string> metadata_text(const TraceDescription& description,
                                                Dialect dialect);
// The same with other event classes, class by class. When one cannot be written, nothing is.
[[nodiscard]] Result<void> write_metadata_text(const TraceDescription& description,
                                               const EachEventClass& event_classes, Dialect dialect,
                                               io::Output& output);

// The environment as an auxiliary stream of CTF2-SPECRC-3.0 (env); empty when there is none.
[[nodiscard]] std::string environment_text(const Attributes& environment);

// The file that holds it, by custom.
inline constexpr std::string_view kEnvironmentFile = "environment.json-seq";

// The frequency of a clock in Hz, when its tick is exactly that of an integer frequency.
[[nodiscard]] std::optional<std::uint64_t> clock_frequency(const ClockClass& clock);

}  // namespace tracedeck::ctf
