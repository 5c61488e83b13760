#include "tracedeck/lower/stored_streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

// Batches, then an error if one is given.
class FakeSource final : public RecordSource {
 public:
  FakeSource(std::deque<BatchPtr> batches, std::optional<Error> error)
      : batches_(std::move(batches)), error_(std::move(error)) {}

  Result<BatchPtr> next() override {
    if (batches_.empty()) {
      if (error_) return std::unexpected(*error_);
      return nullptr;
    }
    BatchPtr batch = std::move(batches_.front());
    batches_.pop_front();
    return batch;
  }

 private:
  std::deque<BatchPtr> batches_;
  std::optional<Error> error_;
};

// Of events at the given times, in batches of two.
class FakeReader final : public Reader {
 public:
  FakeReader()
      : description_(std::make_shared<TraceDescription>("made up", "made up", "")),
        event_class_(description_->add_event_class(
            {.name_space = {}, .uid = {}, .clock = &description_->add_clock({})})) {}

  void add_stream(const std::vector<std::uint64_t>& times, std::optional<Error> error = {}) {
    std::deque<BatchPtr> batches;
    for (std::size_t i = 0; i < times.size(); i += 2) {
      auto batch = std::make_shared<Batch>(std::size_t{0});
      batch->reserve(2);
      for (std::size_t at = i; at < std::min(i + 2, times.size()); ++at)
        batch->add_event({.event_class = &event_class_, .time = times[at], .end_time = times[at]});
      batches.push_back(std::move(batch));
    }
    streams_.push_back(std::make_unique<FakeSource>(std::move(batches), std::move(error)));
  }

  Result<BatchPtr> next() override { return streams_.front()->next(); }
  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return description_;
  }
  std::vector<std::unique_ptr<RecordSource>> take_streams() override {
    return std::exchange(streams_, {});
  }

 private:
  std::shared_ptr<TraceDescription> description_;
  const EventClass& event_class_;
  std::vector<std::unique_ptr<RecordSource>> streams_;
};

// Times of the records until there is none.
std::string times(StoredStreams& streams) {
  std::string text;
  while (const Record* const record = streams.next()) {
    text += std::to_string(record->event.time) + " ";
    streams.pass();
  }
  return text;
}

TEST(StoredStreams, AreInTheOrderOfTime) {
  FakeReader reader;
  reader.add_stream({1, 4, 5, 9});
  reader.add_stream({2, 4, 6});
  reader.add_stream({});
  OutputBatch output;
  StoredStreams streams(reader, true, output);
  EXPECT_EQ(times(streams), "1 2 4 4 5 6 9 ");
  EXPECT_TRUE(streams.ended());
  EXPECT_FALSE(streams.failure());
}

TEST(StoredStreams, OneThatWaitsIsNotReadOn) {
  FakeReader reader;
  reader.add_stream({3, 5, 7, 8});
  reader.add_stream({1, 2, 6});
  OutputBatch output;
  StoredStreams streams(reader, true, output);
  ASSERT_EQ(streams.next()->event.time, 1U);
  const std::size_t waits = streams.wait();
  ASSERT_EQ(streams.next()->event.time, 3U);
  streams.pass();
  ASSERT_EQ(streams.next()->event.time, 5U);
  // It comes before the record at hand, and so does all in it that is earlier.
  streams.resume(waits);
  EXPECT_EQ(times(streams), "1 2 5 6 7 8 ");
  EXPECT_TRUE(streams.ended());
}

TEST(StoredStreams, OneThatWaitsAtTheEnd) {
  FakeReader reader;
  reader.add_stream({3});
  reader.add_stream({1, 2});
  OutputBatch output;
  StoredStreams streams(reader, true, output);
  ASSERT_EQ(streams.next()->event.time, 1U);
  const std::size_t waits = streams.wait();
  EXPECT_EQ(times(streams), "3 ");
  EXPECT_TRUE(streams.ended());
  streams.resume(waits);
  EXPECT_FALSE(streams.ended());
  EXPECT_EQ(times(streams), "1 2 ");
  EXPECT_TRUE(streams.ended());
}

TEST(StoredStreams, WhatComesBehindIsKnownOfOneAlone) {
  FakeReader reader;
  reader.add_stream({3, 5});
  reader.add_stream({1, 2, 4});
  OutputBatch output;
  StoredStreams streams(reader, true, output);
  ASSERT_EQ(streams.next()->event.time, 1U);
  // Another has its turn somewhere among them.
  EXPECT_TRUE(streams.behind().empty());
  const std::size_t waits = streams.wait();
  ASSERT_EQ(streams.next()->event.time, 3U);
  ASSERT_EQ(streams.behind().size(), 1U);
  EXPECT_EQ(streams.behind().front().event.time, 5U);
  streams.pass(2);
  EXPECT_EQ(streams.next(), nullptr);
  streams.resume(waits);
  EXPECT_EQ(times(streams), "1 2 4 ");
}

TEST(StoredStreams, OneAloneIsHandedOnBeforeMoreIsRead) {
  FakeReader reader;
  reader.add_stream({5, 3, 4});
  OutputBatch output;
  StoredStreams streams(reader, false, output);
  std::size_t batches = 0;
  streams.on_batch([&] { ++batches; });
  for (int i = 0; i < 2; ++i) {
    const Record* const record = streams.next();
    ASSERT_NE(record, nullptr);
    streams.pin();
    output.add(*record);
    streams.pass();
  }
  EXPECT_EQ(streams.next(), nullptr);
  EXPECT_FALSE(streams.ended());
  const BatchPtr taken = output.take();
  streams.begin_output();
  EXPECT_EQ(batches, 1U);
  EXPECT_EQ(times(streams), "4 ");
  EXPECT_EQ(batches, 2U);
}

TEST(StoredStreams, OneThatFailsEndsAll) {
  FakeReader reader;
  reader.add_stream({1, 2}, Error{.code = ErrorCode::kReadFailed, .message = "gone"});
  reader.add_stream({3, 4});
  OutputBatch output;
  StoredStreams streams(reader, true, output);
  EXPECT_EQ(times(streams), "1 2 ");
  ASSERT_TRUE(streams.failure());
  EXPECT_EQ(streams.failure()->message, "gone");
  EXPECT_EQ(streams.next(), nullptr);
}

}  // namespace
}  // namespace tracedeck::lower
