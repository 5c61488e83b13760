#include "tracedeck/dial9/format.hpp"

#include <algorithm>

#include "tracedeck/dial9/model_classes.hpp"
#include "tracedeck/dial9/reader.hpp"
#include "tracedeck/dial9/rewrite.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/segment_origin.hpp"
#include "tracedeck/dial9/wire.hpp"
#include "tracedeck/dial9/writer.hpp"

namespace tracedeck::dial9 {
namespace {

// The magic alone: an unknown version is this format's to reject.
bool recognises(ByteSpan head, bool) {
  return head.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), head.begin());
}

// A class as our own reader makes it.
bool holds(const EventClass& event_class) {
  return event_class.stream_class->trace->format() == "dial9";
}

constexpr TargetProfile kProfile = {.format = "dial9",
                                    .marks = "events `tracedeck.mark`",
                                    .holds = holds,
                                    .unsigned_widths = {8, 16, 32},
                                    .list_version = "0.4",
                                    .longest_name = kMaxNameLength,
                                    .most_members = kMaxFieldCount,
                                    .last_class_id = kMaxTypeCount - 1};

constexpr WriteTarget kTarget = {.name = "dial9",
                                 .title = "dial9-trace-format",
                                 .suffixes = {".dial9"},
                                 .recorded_suffix = ".bin",
                                 .options = {"dial9-version"},
                                 .profile = &kProfile};

}  // namespace

const Format& format() {
  static constexpr Format kFormat({
      .info = {.name = "dial9",
               .title = "dial9-trace-format",
               .versions = "0.3, 0.4 (wire version 1)",
               .summary = "async-runtime telemetry",
               .file_name_hint = "*.bin, *.bin.gz",
               .clock_sync_event = kClockSyncEvent,
               .clock_sync_field = kClockSyncField,
               .symbols = SymbolEvent{.event = "SymbolTableEntry",
                                      .address = "addr",
                                      .name = "symbol_name",
                                      .size = "size",
                                      .depth = "inline_depth",
                                      .file = "source_file",
                                      .line = "source_line"}},
      .rules = []() -> std::span<const Rule> { return dial9::rules(); },
      .targets = std::span(&kTarget, 1),
      .files = FileTraces{.recognises = recognises,
                          .recognition_size = kMagic.size(),
                          .open = open_reader,
                          .origin = segment_origin,
                          .create = create_writer,
                          .rewrite = rewrite},
  });
  return kFormat;
}

}  // namespace tracedeck::dial9
