#include "tracedeck/flow/late_events.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {
namespace {

// Losses of two streams, 0 and 1, and what came after all.
class LateEventsTest : public testing::Test {
 protected:
  void lost(std::size_t stream, std::uint64_t events) {
    batch_->add_loss({.stream = &streams_[stream], .events = events});
  }
  void came(std::size_t stream, std::uint64_t events = 1) {
    batch_->add_loss({.stream = &streams_[stream], .events = events, .taken_back = true});
  }
  // What is lost now: events and places.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> missing() {
    late_.look_in(*batch_, [](const DataStream& stream) { return stream.entity; });
    for (const Record& record : batch_->records()) {
      const EntityId& stream = record.loss->stream->entity;
      if (record.loss->taken_back) {
        const LateEvents::Came came = late_.come(stream, *record.loss->events);
        events_ -= came.events;
        places_ -= came.places;
        continue;
      }
      const std::uint64_t events = late_.lose(stream, *record.loss->events);
      events_ += events;
      places_ += events == 0 ? 0 : 1;
      reported_ += events == 0 ? 0 : 1;
    }
    batch_ = std::make_unique<Batch>();
    return {events_, places_};
  }
  // Places that were lost at some time.
  [[nodiscard]] std::uint64_t reported() const { return reported_; }

 private:
  std::vector<DataStream> streams_ = {{.entity = {.trace = 1, .ordinal = 0}},
                                      {.entity = {.trace = 1, .ordinal = 1}}};
  std::unique_ptr<Batch> batch_ = std::make_unique<Batch>();
  LateEvents late_;
  std::uint64_t events_ = 0;
  std::uint64_t places_ = 0;
  std::uint64_t reported_ = 0;
};

using Missing = std::pair<std::uint64_t, std::uint64_t>;

TEST_F(LateEventsTest, WhatComesInTheSameBatchWasNotLost) {
  lost(0, 2);
  came(0);
  came(0);
  EXPECT_EQ(missing(), Missing(0, 0));
  EXPECT_EQ(reported(), 0U);
}

TEST_F(LateEventsTest, WhatCameBeforeItWasCalledLostIsNot) {
  came(0);
  lost(0, 1);
  EXPECT_EQ(missing(), Missing(0, 0));
  came(0);
  EXPECT_EQ(missing(), Missing(0, 0));
  lost(0, 3);
  EXPECT_EQ(missing(), Missing(2, 1));
}

TEST_F(LateEventsTest, WhatComesInALaterBatchIsTakenOff) {
  lost(0, 1);
  lost(0, 1);
  EXPECT_EQ(missing(), Missing(2, 2));
  came(0);
  EXPECT_EQ(missing(), Missing(1, 1));
  came(0);
  EXPECT_EQ(missing(), Missing(0, 0));
}

TEST_F(LateEventsTest, WhatWasLostOfAnotherStreamIsLost) {
  lost(0, 1);
  came(1);
  EXPECT_EQ(missing(), Missing(1, 1));
}

TEST_F(LateEventsTest, AsManyAsCameMayBeOthersThanThoseOfTheBatch) {
  lost(0, 1);
  EXPECT_EQ(missing(), Missing(1, 1));
  came(0);
  lost(0, 1);
  EXPECT_EQ(missing(), Missing(1, 1));
  EXPECT_EQ(reported(), 2U);
}

}  // namespace
}  // namespace tracedeck::flow
