#include "tracedeck/flow/split.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {
namespace {

// A letter for each record that it is given: of events the name, ( and ) where streams begin and
// end, . at its end.
class LetterWriter final : public Writer {
 public:
  explicit LetterWriter(std::string& into) : into_(into) {}

  Result<void> write(const Record& record) override {
    if (record.kind == RecordKind::kEvent) into_ += record.event.event_class->name.value();
    if (record.kind == RecordKind::kStreamBegin) into_ += '(';
    if (record.kind == RecordKind::kStreamEnd) into_ += ')';
    if (record.kind == RecordKind::kLoss) into_ += '!';
    return {};
  }
  Result<void> finish() override {
    into_ += '.';
    return {};
  }
  [[nodiscard]] Receipt receipt() const override {
    return {{.what = "thing", .done = "left out", .count = 1}};
  }

 private:
  std::string& into_;
};

class LetterParts final : public Parts {
 public:
  Result<Writer*> begin() override {
    writer_ = std::make_unique<LetterWriter>(texts.emplace_back());
    return writer_.get();
  }
  Result<void> end() override { return {}; }
  Result<std::uint64_t> size() override { return texts.back().size(); }
  Result<void> flush() override { return {}; }

  std::vector<std::string> texts;

 private:
  std::unique_ptr<Writer> writer_;
};

class Split : public testing::Test {
 protected:
  Split() : description_(std::make_shared<TraceDescription>("t", "made-up", "1")) {
    const ClockClass& clock = description_->add_clock({});
    const DataStreamClass& stream_class =
        description_->add_stream_class({.default_clock = &clock, .has_describing_events = true});
    stream_.entity = description_->next_stream();
    stream_.stream_class = &stream_class;
    const auto add = [&](const char* name, bool has_duration, bool describes) {
      return &description_->add_event_class({.name = name,
                                             .stream_class = &stream_class,
                                             .clock = &clock,
                                             .has_duration = has_duration,
                                             .describes_others = describes});
    };
    plain_ = add("e", false, false);
    span_ = add("s", true, false);
    name_ = add("n", false, true);
  }

  Record event(const EventClass* of, std::uint64_t begin, std::uint64_t end) const {
    return Record(Event{.event_class = of, .stream = &stream_, .time = begin, .end_time = end});
  }
  Record plain(std::uint64_t time) const { return event(plain_, time, time); }
  Record name(std::uint64_t time) const { return event(name_, time, time); }
  Record begin() const { return {RecordKind::kStreamBegin, &stream_}; }
  Record end() const { return {RecordKind::kStreamEnd, &stream_}; }

  // What the parts are given. The receipt is kept.
  std::vector<std::string> parts(const std::vector<Record>& records, const SplitOptions& options,
                                 bool read_before = false) {
    std::unique_ptr<DescribingEvents> describing;
    if (read_before) {
      describing = std::make_unique<DescribingEvents>(1 << 20);
      for (const Record& record : records) EXPECT_TRUE(describing->see(record));
    }
    LetterParts parts;
    auto writer = split_writer(parts, options, std::move(describing));
    for (const Record& record : records) EXPECT_TRUE((*writer)->write(record));
    EXPECT_TRUE((*writer)->finish());
    receipt_ = (*writer)->receipt();
    return parts.texts;
  }
  std::uint64_t counted(std::string_view what) const {
    std::uint64_t count = 0;
    for (const ReceiptEntry& entry : receipt_) count += entry.what == what ? entry.count : 0;
    return count;
  }

  using Texts = std::vector<std::string>;
  std::shared_ptr<TraceDescription> description_;
  DataStream stream_;
  const EventClass* plain_;
  const EventClass* span_;
  const EventClass* name_;
  Receipt receipt_;
};

TEST_F(Split, EachPartHasItsStreamsAndReceiptsAddUp) {
  const SplitOptions options{.duration = Nanoseconds(10)};
  EXPECT_EQ(parts({begin(), plain(5), plain(14), plain(15), end(), plain(40)}, options),
            (Texts{"(ee).", "(e).", "e."}));
  EXPECT_EQ(counted("thing"), 3U);
  EXPECT_EQ(parts({}, options), (Texts{"."}));
}

TEST_F(Split, DescribingEventsAreInEachPartAndCutNothing) {
  const SplitOptions options{.duration = Nanoseconds(10)};
  const std::vector<Record> records{begin(),  name(0),   plain(1), plain(11),
                                    name(50), plain(21), name(0),  end()};
  EXPECT_EQ(parts(records, options), (Texts{"(ne).", "(nen).", "(nnen)."}));
  EXPECT_EQ(parts(records, options, true), (Texts{"(nenn).", "(nenn).", "(nnen)."}));
}

TEST_F(Split, TheLimitOfWhatDescribesEndsTheWriting) {
  LetterParts parts;
  const auto writer = split_writer(parts, {.size = 1, .max_state = 10}, nullptr);
  const Result<void> written = (*writer)->write(name(0));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kWriteFailed);
}

TEST_F(Split, AnEventThatIsEarlierStaysAndIsCounted) {
  EXPECT_EQ(parts({plain(5), plain(30), plain(8), plain(35)}, {.duration = Nanoseconds(10)}),
            (Texts{"e.", "ee.", "e."}));
  EXPECT_EQ(counted("events earlier than their part begins"), 1U);
}

TEST_F(Split, SpansThatACutDividesAreCounted) {
  const std::vector<Record> by_end{event(span_, 0, 1), event(span_, 2, 15), event(span_, 16, 17),
                                   event(span_, 3, 35), event(span_, 36, 37)};
  EXPECT_EQ(parts(by_end, {.duration = Nanoseconds(10)}), (Texts{"s.", "ss.", "ss."}));
  EXPECT_EQ(counted("events with a duration that a cut divides"), 2U);
  const std::vector<Record> by_begin{event(span_, 0, 1), event(span_, 2, 15), event(span_, 3, 35),
                                     event(span_, 16, 17), event(span_, 36, 37)};
  EXPECT_EQ(parts(by_begin, {.duration = Nanoseconds(10), .by_begin = true}),
            (Texts{"sss.", "s.", "s."}));
  EXPECT_EQ(counted("events with a duration that a cut divides"), 2U);
}

TEST_F(Split, ASizeDoesNotCountTheFirstEvent) {
  const std::vector<Record> records(10, plain(1));
  EXPECT_EQ(parts(records, {.size = 3}), (Texts{"eeee.", "eeee.", "ee."}));
}

TEST_F(Split, AnyTimesThereAre) {
  description_->add_clock({});
  const std::uint64_t last = ~std::uint64_t{0};
  EXPECT_EQ(parts({plain(0), plain(last), plain(last)}, {.duration = Nanoseconds(1)}),
            (Texts{"e.", "ee."}));
}

}  // namespace
}  // namespace tracedeck::flow
