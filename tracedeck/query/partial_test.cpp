#include "tracedeck/query/partial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tracedeck/query/answers.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::query {
namespace {

using render::SampleTrace;
using testing::HasSubstr;

class PartialAnswers : public testing::Test {
 protected:
  // The partial answer over events with these values.
  std::string partial(const std::string& question, const std::vector<std::uint64_t>& values,
                      const HashKey& key = DistinctCounter::kUsualKey) {
    auto query = Query::parse(question).value();
    query->set_distinct_key(key);
    query->answer_to(no_answer());
    Batch batch;
    for (const std::uint64_t value : values)
      batch.add_event(trace_.event(class_, 1000 * value, {unsigned_slot(value)}));
    EXPECT_TRUE(query->add(batch));
    std::string bytes;
    const auto output = io::memory_output(bytes);
    EXPECT_TRUE(write_partial_answer(*query, *output) && output->finish());
    return bytes;
  }

  Result<void> add(const std::string& bytes) {
    const auto input = io::memory_input("host.part", as_bytes(bytes), 7);
    return merge_.add(*input);
  }
  std::string refusal(const std::string& bytes) {
    const auto added = add(bytes);
    return added ? "none" : added.error().to_string();
  }
  std::string answer() {
    if (merge_.query() == nullptr) return "none";
    EXPECT_TRUE(merge_.query()->finish());
    return answered_;
  }

  SampleTrace trace_;
  const EventClass& class_ = trace_.add(
      trace_.event_class(0, "Tick", render::structure_class({{"n", render::unsigned_class()}})));
  std::string answered_;
  std::unique_ptr<io::Output> output_ = io::memory_output(answered_);
  PartialMerge merge_{[this](const Query& query) { return csv_answer(*output_, query); }};
};

TEST_F(PartialAnswers, AddUp) {
  ASSERT_TRUE(add(partial("count, sum(n), p50(n) by n % 2 as odd | sort odd desc", {1, 2, 3})));
  ASSERT_TRUE(add(partial("count, sum(n), p50(n) by n % 2 as odd | sort odd desc", {4, 5})));
  EXPECT_EQ(answer(), "odd,count,sum(n),p50(n)\n1,3,9,3\n0,2,6,2\n");
  EXPECT_EQ(merge_.query()->counts().partial_answers, 2U);
  EXPECT_EQ(merge_.query()->counts().read, 5U);
}

TEST_F(PartialAnswers, AreLeftOutAsAWholeWhereAByteIsNotWhatItWas) {
  const std::string sound = partial("count, first(n), avg(n), distinct(n) by n, every 1us", {1, 2});
  ASSERT_TRUE(add(sound));
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::string other = sound;
    other[i] = static_cast<char>(other[i] ^ 0x10);
    EXPECT_FALSE(add(other)) << i;
    EXPECT_FALSE(add(sound.substr(0, i))) << i;
  }
  EXPECT_THAT(refusal(sound + "x"), HasSubstr("host.part:" + std::to_string(sound.size())));
  EXPECT_EQ(merge_.query()->counts().partial_answers, 1U);
}

// Where the blocks of a partial answer begin: behind its head, and at its end.
std::vector<std::size_t> block_places(const std::string& bytes) {
  std::vector<std::size_t> places;
  for (std::size_t at = 9; at < bytes.size();) {
    places.push_back(at);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    at += 12 + size;
  }
  places.push_back(bytes.size());
  return places;
}

TEST_F(PartialAnswers, AreLeftOutWhereABlockIsMissingDoubledOrElsewhere) {
  std::vector<std::uint64_t> values(20'000);
  std::iota(values.begin(), values.end(), 0);
  const std::string sound = partial("count by n", values);
  ASSERT_TRUE(add(sound));
  const std::vector<std::size_t> places = block_places(sound);
  const std::size_t blocks = places.size() - 1;
  ASSERT_GT(blocks, 5U);
  const auto block = [&](std::size_t i) {
    return sound.substr(places[i], places[i + 1] - places[i]);
  };
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::string before = sound.substr(0, places[i]);
    const std::string behind = sound.substr(places[i + 1]);
    EXPECT_FALSE(add(before + behind)) << i;
    EXPECT_FALSE(add(before + block(i) + block(i) + behind)) << i;
    if (i + 1 == blocks) continue;
    EXPECT_FALSE(add(before + block(i + 1) + block(i) + sound.substr(places[i + 2]))) << i;
  }
  // One of another answer to the same question, in the same place.
  values.back() = 30'000;
  const std::string other = partial("count by n", values);
  const std::vector<std::size_t> other_places = block_places(other);
  const std::size_t last = blocks - 2;
  EXPECT_FALSE(add(sound.substr(0, places[last]) +
                   other.substr(other_places[last], other_places[last + 1] - other_places[last]) +
                   sound.substr(places[last + 1])));
  EXPECT_EQ(merge_.query()->counts().partial_answers, 1U);
}

