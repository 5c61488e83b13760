#include "tracedeck/tband/format.hpp"

#include <utility>

#include "tracedeck/tband/reader.hpp"
#include "tracedeck/tband/recognise.hpp"
#include "tracedeck/tband/rewrite.hpp"
#include "tracedeck/tband/rules.hpp"
#include "tracedeck/tband/stream_origin.hpp"
#include "tracedeck/tband/value_naming.hpp"
#include "tracedeck/tband/writer.hpp"

namespace tracedeck::tband {
namespace {

Result<std::unique_ptr<Writer>> create(io::Output& output, const WriteOptions&) {
  return create_writer(output);
}

// Titles are in ASCII: the man page and the completions have them.
constexpr PlainProfile kFixedClasses = {};
constexpr TargetProfile kProfile = {.format = "tband", .plain = &kFixedClasses};

constexpr WriteTarget kTarget = {.name = "tband",
                                 .title = "Tonbandgeraet binary trace format",
                                 .suffixes = {".tband"},
                                 .recorded_suffix = ".bin",
                                 .profile = &kProfile};

}  // namespace

const Format& format() {
  static constexpr Format kFormat({
      .info = {.name = "tband",
               .title = "Tonbandgeraet binary trace format",
               .versions = "unversioned",
               .summary = "tracer of embedded systems and FreeRTOS",
               .file_name_hint = "*.bin, FILE@CORE",
               // Each frame ends with a delimiter, wherever that stands.
               .frames_span_datagrams = true,
               .clock_restarts = true,
               .untimely_event = "core_id"},
      .rules = []() -> std::span<const Rule> { return tband::rules(); },
      .targets = std::span(&kTarget, 1),
      .files = FileTraces{.recognises = recognises,
                          .recognition_size = kRecognitionSize,
                          .recognises_live = false,
                          .open = open_reader,
                          .open_cores = open_reader,
                          .origin = stream_origin,
                          .create = create,
                          .rewrite = rewrite},
      .value_naming = value_naming,
  });
  return kFormat;
}

}  // namespace tracedeck::tband
