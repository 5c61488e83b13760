// Any bytes as a partial answer: what is sound is merged twice and answered in each way that
// answers are written, and all else is refused as a whole. Bytes that are no file are a question, a
// line end, and a portion of its state, so that no hash keeps them from being read.

#include "tracedeck/query/partial.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tracedeck/query/answers.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file

void require(bool holds) {
  if (!holds) std::abort();
}

std::unique_ptr<query::RowSink> answer(char way, io::Output& output, const query::Query& query) {
  if (way == 't') return query::text_answer(output, query, {});
  return way == 'j' ? query::json_answer(output, query) : query::csv_answer(output, query);
}

void finish(query::Query& query, char way, const std::string& answered) {
  require(query.finish().has_value());
  require(!query::counts_text(query.counts()).empty());
  if (way != 'j') return;
  // A line a row, an object each.
  for (std::size_t at = 0; at < answered.size(); at = answered.find('\n', at) + 1)
    require(answered[at] == '{');
}

void merge_file(ByteSpan bytes, char way) {
  std::string answered;
  const auto output = io::memory_output(answered);
  query::PartialMerge merge([&](const query::Query& query) { return answer(way, *output, query); });
  for (int i = 0; i < 2; ++i) {
    const auto input = io::memory_input("fuzz", bytes, 100);
    if (!merge.add(*input)) require(merge.query() == nullptr);
  }
  if (merge.query() == nullptr) return;
  require(merge.query()->counts().partial_answers % 2 == 0);
  finish(*merge.query(), way, answered);
}

void merge_portion(ByteSpan bytes, char way) {
  const auto line_end = std::ranges::find(bytes, std::uint8_t{'\n'});
  if (line_end == bytes.end()) return;
  const auto size = static_cast<std::size_t>(line_end - bytes.begin());
  const std::string question(reinterpret_cast<const char*>(bytes.data()), size);
  const ByteSpan portion = bytes.subspan(size + 1);
  const auto parsed = query::Query::parse(question);
  if (!parsed || !(*parsed)->adds_up()) return;
  query::Query& query = **parsed;
  std::string answered;
  const auto output = io::memory_output(answered);
  query.answer_to(answer(way, *output, query));
  if (!query.understands(portion)) return;
  for (int i = 0; i < 2; ++i) require(query.merge(portion).has_value());
  // What it knows now is understood again.
  require(query
              .encode([&](std::string_view made) -> Result<void> {
                require(query.understands(as_bytes(made)));
                return {};
              })
              .has_value());
  finish(query, way, answered);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char way : {'t', 'j', 'c'}) {
    merge_file({data, size}, way);
    merge_portion({data, size}, way);
  }
  return 0;
}
