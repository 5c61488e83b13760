// Random traces of the model, written as every target there is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/comparison/equal_traces.hpp"
#include "tracedeck/comparison/named_differences_test.hpp"
#include "tracedeck/flow/random_trace_test.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/io/support_test.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/render/json_lines.hpp"

namespace tracedeck {
namespace {

struct WrittenTrace {
  Written written;
  Receipt receipt;
};

// Writes all records, those that the target refuses counted, and what is known of a trace without
// any. `trace` may be null.
Result<WrittenTrace> write_all(RecordSource& source, Writer& writer,
                               const TraceDescription* trace) {
  WrittenTrace result;
  for (;;) {
    const auto batch = source.next();
    if (!batch) return std::unexpected(batch.error());
    if (*batch == nullptr) break;
    if (auto done = writer.write_batch(**batch, result.written); !done)
      return std::unexpected(std::move(done.error()));
  }
  if (trace != nullptr && trace->stream_count() == 0) {
    if (auto done = writer.describe(*trace); !done) return std::unexpected(std::move(done.error()));
  }
  if (auto done = writer.finish(); !done) return std::unexpected(std::move(done.error()));
  result.receipt = writer.receipt();
  return result;
}

Result<WrittenTrace> write_trace(RecordSource& source, const FoundTarget& found,
                                 const std::string& path, const TraceDescription* trace = nullptr,
                                 std::string_view version = {}) {
  const OutputKind& kind = *find_output(found.target->name);
  if (!found.target->directory) {
    auto output = io::create_file(path);
    if (!output) return std::unexpected(std::move(output.error()));
    auto writer = create_writer(kind, **output, {.write = {.version = std::string(version)}});
    if (!writer) return std::unexpected(std::move(writer.error()));
    auto result = write_all(source, **writer, trace);
    if (auto done = (*output)->finish(); !done) return std::unexpected(std::move(done.error()));
    return result;
  }
  auto output = io::OutputDirectory::create(path);
  if (!output) return std::unexpected(std::move(output.error()));
  auto writer = create_writer(kind, **output, {});
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto result = write_all(source, **writer, trace);
  writer->reset();
  if (auto done = (*output)->finish(); !done) return std::unexpected(std::move(done.error()));
  return result;
}

// How many events a trace has that can be read without a problem.
std::uint64_t sound_events(const std::string& path, const Format& format) {
  const auto reader = open_trace(path, {}, &format);
  if (!reader) RC_FAIL(reader.error().to_string());
  std::uint64_t events = 0;
  for (;;) {
    const auto batch = (*reader)->next();
    if (!batch) RC_FAIL(batch.error().to_string());
    if (*batch == nullptr) return events;
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kProblem) RC_FAIL(record.notice->finding.text);
      if (record.kind == RecordKind::kEvent) ++events;
    }
  }
}

WrittenTrace written_as(const FoundTarget& target, const flow::MadeTrace& trace,
                        const std::string& path, std::string_view version = {}) {
  FakeSource source(trace.batches());
  auto written = write_trace(source, target, path, nullptr, version);
  if (!written) RC_FAIL(written.error().to_string());
  return *std::move(written);
}

void check_target(std::string_view name) {
  const FoundTarget found = find_target(name);
  const flow::MadeTrace trace(flow::plan_of(*flow::gen_trace()));
  const io::TemporaryFolder folder;
  const std::string path = folder.file("out");
  const WrittenTrace written = written_as(found, trace, path);
  if (written.written.refused != 0) RC_LOG() << written.written.first_refusal << '\n';
  RC_ASSERT(written.written.refused == 0U);
  RC_ASSERT(sound_events(path, *found.format) >= written.written.events);
}

std::unique_ptr<Reader> opened(const std::string& path, const Format& format) {
  auto reader = open_trace(path, {}, &format);
  if (!reader) RC_FAIL(reader.error().to_string());
  return std::move(*reader);
}

void check_equal(const Result<comparison::Comparison>& compared, const Receipt& receipt) {
  if (!compared) RC_FAIL(compared.error().to_string());
  for (const comparison::Difference& each : compared->differences.found()) {
    RC_LOG() << kind_name(each.key.kind) << ' ' << each.key.class_name << ' ' << each.key.path
             << ' ' << each.key.what << ": " << each.left << " | " << each.right << '\n';
  }
  for (const ReceiptEntry& each : receipt) RC_LOG() << each.what << ": " << each.done << '\n';
  RC_ASSERT(compared->equal());
}

// Whether all that is lost is in heads of packets that have bookkeeping inside.
bool loses_heads_alone(const Receipt& receipt) {
  return std::ranges::all_of(receipt, [](const ReceiptEntry& each) {
    return !each.lossy || each.path == "packet.bookkeeping";
  });
}

// What was lowered for a target is read as it was before.
void check_restored(std::string_view name, std::string_view version = {}) {
  const FoundTarget found = find_target(name);
  const flow::MadeTrace trace(flow::plan_of(*flow::gen_trace()));
  const io::TemporaryFolder folder;
  const std::string path = folder.file("out");
  const WrittenTrace written = written_as(found, trace, path, version);
  RC_ASSERT(loses_heads_alone(written.receipt));
  FakeSource original(trace.batches());
  const auto restored = opened(path, *found.format);
  auto compared = comparison::equal_traces({original, trace.description()},
                                           {*restored, restored->description()});
  if (std::ranges::any_of(written.receipt, &ReceiptEntry::lossy)) {
    RC_ASSERT(compared.has_value());
    for (const comparison::Difference& each : compared->differences.found())
      RC_ASSERT(comparison::names(written.receipt, each.key));
  } else {
    check_equal(compared, written.receipt);
  }
}

