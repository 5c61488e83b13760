#include "tracedeck/tband/writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tracedeck/format/collect_records_test.hpp"
#include "tracedeck/tband/reader.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"

namespace tracedeck::tband {
namespace {

// What becomes of the records of a trace, and the receipt.
struct Written {
  Bytes bytes;
  Receipt receipt;
};

Written write(Reader& reader) {
  std::string out;
  const auto output = io::memory_output(out);
  const auto writer = create_writer(*output);
  for (auto batch = reader.next(); batch && *batch != nullptr; batch = reader.next()) {
    for (const Record& record : (*batch)->records()) EXPECT_TRUE(writer->write(record).has_value());
  }
  EXPECT_TRUE(writer->finish().has_value());
  EXPECT_TRUE(output->finish().has_value());
  return {Bytes(out.begin(), out.end()), writer->receipt()};
}

Written rewritten(const Bytes& bytes, const ReadOptions& options = {}) {
  const auto reader = open_reader(io::memory_input("test", bytes), options);
  EXPECT_TRUE(reader.has_value());
  return write(**reader);
}

TEST(Writer, EveryEventIsWrittenAsItWas) {
  Bytes trace = kResolution25;
  std::uint64_t ts = 0;
  for (const EventFacts& facts : kEvents) {
    if (facts.id <= kResolution) continue;
    std::vector<FieldValue> values;
    for (const FieldFacts& field : facts.used_fields())
      values.push_back(field.type == FieldType::kString ? text("a text") : number(3));
    ASSERT_TRUE(encode_event(facts, ts += 10, values, trace).has_value());
  }
  const Written written = rewritten(trace);
  EXPECT_EQ(written.bytes, trace);
  EXPECT_TRUE(written.receipt.empty());
}

// A payload of any length and with zeros anywhere is the COBS encoding of it, and a delimiter.
TEST(Writer, FramesAreTheEncodingOfTheirPayloads) {
  const EventFacts& marker = *find_event("evtmarker");
  std::string plain;
  for (std::size_t size = 0; size < 600; ++size, plain += 'x') {
    for (const std::uint64_t ts : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
      std::string out;
      const auto output = io::memory_output(out);
      const auto writer = create_writer(*output);
      std::string with_zeros = plain;
      for (std::size_t i = size % 7; i < size; i += 1 + i * 2) with_zeros[i] = '\0';
      Bytes wanted;
      for (const std::string& each : {plain, with_zeros}) {
        Bytes payload = {marker.id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        payload.resize(static_cast<std::size_t>(encode_leb128(&payload[1], ts) - payload.data()));
        payload.push_back(9);
        payload.insert(payload.end(), each.begin(), each.end());
        Bytes encoded(cobs_bound(payload.size()));
        encoded.resize(
            static_cast<std::size_t>(cobs_encode(payload, encoded.data()) - encoded.data()));
        wanted = wanted + encoded + Bytes{kCobsDelimiter};
      }
      const EventLayout& layout = kEventTable[marker.id];
      ASSERT_TRUE(writer->put_text(layout, ts, 9, plain).has_value());
      ASSERT_TRUE(writer->put(layout, ts, std::array{number(9), text(with_zeros)}).has_value());
      ASSERT_TRUE(writer->finish().has_value());
      ASSERT_EQ(Bytes(out.begin(), out.end()), wanted) << size << " " << ts;
    }
  }
}

}  // namespace
}  // namespace tracedeck::tband
