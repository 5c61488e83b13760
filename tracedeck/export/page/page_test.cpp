#include "tracedeck/export/page/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/export/page/page_assets.hpp"

namespace tracedeck::page {
namespace {

using timeline::Mark;
using timeline::MarkKind;

Mark mark(MarkKind kind, timeline::NameId name, std::int64_t time) {
  Mark made;
  made.kind = kind;
  made.track = 1;
  made.name = name;
  made.time = time;
  return made;
}

Mark slice_end(timeline::NameId name, std::int64_t begin, std::int64_t time) {
  Mark made = mark(MarkKind::kSliceEnd, name, time);
  made.begin = begin;
  return made;
}

Result<std::string> page_of(const timeline::Timeline& timeline, const std::vector<Mark>& marks,
                            PageOptions options = {}) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  const auto page = make_page(*output, std::move(options));
  if (auto done = page->take(timeline, marks); !done) return std::unexpected(done.error());
  if (auto done = page->finish(timeline); !done) return std::unexpected(done.error());
  if (auto done = output->finish(); !done) return std::unexpected(done.error());
  return bytes;
}

TEST(PageAssets, ScriptAndStyleFitTheirBudget) {
  constexpr std::size_t kBudget = std::size_t{60} << 10;
  const std::size_t size =
      kPageCss.size() + kDataJs.size() + kDrawJs.size() + kPanelJs.size() + kKeysJs.size();
  EXPECT_LE(size, kBudget);
}

TEST(PageAssets, ScriptCannotEndItsElementAndAsksForNothing) {
  for (const std::string_view script : {kDataJs, kDrawJs, kPanelJs, kKeysJs}) {
    for (const std::string_view word :
         {"</script", "<!--", "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(",
          "Function(", "fetch(", "XMLHttpRequest", "import(", "http:", "https:"}) {
      EXPECT_EQ(script.find(word), std::string_view::npos) << word;
    }
  }
  EXPECT_NE(kPageHtml.find("default-src 'none'"), std::string_view::npos);
}

TEST(Page, TextOfATraceIsNoMarkup) {
  timeline::Timeline timeline;
  timeline.add_track({.name = "</script><b>track"});
  timeline.add_name("", "</script><b>name");
  const auto page = page_of(timeline, {mark(MarkKind::kSliceBegin, 1, 0), slice_end(1, 0, 5)},
                            {.title = "</script><b>title"});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find("<b>"), std::string::npos);
  EXPECT_NE(page->find("\\u003c/script>\\u003cb>title"), std::string::npos);
}

TEST(Page, IsWrittenOfNoMarksToo) {
  const auto page = page_of(timeline::Timeline(), {});
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("\"rows\":[]"), std::string::npos);
}

TEST(Page, WhatIsShorterThanWantedCountsInTheTableAlone) {
  timeline::Timeline timeline;
  timeline.add_track({.name = "track"});
  timeline.add_name("", "name");
  const auto page = page_of(timeline,
                            {mark(MarkKind::kSliceBegin, 1, 0), slice_end(1, 0, 99),
                             mark(MarkKind::kSliceBegin, 1, 100), slice_end(1, 100, 200)},
                            {.shortest = 100});
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("\"rows\":[[0,1,0,1,"), std::string::npos);
  EXPECT_NE(page->find("\"count\":2,\"unknown\":0,\"total\":199"), std::string::npos);
  EXPECT_NE(page->find("[\"slices not drawn: shorter than was asked for\",1]"), std::string::npos);
}

TEST(Page, OneThatWouldBeTooLargeIsAnError) {
  timeline::Timeline timeline;
  timeline.add_track({.name = "track"});
  timeline.add_name("", "name");
  const auto page = page_of(timeline, {mark(MarkKind::kInstant, 1, 0)}, {.largest = 100});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kLimitExceeded);
}

// Whatever an interpreter does.
TEST(Page, AnyMarksAreWritten) {
  std::mt19937_64 random(1);
  timeline::Timeline timeline;
  for (int i = 0; i < 5; ++i) timeline.add_track({.name = "track"});
  for (int i = 0; i < 5; ++i) timeline.add_name("", std::to_string(i));
  for (int round = 0; round < 60; ++round) {
    std::vector<Mark> marks(round % 10 == 0 ? 6'000 : 200);
    for (Mark& made : marks) {
      made.kind = static_cast<MarkKind>(random() % 9);
      made.flags = static_cast<std::uint16_t>(random() & random() & random());
      made.track = static_cast<timeline::TrackId>(random() % 6);
      made.name = static_cast<timeline::NameId>(random() % 6);
      made.cpu = static_cast<std::int32_t>(random() % 4) - 1;
      made.time = static_cast<std::int64_t>(random()) >> (random() % 64);
      made.begin = static_cast<std::int64_t>(random()) >> (random() % 64);
    }
    if (round % 2 == 0) std::ranges::sort(marks, {}, &Mark::time);
    EXPECT_TRUE(page_of(timeline, marks));
  }
}

TEST(Page, MemoryDoesNotChangeIt) {
  timeline::Timeline timeline;
  timeline.add_track({.name = "track"});
  timeline.add_name("", "name");
  std::vector<Mark> marks;
  for (std::int64_t i = 0; i < 40'000; ++i) {
    marks.push_back(mark(MarkKind::kSliceBegin, 1, 10 * i));
    marks.push_back(slice_end(1, 10 * i, 10 * i + i % 10));
  }
  const auto held = page_of(timeline, marks);
  const auto spilled = page_of(timeline, marks, {.memory = std::size_t{64} << 10});
  ASSERT_TRUE(held);
  ASSERT_TRUE(spilled);
  const auto slices = [](const std::string& page) { return page.substr(0, page.find("id=b4")); };
  EXPECT_EQ(slices(*held), slices(*spilled));
}

}  // namespace
}  // namespace tracedeck::page
