#include "tracedeck/ctf/format.hpp"

#include <array>
#include <vector>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/bare_stream.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/ctf/metadata/tsdl_metadata_writer.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"
#include "tracedeck/ctf/reader.hpp"
#include "tracedeck/ctf/rewrite.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/ctf/write/target_trace.hpp"
#include "tracedeck/ctf/write/writer.hpp"

namespace tracedeck::ctf {
namespace {

std::span<const Rule> all_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> all;
    for (const auto part :
         {metadata_rules(Dialect::kRc3), tsdl_rules(), stream_rules(Dialect::kRc3)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kRules;
}

using Form = IntegerClass::Form;

template <Dialect dialect>
bool holds(const EventClass& event_class) {
  const TraceDescription& trace = *event_class.stream_class->trace;
  return trace.format() == "ctf" && trace.version() == trace_version(dialect);
}

Form rc3_form(const IntegerClass& integer) {
  if (integer.form == Form::kBitMap) return Form::kBitArray;
  const bool is_number = integer.form == Form::kAddress ||
                         (integer.form == Form::kEnumeration && integer.mappings.empty());
  return is_number ? Form::kNumber : integer.form;
}

Form final_form(const IntegerClass& integer) {
  const bool is_variable = std::holds_alternative<Leb128Layout>(integer.layout);
  const bool is_number =
      integer.form == Form::kAddress || (integer.form == Form::kBitArray && is_variable);
  return is_number ? Form::kNumber : integer.form;
}

Form ctf1_form(const IntegerClass& integer) {
  const bool has_labels = integer.form == Form::kEnumeration && !integer.mappings.empty();
  return has_labels ? Form::kEnumeration : Form::kNumber;
}

bool is_any_name(std::string_view) { return true; }

// As the writer decides it.
template <Dialect dialect>
bool keeps_heads(const TraceDescription& trace) {
  if (trace.stream_classes().empty()) return true;
  Adaptations adaptations;
  const auto metadata =
      metadata_writer(dialect, [](std::string_view) -> Result<void> { return {}; });
  TargetTrace target(dialect, true, adaptations, *metadata);
  const DataStreamClass& first = trace.stream_classes()[0];
  const auto made = target.stream_class({.entity = first.entity, .stream_class = &first});
  return made && target.keeps_heads();
}

constexpr NestedProfile kRc3 = {.format = "ctf",
                                .integer_form = rc3_form,
                                .member_name = repaired_utf8,
                                .is_option_name = is_any_name,
                                .keeps_heads = keeps_heads<Dialect::kRc3>};
constexpr NestedProfile kFinal = {.format = "ctf",
                                  .encodings = true,
                                  .integer_form = final_form,
                                  .member_name = repaired_utf8,
                                  .is_option_name = is_any_name,
                                  .keeps_heads = keeps_heads<Dialect::kFinal>};
constexpr NestedProfile kEarlierCtf1 = {.format = "ctf",
                                        .booleans = false,
                                        .blobs = false,
                                        .optionals = false,
                                        .attributes = false,
                                        .all_numbers = false,
                                        .outer_locations = false,
                                        .clocks_for_all = true,
                                        .selects_by_label = true,
                                        .integer_form = ctf1_form,
                                        .member_name = tsdl_identifier,
                                        .is_option_name = is_tsdl_name,
                                        .keeps_heads = keeps_heads<Dialect::kCtf1>};
// What babeltrace2 2.0 reads of CTF 1.8.
constexpr NestedProfile kCtf1 = [] {
  NestedProfile profile = kEarlierCtf1;
  profile.selector_beside = true;
  profile.underscores_vanish = true;
  profile.fixed_specific_context = true;
  profile.earlier = &kEarlierCtf1;
  return profile;
}();

template <Dialect dialect>
constexpr TargetProfile profile(const NestedProfile& nested) {
  return {.format = "ctf",
          .version = trace_version(dialect),
          .marks = nested.attributes ? "attributes `tracedeck` of classes"
                                     : "entries `tracedeck_mark_*` of the environment",
          .holds = holds<dialect>,
          .nested = &nested};
}
constexpr TargetProfile kRc3Profile = profile<Dialect::kRc3>(kRc3);
constexpr TargetProfile kFinalProfile = profile<Dialect::kFinal>(kFinal);
constexpr TargetProfile kCtf1Profile = profile<Dialect::kCtf1>(kCtf1);

constexpr std::array<WriteTarget, 3> kTargets = {{
    {.name = "ctf2rc",
     .title = "CTF2-SPECRC-3.0",
     .directory = true,
     .suffixes = {".ctf2rc"},
     .options = {"packet-size"},
     .profile = &kRc3Profile},
    {.name = "ctf2",
     .title = "CTF2-SPEC-2.0",
     .directory = true,
     .suffixes = {".ctf2"},
     .options = {"packet-size"},
     .profile = &kFinalProfile},
    {.name = "ctf1",
     .title = "CTF 1.8",
     .directory = true,
     .suffixes = {".ctf1"},
     .options = {"packet-size"},
     .profile = &kCtf1Profile},
}};

Result<void> write_text(const TraceDescription& description, const EachEventClass& event_classes,
                        std::string_view target, io::Output& output) {
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    if (target == target_name(dialect))
      return write_metadata_text(description, event_classes, dialect, output);
  }
  return fail(ErrorCode::kUnsupported, "no CTF target is called " + std::string(target));
}

}  // namespace

const Format& format() {
  static constexpr Format kFormat({
      .info = {.name = "ctf",
               .title = "Common Trace Format",
               .versions = "CTF2-SPECRC-3.0, CTF2-SPEC-2.0, 1.8",
               .summary = "kernel, user space and bare metal traces",
               .file_name_hint = "",
               .directory_hint = "a file named metadata",
               .classes_first = true,
               .packets_apart = true},
      .rules = all_rules,
      .targets = kTargets,
      // Bare data streams: nothing in them shows what they are, nor is any trace written as one.
      .files = FileTraces{.recognises = [](ByteSpan, bool) { return false; },
                          .recognises_live = false,
                          .open = open_bare_stream},
      .directories = DirectoryTraces{.recognises = is_trace_directory,
                                     .identity = trace_identity,
                                     .open = open_reader,
                                     .create = create_writer,
                                     .rewrite = rewrite},
      .metadata_text = write_text,
  });
  return kFormat;
}

}  // namespace tracedeck::ctf
