// Descriptions of the reference traces as texts and back.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/formats.hpp"
#include "tracedeck/io/reference_traces_test.hpp"
#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/description_text.hpp"
#include "tracedeck/lower/same_description_test.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::lower {
namespace {

// Data streams by their ordinals.
using Streams = std::map<std::uint64_t, const DataStream*>;

// Reads as far as there are events. `kept`: what holds the streams.
Streams read_through(Reader& reader, std::vector<BatchPtr>& kept) {
  Streams streams;
  for (;;) {
    const auto batch = reader.next();
    if (!batch || *batch == nullptr) return streams;
    const std::size_t before = streams.size();
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kStreamBegin)
        streams.emplace(record.stream->entity.ordinal, record.stream);
    }
    if (streams.size() != before) kept.push_back(*batch);
  }
}

void expect_back(Reader& trace, const std::string& name) {
  std::vector<BatchPtr> kept;
  const Streams streams = read_through(trace, kept);
  const TraceDescription& description = *trace.description();
  DescriptionReader reader("again");
  std::vector<std::string> texts = texts_of(description);
  for (const auto& [ordinal, stream] : streams) texts.push_back(text_of(*stream));
  for (const std::string& text : texts) {
    const auto added = reader.add(text);
    ASSERT_TRUE(added.has_value()) << name << ": " << added.error().to_string();
  }
  EXPECT_TRUE(same_description(description, *reader.description())) << name;
  for (const auto& [ordinal, stream] : streams) {
    const auto again = reader.data_stream(ordinal);
    EXPECT_TRUE(again->keys.size() == stream->keys.size() && again->file == stream->file) << name;
  }
}

class ReferenceTexts : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceTexts, BringDescriptionsBack) {
  const std::string_view format = GetParam();
  const auto folder = reference_traces(format);
  if (const std::string why = missing(folder); !why.empty()) GTEST_SKIP() << why;
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool is_ctf = format == "ctf";
    if (!entry.is_regular_file() || is_ctf != (entry.path().filename() == "metadata")) continue;
    const auto path = is_ctf ? entry.path().parent_path() : entry.path();
    auto found = find_traces(path.string(), find_format(format));
    if (!found) continue;
    for (FoundTrace& each : found->traces) {
      const auto reader = open_found(std::move(each));
      if (!reader) continue;
      expect_back(**reader, path.string());
      ++traces;
    }
  }
  EXPECT_GT(traces, 10U);
}

INSTANTIATE_TEST_SUITE_P(Formats, ReferenceTexts, testing::Values("ctf", "dial9", "heph", "tband"));

}  // namespace
}  // namespace tracedeck::lower