TEST_F(PartialAnswers, AreOfOneKey) {
  const HashKey key{.low = 1, .high = 2};
  const std::string usual = partial("distinct(n)", {1, 2, 3});
  const std::string keyed = partial("distinct(n)", {2, 3, 4}, key);
  ASSERT_TRUE(add(usual));
  EXPECT_THAT(refusal(keyed), HasSubstr("another key for `distinct` than host.part"));
  EXPECT_EQ(answer(), "distinct(n)\n3\n");
  // What is merged keeps the key.
  answered_.clear();
  merge_ = PartialMerge([this](const Query& query) { return csv_answer(*output_, query); }, key);
  EXPECT_THAT(refusal(usual), HasSubstr("than the --partial-key that was given"));
  ASSERT_TRUE(add(keyed));
  std::string merged;
  const auto output = io::memory_output(merged);
  ASSERT_TRUE(write_partial_answer(*merge_.query(), *output) && output->finish());
  answered_.clear();
  merge_ = PartialMerge([this](const Query& query) { return csv_answer(*output_, query); });
  ASSERT_TRUE(add(merged));
  EXPECT_NE(refusal(usual), "none");
  ASSERT_TRUE(add(partial("distinct(n)", {4, 5}, key)));
  EXPECT_EQ(answer(), "distinct(n)\n4\n");
}

TEST_F(PartialAnswers, AreOfOneQuestion) {
  EXPECT_TRUE(add(partial("count by n", {1})));
  EXPECT_TRUE(add(partial(" count  by\nn ", {1})));
  EXPECT_THAT(refusal(partial("count by n | top 1", {1})),
              HasSubstr("one to `count by n | top 1`, and that of host.part to `count by n`"));
  EXPECT_EQ(answer(), "n,count\n1,2\n");
}

TEST_F(PartialAnswers, HoldHistogramsAndTexts) {
  const std::string question = "hist(n), min(name), last(n) by name =~ /T/i as t | where t";
  ASSERT_TRUE(add(partial(question, {1, 2})));
  ASSERT_TRUE(add(partial(question, {2})));
  EXPECT_THAT(answer(), HasSubstr("true,\"[[1.0,1.0078125,1],[2.0,2.015625,2]]\",Tick,2"));
}

TEST_F(PartialAnswers, AnAnswerByNowLeavesTheQueryAsItIs) {
  auto query = Query::parse("where n > 1 | count by n | top 1 by n").value();
  query->answer_to(csv_answer(*output_, *query));
  for (const std::uint64_t value : {2U, 3U}) {
    Batch batch;
    batch.add_event(trace_.event(class_, value, {unsigned_slot(value)}));
    ASSERT_TRUE(query->add(batch));
    std::string now;
    const auto output = io::memory_output(now);
    ASSERT_TRUE(answer_by_now(*query, [&](const Query& of) { return csv_answer(*output, of); }));
    EXPECT_EQ(now, "n,count\n" + std::to_string(value) + ",1\n");
  }
  ASSERT_TRUE(query->finish());
  EXPECT_EQ(answered_, "n,count\n3,1\n");
}

TEST_F(PartialAnswers, AreOfAggregatesOnly) {
  for (const auto& [question, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"select n", "this query has none"},
           {"where n > 1", "this query has none"},
           {"limit 3 | count", "about all events together\n    limit 3 | count\n    ^^^^^^^"},
           {"select n | top 3 | count", "about all events together"},
       }) {
    const auto adds_up = Query::parse(question).value()->adds_up();
    ASSERT_FALSE(adds_up);
    EXPECT_THAT(adds_up.error().message, HasSubstr(sentence));
  }
  for (const char* const question : {"pair A B on n | where duration > 5 | count by n | limit 1",
                                     "select n as m, time | rate every 1s | count"})
    EXPECT_TRUE(Query::parse(question).value()->adds_up());
}

}  // namespace
}  // namespace tracedeck::query
