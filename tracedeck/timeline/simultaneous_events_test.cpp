#include "tracedeck/timeline/simultaneous_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/timeline/interpreted_test.hpp"

namespace tracedeck::timeline {
namespace {

using testing::ElementsAre;

// Events of batches that are gone when the next one comes.
class BatchByBatch : public testing::Test, private MarkSink {
 protected:
  BatchByBatch() {
    EventClass made =
        trace_.event_class(1, "span", render::structure_class({{"text", render::string_class()}}));
    made.has_duration = true;
    class_ = &trace_.add(std::move(made));
    auto table = parse_table(
        "table = \"spans\"\n[[track]]\nid = \"t\"\nkind = \"lanes\"\nname = \"{stream.segment}\"\n"
        "key = \"stream.segment\"\n[[slice]]\nbegin = \"*\"\ntrack = \"t\"\nname = \"{text}\"\n",
        "test.toml");
    EXPECT_TRUE(table) << table.error().message;
    auto interpreter = Interpreter::make({.tables = {*std::move(table)}});
    EXPECT_TRUE(interpreter) << interpreter.error().message;
    interpreter_ = *std::move(interpreter);
  }

  // A batch with one event, whose text and stream it owns.
  void say(std::int64_t begin, std::int64_t end, const std::string& text) {
    const auto batch = std::make_shared<Batch>();
    const auto bytes = std::make_shared<const std::string>(text);
    const auto stream = std::make_shared<const DataStream>(trace_.stream);
    Event event =
        trace_.event(*class_, static_cast<std::uint64_t>(begin), {render::text_slot(*bytes)});
    event.end_time = static_cast<std::uint64_t>(end);
    event.stream = stream.get();
    batch->add_event(event);
    batch->pin(bytes);
    batch->pin(stream);
    EXPECT_TRUE(interpreter_->add(batch, *this));
    said_.push_back(batch);
  }
  [[nodiscard]] std::size_t batches_alive() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(said_, [](const auto& each) { return !each.expired(); }));
  }
  std::vector<std::string> marks() {
    EXPECT_TRUE(interpreter_->finish(*this));
    return std::exchange(lines_, {});
  }
  [[nodiscard]] const Interpreter& interpreter() const { return *interpreter_; }

 private:
  Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override {
    for (const Mark& mark : marks) lines_.push_back(mark_line(timeline, mark));
    return {};
  }
  Result<void> finish(const Timeline&) override { return {}; }

  render::SampleTrace trace_;
  const EventClass* class_ = nullptr;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<std::weak_ptr<const Batch>> said_;
  std::vector<std::string> lines_;
};

TEST_F(BatchByBatch, TheLongestIsOutsideWhicheverBatchItCameIn) {
  say(10, 12, "short");
  say(10, 30, "long");
  say(10, 20, "middle");
  EXPECT_THAT(marks(), ElementsAre("begin long on 0 at 10", "begin middle on 0 at 10",
                                   "begin short on 0 at 10", "end short on 0 from 10 to 12",
                                   "end middle on 0 from 10 to 20", "end long on 0 from 10 to 30"));
}

TEST_F(BatchByBatch, BatchesAreLetGo) {
  for (std::int64_t i = 0; i < 100; ++i) {
    say(10 * i, 10 * i + 5, "each begins later");
    EXPECT_EQ(batches_alive(), 0U);
  }
  for (std::int64_t i = 0; i < 100; ++i) {
    say(5'000, 6'000 + i, "all begin at one time");
    EXPECT_EQ(batches_alive(), 0U);
  }
}

TEST_F(BatchByBatch, CopiesAreBounded) {
  const std::string text(SimultaneousEvents::kMostBytes / 8, 'x');
  for (std::int64_t i = 0; i < 40; ++i) {
    say(10, 1'000 + i, text);
    EXPECT_LE(interpreter().batches().size(), 9U);
  }
}

}  // namespace
}  // namespace tracedeck::timeline
