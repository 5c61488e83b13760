#include "tracedeck/tband/writer.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tracedeck::tband
