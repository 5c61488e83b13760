#include "tracedeck/export/page/page.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/export/page/collector.hpp"
#include "tracedeck/export/page/elapsed.hpp"
#include "tracedeck/export/page/index.hpp"
#include "tracedeck/export/page/page_assets.hpp"
#include "tracedeck/export/page/page_writer.hpp"
#include "tracedeck/export/page/pyramid.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::page {
namespace {

class Page final : public timeline::MarkSink {
 public:
  Page(io::Output& output, PageOptions options)
      : options_(std::move(options)), marks_(options_), writer_(output, options_.largest) {}

  Result<void> take(const timeline::Timeline& /*timeline*/,
                    std::span<const timeline::Mark> marks) override {
    return marks_.take(marks);
  }
  Result<void> finish(const timeline::Timeline& timeline) override;

 private:
  [[nodiscard]] Result<void> write_row(const Row& row);
  [[nodiscard]] Result<void> write_blocks(const std::vector<BlockPlace>& blocks,
                                          std::vector<std::uint32_t>& numbers, auto each);
  [[nodiscard]] Result<void> write_pyramid(WrittenRow& row, auto& pyramid);
  [[nodiscard]] Result<void> write_details();
  [[nodiscard]] Result<void> write_details_block(TextBuffer& text, std::vector<NotedKey>& keys);
  void append_details(TextBuffer& out, const Longest::Kept& kept) const;
  void append_noted(TextBuffer& out, const std::vector<NotedSlice>& slices) const;

  PageOptions options_;
  Collector marks_;
  PageWriter writer_;
  Written written_;
  std::int64_t base_ = 0;
  std::string block_;
};

Result<void> Page::write_blocks(const std::vector<BlockPlace>& blocks,
                                std::vector<std::uint32_t>& numbers, auto each) {
  for (const BlockPlace& block : blocks) {
    if (auto done = marks_.store().get(block.place, block_); !done) return done;
    each(block, std::string_view(block_));
    auto number = writer_.block(block_);
    if (!number) return std::unexpected(std::move(number).error());
    numbers.push_back(*number);
  }
  return {};
}

Result<void> Page::write_pyramid(WrittenRow& row, auto& pyramid) {
  auto number = writer_.block(pyramid.encode());
  if (!number) return std::unexpected(std::move(number).error());
  row.pyramid = *number;
  row.exponent = pyramid.exponent();
  return {};
}

Result<void> Page::write_row(const Row& row) {
  WrittenRow& written = written_.rows.emplace_back();
  const std::vector<BlockPlace>& blocks = row.blocks();
  const auto nothing = [](const BlockPlace&, std::string_view) {};
  if (row.count() < kPyramidFrom || row.kind() == RowKind::kWaits)
    return write_blocks(blocks, written.blocks, nothing);
  const std::int64_t first = blocks.front().first;
  const std::int64_t last = blocks.back().last;
  if (row.kind() == RowKind::kCounter) {
    CounterPyramid pyramid(first, last, row.count());
    const auto add = [&pyramid](const BlockPlace& block, std::string_view bytes) {
      each_point(bytes, block.first,
                 [&](std::int64_t time, double value) { pyramid.add(time, value); });
    };
    if (auto done = write_blocks(blocks, written.blocks, add); !done) return done;
    return write_pyramid(written, pyramid);
  }
  Pyramid pyramid(first, last, row.count());
  const auto add = [&pyramid](const BlockPlace& block, std::string_view bytes) {
    std::int64_t end = block.first;
    SliceBlock(bytes).each([&](std::uint64_t gap, std::uint64_t duration, timeline::NameId name) {
      const auto begin = static_cast<std::int64_t>(static_cast<std::uint64_t>(end) + gap);
      pyramid.add(begin, duration, name);
      end = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + duration);
    });
  };
  if (auto done = write_blocks(blocks, written.blocks, add); !done) return done;
  return write_pyramid(written, pyramid);
}

// [row, index, begin, end, duration, flags, arguments if there are some]
void Page::append_noted(TextBuffer& out, const std::vector<NotedSlice>& slices) const {
  JsonArray all(out);
  for (const NotedSlice& slice : slices) {
    JsonArray values(all.next());
    append_decimal(values.next(), std::uint64_t{slice.row});
    for (const std::uint64_t number :
         {slice.index, elapsed(base_, slice.begin), elapsed(base_, slice.end), slice.duration,
          std::uint64_t{slice.flags}}) {
      append_decimal(values.next(), number);
    }
    if (!slice.arguments.empty()) values.next().append(slice.arguments);
    values.end();
  }
  all.end();
}

void Page::append_details(TextBuffer& out, const Longest::Kept& kept) const {
  JsonArray both(out);
  append_noted(both.next(), kept.longest);
  append_noted(both.next(), kept.noted);
  both.end();
}

Result<void> Page::write_details_block(TextBuffer& text, std::vector<NotedKey>& keys) {
  if (keys.empty()) return {};
  text.append(']');
  auto number = writer_.block(text.view());
  if (!number) return std::unexpected(std::move(number).error());
  written_.details.push_back({*number, std::move(keys)});
  keys = {};
  text.clear();
  return {};
}

// Names with few slices share a block.
Result<void> Page::write_details() {
  constexpr std::size_t kBlockBytes = std::size_t{128} << 10;
  auto& kept = marks_.longest().sorted();
  std::vector<NotedKey> order;
  for (const auto& [key, details] : kept) order.push_back(key);
  std::ranges::sort(order);
  TextBuffer text;
  std::vector<NotedKey> keys;
  for (const NotedKey key : order) {
    text.append(keys.empty() ? '[' : ',');
    append_details(text, kept.at(key));
    keys.push_back(key);
    if (text.size() < kBlockBytes) continue;
    if (auto done = write_details_block(text, keys); !done) return done;
  }
  return write_details_block(text, keys);
}

Result<void> Page::finish(const timeline::Timeline& timeline) {
  if (auto done = marks_.finish(timeline.end()); !done) return done;
  base_ = base_of(options_, timeline, marks_);
  if (auto done = writer_.begin(); !done) return done;
  for (const Row& row : marks_.rows()) {
    if (auto done = write_row(row); !done) return done;
  }
  const auto nothing = [](const BlockPlace&, std::string_view) {};
  if (auto done = write_blocks(marks_.flows().blocks(), written_.flows, nothing); !done)
    return done;
  if (auto done = write_details(); !done) return done;
  if (auto done = writer_.begin_index(); !done) return done;
  TextBuffer index(&writer_.index());
  append_index(index, options_, timeline, marks_, written_);
  if (auto done = index.drain(); !done) return done;
  return writer_.finish();
}

}  // namespace

std::unique_ptr<timeline::MarkSink> make_page(io::Output& output, PageOptions options) {
  return std::make_unique<Page>(output, std::move(options));
}

std::string_view content_security_policy() {
  constexpr std::string_view kBefore = "\"Content-Security-Policy\" content=\"";
  const std::string_view policy = kPageHtml.substr(kPageHtml.find(kBefore) + kBefore.size());
  return policy.substr(0, policy.find('"'));
}

}  // namespace tracedeck::page
