#include "tracedeck/ctf/metadata/metadata_text.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/metadata/json_metadata_writer.hpp"
#include "tracedeck/ctf/metadata/tsdl_metadata_writer.hpp"
#include "tracedeck/model/written_out.hpp"
#include "tracedeck/text/json_out.hpp"

namespace tracedeck::ctf {
namespace {

// Writes the classes of a description one after the other, as they are.
class DescriptionText {
 public:
  DescriptionText(const TraceDescription& description, const EachEventClass& event_classes,
                  Dialect dialect, MetadataText::Sink sink)
      : description_(description),
        event_classes_(event_classes),
        dialect_(dialect),
        writer_(metadata_writer(dialect, std::move(sink))) {}

  Result<void> write() {
    Result<void> done = writer_->begin(description_.trace_class(), description_.environment());
    const bool from_ctf1 = description_.version() == trace_version(Dialect::kCtf1);
    for (const ClockClass& clock : description_.clocks()) {
      if (done)
        done =
            writer_->add_clock(dialect_ == Dialect::kCtf1 ? ctf1_clock(clock, from_ctf1) : clock);
    }
    for (const DataStreamClass& stream_class : description_.stream_classes()) {
      if (done) done = add(stream_class);
    }
    if (done) done = writer_->hand_on();
    if (!done) return done;
    return event_classes_([this](const EventClass& event_class) -> Result<void> {
      if (auto added = add(event_class); !added) return added;
      return writer_->hand_on();
    });
  }

 private:
  Result<void> add(const DataStreamClass& source) {
    DataStreamClass made = source;
    if (!made.id) made.id = next_stream_id_;
    next_stream_id_ = std::max(next_stream_id_, *made.id) + 1;
    stream_ids_.emplace(&source, *made.id);
    return writer_->add_stream_class(made);
  }

  Result<void> add(const EventClass& source) {
    EventClass made = source;
    const DataStreamClass parent{.id = stream_ids_[source.stream_class]};
    made.stream_class = &parent;
    std::uint64_t& next = next_event_ids_[source.stream_class];
    if (!made.id) made.id = next;
    next = std::max(next, *made.id) + 1;
    return writer_->add_event_class(made);
  }

  const TraceDescription& description_;
  const EachEventClass& event_classes_;
  Dialect dialect_;
  std::unique_ptr<MetadataWriter> writer_;
  std::unordered_map<const DataStreamClass*, std::uint64_t> stream_ids_;
  std::unordered_map<const DataStreamClass*, std::uint64_t> next_event_ids_;
  std::uint64_t next_stream_id_ = 0;
};

}  // namespace

void MetadataText::end_piece() {
  if (before_trial_) {
    text.resize(*before_trial_);
    is_long_ = true;
  } else {
    // The next call returns the same error.
    [[maybe_unused]] const Result<void> handed_on = hand_on();
  }
}

void MetadataText::append(std::string_view long_text) {
  while (!long_text.empty()) {
    const std::string_view piece = long_text.substr(0, kPiece);
    text.append(piece);
    long_text.remove_prefix(piece.size());
    between();
  }
}

void MetadataText::begin_trial() {
  before_trial_ = text.size();
  is_long_ = false;
}

bool MetadataText::end_trial(bool fine) {
  if (is_long_ || !fine) text.resize(*before_trial_);
  before_trial_.reset();
  return is_long_ && fine;
}

Result<void> MetadataText::hand_on() {
  if (handed_on_) handed_on_ = sink_(text);
  text.clear();
  return handed_on_;
}

std::unique_ptr<MetadataWriter> metadata_writer(Dialect dialect, MetadataText::Sink sink) {
  return dialect == Dialect::kCtf1 ? tsdl_metadata_writer(std::move(sink))
                                   : json_metadata_writer(dialect, std::move(sink));
}

namespace {

Result<void> hand_on(const TraceDescription& description, const EachEventClass& event_classes,
                     Dialect dialect, MetadataText::Sink sink) {
  // CTF2-SPEC-2.0 names what others spell out.
  if (dialect != Dialect::kFinal) {
    if (auto fits = WrittenOut().add(description); !fits) return fits;
  }
  return DescriptionText(description, event_classes, dialect, std::move(sink)).write();
}

}  // namespace

Result<std::string> metadata_text(const TraceDescription& description, Dialect dialect) {
  std::string text;
  const auto append = [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  };
  const auto done = hand_on(description, event_classes_of(description), dialect, append);
  if (!done) return std::unexpected(done.error());
  return text;
}

Result<void> write_metadata_text(const TraceDescription& description,
                                 const EachEventClass& event_classes, Dialect dialect,
                                 io::Output& output) {
  const auto ignore = [](std::string_view) -> Result<void> { return {}; };
  if (auto tried = hand_on(description, event_classes, dialect, ignore); !tried) return tried;
  return hand_on(description, event_classes, dialect,
                 [&](std::string_view piece) { return output.write(piece); });
}

std::string environment_text(const Attributes& environment) {
  if (environment.empty()) return {};
  std::string text = "\x1e";
  JsonOut out(text);
  out.begin_object();
  out.key("std").begin_object();
  out.key("environment").begin_object();
  std::map<std::string_view, bool> keys;
  for (const Attribute& entry : environment) {
    if (!keys.emplace(entry.key, true).second) continue;
    out.key(entry.key);
    if (entry.is_json) {
      out.raw(entry.value);
    } else {
      out.string(entry.value);
    }
  }
  out.end_object();
  out.end_object();
  out.end_object();
  text.push_back('\n');
  return text;
}

std::optional<std::uint64_t> clock_frequency(const ClockClass& clock) {
  const Int128 hertz = Int128{1'000'000'000} * clock.tick.denominator;
  if (clock.tick.numerator == 0 || hertz % clock.tick.numerator != 0) return {};
  const Int128 frequency = hertz / clock.tick.numerator;
  if (frequency == 0 || frequency > Int128{~std::uint64_t{0}}) return {};
  return static_cast<std::uint64_t>(frequency);
}

}  // namespace tracedeck::ctf
