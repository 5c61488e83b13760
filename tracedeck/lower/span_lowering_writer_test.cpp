#include "tracedeck/lower/span_lowering_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tracedeck/heph/collect_records_test.hpp"
#include "tracedeck/heph/format.hpp"
#include "tracedeck/heph/trace_bytes_test.hpp"
#include "tracedeck/heph/writer.hpp"

namespace tracedeck::heph {
namespace {

struct Written {
  std::string bytes;
  Receipt receipt;
};

template <class Write>
Written write_with(Write write) {
  Written written;
  const auto output = io::memory_output(written.bytes);
  const TargetProfile& profile = *format().targets().front().profile;
  const auto writer = lower::lower_to_spans(profile, *create_writer(*output, {}));
  write(*writer);
  EXPECT_TRUE(writer->finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  written.receipt = writer->receipt();
  return written;
}

Written write_records(const Records& records) {
  return write_with([&](Writer& writer) {
    for (const BatchPtr& batch : records.batches) {
      for (const Record& record : batch->records()) {
        const Result<void> result = writer.write(record);
        EXPECT_TRUE(result.has_value()) << result.error().to_string();
      }
    }
  });
}

std::vector<std::string> places(const Written& written) {
  std::vector<std::string> all;
  for (const ReceiptEntry& entry : written.receipt)
    all.push_back(entry.event_class + "/" + entry.path + ": " + entry.what);
  return all;
}

TEST(SpanLowering, LeavesWhatTheTargetHasAsItWas) {
  TraceBytes attributes;
  attributes.attribute("u", 1).u64(1).attribute("", 4).text("a\xFF").attribute("u", 0x84).u16(0);
  TraceBytes bytes;
  bytes.epoch(1'610'113'734'118'010'000).option("zone", "UTC\xFF");
  for (std::uint64_t i = 0; i < 5; ++i)
    bytes.event({i % 2 * 7, i + 100, i, 1000 * i, 1000 * i + i}, "rich", attributes);
  const Written written = write_records(read_bytes(bytes.bytes()));
  EXPECT_EQ(places(written), std::vector<std::string>());
  EXPECT_EQ(written.bytes, as_text(bytes.bytes()));
}

TEST(SpanLowering, NamesALaterEpochThatItLeavesOut) {
  TraceBytes bytes;
  bytes.epoch(1'610'113'734'118'010'000).event({1, 100, 0, 10, 20}, "work", {});
  bytes.epoch(1'610'113'735'118'010'000).event({1, 101, 0, 10, 20}, "work", {});
  const Records records = read_bytes(bytes.bytes());
  const Written written = write_records(records);
  ASSERT_EQ(written.receipt.size(), 1U);
  EXPECT_EQ(written.receipt[0].path, "environment.epoch");
  EXPECT_TRUE(written.receipt[0].lossy);
  EXPECT_TRUE(same_events(records, read_bytes(as_bytes(written.bytes))));
}

// A class of another format with one field of every kind, and an event of it.
class ForeignTrace {
 public:
  ForeignTrace() {
    ClockClass& clock = description_.add_clock(
        {.tick = {2, 1}, .offset_seconds = 10, .origin = ClockOrigin::kUnixEpoch});
    DataStreamClass& stream_class = description_.add_stream_class(
        {.default_clock = &clock,
         .common_context = make_field_class(
             StructureClass{.members = {{.name = "cpu", .field_class = integer()}}})});
    stream_ = {.stream_class = &stream_class, .keys = {{"class", 1}, {"id", 5}}};
    description_.add_environment({.key = "host", .value = "h1"});
    StructureClass payload;
    const auto add = [&](std::string_view name, FieldClass::Kind kind) {
      payload.members.push_back({.name = name, .field_class = make_field_class(std::move(kind))});
    };
    add("flag", BooleanClass{});
    add("state", IntegerClass{.mappings = {{.label = "on", .ranges = {{1, 1}}}}});
    add("wide", IntegerClass{.layout = FixedLayout{.width = 72}});
    add("blob", BlobClass{});
    add("inner", StructureClass{.members = {{.name = "x", .field_class = integer()}}});
    add("list", ArrayClass{.element = make_field_class(IntegerClass{.is_signed = true})});
    add("mixed", ArrayClass{.element = make_field_class(DynamicClass{})});
    add("none", OptionalClass{.value = integer()});
    add("some", OptionalClass{.value = integer()});
    add("map", MapClass{.key = text_class(), .value = text_class()});
    add("small", ArrayClass{.element = integer()});
    class_ = &description_.add_event_class({.id = 42,
                                            .stream_class = &stream_class,
                                            .clock = &clock,
                                            .payload = make_field_class(std::move(payload))});
    const auto text = [](const char* of) {
      return bytes_slot(SlotKind::kString, reinterpret_cast<const std::uint8_t*>(of), 1);
    };
    static constexpr std::uint8_t kWide[] = {1, 0, 0, 0, 0, 0, 0, 0, 2};
    slots_ = {unsigned_slot(3),
              boolean_slot(true),
              unsigned_slot(1),
              bytes_slot(SlotKind::kWideUnsigned, kWide, 9),
              bytes_slot(SlotKind::kBlob, kWide, 2),
              head_slot(SlotKind::kStructure, 0, 1),
              unsigned_slot(7),
              head_slot(SlotKind::kArray, 2, 2),
              signed_slot(-1),
              signed_slot(-2),
              head_slot(SlotKind::kArray, 2, 2),
              unsigned_slot(1),
              text("t"),
              head_slot(SlotKind::kOptional, 0, 0),
              head_slot(SlotKind::kOptional, 1, 1),
              unsigned_slot(8),
              head_slot(SlotKind::kStringMap, 1, 2),
              text("k"),
              text("v"),
              packed_slot(PackedElement::kU8, kWide, 2)};
    event_ = {.event_class = class_,
              .stream = &stream_,
              .time = 5,
              .end_time = 5,
              .slots = slots_.data(),
              .slot_count = static_cast<std::uint32_t>(slots_.size()),
              .common_count = 1};
  }
  [[nodiscard]] const Event& event() const { return event_; }
  [[nodiscard]] const DataStream& stream() const { return stream_; }

 private:
  static FieldClassPtr text_class() { return make_field_class(StringClass{}); }
  static FieldClassPtr integer() { return make_field_class(IntegerClass{}); }

  TraceDescription description_{"test", "other", "1"};
  DataStream stream_;
  const EventClass* class_ = nullptr;
  std::vector<Slot> slots_;
  Event event_;
};

TEST(SpanLowering, WritesOtherFormatsByConventions) {
  const ForeignTrace trace;
  const Loss loss{.stream = &trace.stream(), .events = 3};
  const Written written = write_with([&](Writer& writer) {
    ASSERT_TRUE(writer.write(Record(trace.event())));
    ASSERT_TRUE(writer.write(Record(&loss)));
    ASSERT_TRUE(writer.write(Record(trace.event())));
  });
  TraceBytes attributes;
  attributes.attribute("flag", 1).u64(1);
  attributes.attribute("state", 1).u64(1).attribute("wide", 4).text("0x20000000000000001");
  attributes.attribute("blob", 4).text("0100").attribute("inner.x", 1).u64(7);
  attributes.attribute("list", 0x82).u16(2).u64(~std::uint64_t{0}).u64(~std::uint64_t{1});
  attributes.attribute("mixed", 4).text(R"([{"uint":1},{"string":"t"}])");
  attributes.attribute("some", 1).u64(8).attribute("map", 4).text(R"({"k":"v"})");
  attributes.attribute("small", 0x81).u16(2).u64(1).u64(0).attribute("common.cpu", 1).u64(3);
  const TraceBytes expected = TraceBytes()
                                  .epoch(10'000'000'000)
                                  .option("host", "h1")
                                  .event({5, 0, 0, 10, 10}, "#42", attributes)
                                  .event({5, 4, 0, 10, 10}, "#42", attributes);
  EXPECT_EQ(written.bytes, as_text(expected.bytes()));
  const std::vector<std::string> found = places(written);
  for (const char* const each :
       {"/environment.epoch: the exact environment", "/clock: names of clocks",
        "/clock: lengths of ticks", "/stream: data stream classes and keys of data streams",
        "/common: which fields are of a context", "/loss: exact losses",
        "#42/: identities of classes beside their names", "#42/: that events have no duration",
        "#42/state: labels of enumerations", "#42/blob: exact field classes"})
    EXPECT_NE(std::ranges::find(found, each), found.end()) << each;
}

TEST(SpanLowering, LossesAreCountedAsFarAsTheCountersGo) {
  const ForeignTrace trace;
  const Loss between{.stream = &trace.stream(), .events = 3'000'000'000};
  const Loss behind{.stream = &trace.stream(), .events = 4};
  const Written written = write_with([&](Writer& writer) {
    ASSERT_TRUE(writer.write(Record(trace.event())));
    ASSERT_TRUE(writer.write(Record(&between)));
    ASSERT_TRUE(writer.write(Record(trace.event())));
    ASSERT_TRUE(writer.write(Record(&behind)));
  });
  const auto entry = std::ranges::find(written.receipt, "loss", &ReceiptEntry::path);
  ASSERT_NE(entry, written.receipt.end());
  EXPECT_EQ(entry->count, 2U);
  EXPECT_TRUE(entry->lossy);
  const Records records = read_bytes(as_bytes(written.bytes));
  ASSERT_EQ(records.losses.size(), 1U);
  EXPECT_EQ(records.losses[0].events, 2'147'483'647U);
}

TEST(SpanLowering, CutsWhatIsTooLongAndSaysSo) {
  TraceDescription description("test", "other", "1");
  const DataStreamClass& stream_class = description.add_stream_class({});
  const DataStream stream{.stream_class = &stream_class};
  const std::string long_text = std::string(65'534, 'x') + "\xC3\xBC";
  const EventClass& event_class = description.add_event_class(
      {.name = std::string(70'000, 'n'),
       .stream_class = &stream_class,
       .payload = make_field_class(StructureClass{
           .members = {{.name = "s", .field_class = make_field_class(StringClass{})}}})});
  const Slot slot = bytes_slot(SlotKind::kString, as_bytes(long_text).data(),
                               static_cast<std::uint32_t>(long_text.size()));
  const Written written = write_with([&](Writer& writer) {
    ASSERT_TRUE(writer.write(Record(
        Event{.event_class = &event_class, .stream = &stream, .slots = &slot, .slot_count = 1})));
  });
  const Records records = read_bytes(as_bytes(written.bytes));
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(records.events[0].event_class->name->size(), 65'535U);
  EXPECT_EQ(records.events[0].payload()[0].length, 65'534U) << "not in the middle of a character";
  const auto entry = std::ranges::find_if(written.receipt, [](const ReceiptEntry& each) {
    return each.what.starts_with("ends of strings");
  });
  ASSERT_NE(entry, written.receipt.end());
  EXPECT_EQ(entry->path, "s");
  EXPECT_EQ(entry->count, 1U);
}

}  // namespace
}  // namespace tracedeck::heph