// All records of a trace as lines, without where they lie in the file.
std::string lines_of(const std::string& path, const Format& format) {
  const auto reader = opened(path, format);
  std::string lines;
  const auto output = io::memory_output(lines);
  const auto writer = render::json_lines_writer(*output, {.all_records = true});
  Written written;
  for (;;) {
    const auto batch = reader->next();
    if (!batch) RC_FAIL(batch.error().to_string());
    if (*batch == nullptr) break;
    if (auto done = writer->write_batch(**batch, written); !done) RC_FAIL(done.error().to_string());
  }
  if (auto done = writer->finish(); !done) RC_FAIL(done.error().to_string());
  return lines;
}

// Results that were appended to each other are read one after the other, each by its own
// description.
void check_appended(std::string_view name) {
  const FoundTarget found = find_target(name);
  const io::TemporaryFolder folder;
  std::string all;
  std::string bytes;
  for (const std::string part : {"one", "two", "three"}) {
    const flow::MadeTrace trace(flow::plan_of(*flow::gen_trace()));
    const std::string path = folder.file(part);
    written_as(found, trace, path);
    all += lines_of(path, *found.format);
    std::ifstream file(path, std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  const std::string path = folder.file("all");
  std::ofstream(path, std::ios::binary) << bytes;
  RC_ASSERT(lines_of(path, *found.format) == all);
}

// What a target wrote is all that it can hold: written once more it is the same.
void check_again(std::string_view name) {
  const FoundTarget found = find_target(name);
  const flow::MadeTrace trace(flow::plan_of(*flow::gen_trace()));
  const io::TemporaryFolder folder;
  FakeSource source(trace.batches());
  if (!write_trace(source, found, folder.file("once"))) RC_FAIL("not written");
  const auto once = opened(folder.file("once"), *found.format);
  const auto written = write_trace(*once, found, folder.file("twice"), once->description().get());
  if (!written) RC_FAIL(written.error().to_string());
  const auto compared = comparison::equal_traces(*opened(folder.file("once"), *found.format),
                                                 *opened(folder.file("twice"), *found.format));
  check_equal(compared, written->receipt);
  RC_ASSERT(std::ranges::none_of(written->receipt, &ReceiptEntry::lossy));
}

// What a target that is poorer does not hold, its receipt names.
void check_named(std::string_view name) {
  const FoundTarget found = find_target(name);
  const flow::MadeTrace trace(flow::plan_of(*flow::gen_trace()));
  const io::TemporaryFolder folder;
  const std::string path = folder.file("out");
  const WrittenTrace written = written_as(found, trace, path);
  FakeSource original(trace.batches());
  const auto read = opened(path, *found.format);
  const auto compared = comparison::equal_traces(
      {original, trace.description()}, {*read, read->description()}, {.most_kinds = 100'000});
  if (!compared) RC_FAIL(compared.error().to_string());
  for (const comparison::Difference& each : compared->differences.found()) {
    if (comparison::names(written.receipt, each.key)) continue;
    RC_LOG() << kind_name(each.key.kind) << " '" << each.key.class_name << "' '" << each.key.path
             << "' " << each.key.what << ": " << each.left << " | " << each.right << '\n';
    for (const ReceiptEntry& entry : written.receipt)
      RC_LOG() << entry.event_class << '/' << entry.path << ' ' << entry.what << '\n';
    RC_FAIL("a difference that the receipt does not name");
  }
}

RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsDial9, ()) { check_target("dial9"); }
RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsHeph, ()) { check_target("heph"); }
RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsTband, ()) { check_target("tband"); }
RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsCtf1, ()) { check_target("ctf1"); }
RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsCtf2, ()) { check_target("ctf2"); }
RC_GTEST_PROP(RandomTraceWritten, IsReadWithoutAProblemAsCtf2rc, ()) { check_target("ctf2rc"); }

RC_GTEST_PROP(RandomTraceWritten, ComesBackFromDial9, ()) { check_restored("dial9"); }
RC_GTEST_PROP(RandomTraceWritten, ComesBackFromDial9WithLists, ()) {
  check_restored("dial9", "0.4");
}
RC_GTEST_PROP(RandomTraceWritten, ComesBackFromCtf1, ()) { check_restored("ctf1"); }
RC_GTEST_PROP(RandomTraceWritten, ComesBackFromCtf2, ()) { check_restored("ctf2"); }
RC_GTEST_PROP(RandomTraceWritten, ComesBackFromCtf2rc, ()) { check_restored("ctf2rc"); }

RC_GTEST_PROP(RandomTraceWritten, AllDifferencesAreNamedAsHeph, ()) { check_named("heph"); }
RC_GTEST_PROP(RandomTraceWritten, AllDifferencesAreNamedAsTband, ()) { check_named("tband"); }

RC_GTEST_PROP(RandomTraceWritten, AppendedComesBackFromDial9, ()) { check_appended("dial9"); }

RC_GTEST_PROP(RandomTraceWritten, AgainIsEqualAsDial9, ()) { check_again("dial9"); }
RC_GTEST_PROP(RandomTraceWritten, AgainIsEqualAsHeph, ()) { check_again("heph"); }
RC_GTEST_PROP(RandomTraceWritten, AgainIsEqualAsTband, ()) { check_again("tband"); }

}  // namespace
}  // namespace tracedeck
