#include "tracedeck/heph/format.hpp"

#include "tracedeck/heph/log_origin.hpp"
#include "tracedeck/heph/model_classes.hpp"
#include "tracedeck/heph/reader.hpp"
#include "tracedeck/heph/rewrite.hpp"
#include "tracedeck/heph/rules.hpp"
#include "tracedeck/heph/wire.hpp"
#include "tracedeck/heph/writer.hpp"

namespace tracedeck::heph {
namespace {

// A magic constant with a size that a packet can have. The magic constants of CTF are these plus
// 10: one byte distinguishes them.
bool recognises(ByteSpan head, bool) {
  if (head.size() < kPrefixSize) return false;
  const std::size_t least = least_size(load_be<std::uint32_t>(head.data()));
  return least != 0 && load_be<std::uint32_t>(head.data() + kSizeOffset) >= least;
}

constexpr PlainProfile kAttributes = {.value_class = value_class,
                                      .common_context = common_context_class};
constexpr TargetProfile kProfile = {.format = "heph",
                                    .plain = &kAttributes,
                                    .longest_name = kMaxLength,
                                    .most_members = std::size_t{1} << 20};

constexpr WriteTarget kTarget = {.name = "heph",
                                 .title = "Heph trace format 0.1.0",
                                 .suffixes = {".heph", ".bin.log"},
                                 .recorded_suffix = ".log",
                                 .options = {"spans", "table", "explain"},
                                 .profile = &kProfile};

}  // namespace

const Format& format() {
  static constexpr Format kFormat({
      .info = {.name = "heph",
               .title = "Heph trace format",
               .versions = "0.1.0",
               .summary = "actor and task spans",
               .file_name_hint = "*.bin.log"},
      .rules = []() -> std::span<const Rule> { return heph::rules(); },
      .targets = std::span(&kTarget, 1),
      .files = FileTraces{.recognises = recognises,
                          .recognition_size = kPrefixSize,
                          .open = open_reader,
                          .origin = log_origin,
                          .create = create_writer,
                          .rewrite = rewrite},
  });
  return kFormat;
}

}  // namespace tracedeck::heph
