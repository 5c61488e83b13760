#include "tracedeck/export/page/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/base/version.hpp"
#include "tracedeck/export/mark_flags.hpp"
#include "tracedeck/export/page/elapsed.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::page {
namespace {

using timeline::Timeline;

// Of one name: more is no name, and all of them are in the page's memory.
constexpr std::size_t kNameBytes = 1'024;

// Escaped as in every text for people: the page's script shows it as it is.
void append_name(TextBuffer& out, std::string_view name) {
  std::string shown = visible(name.substr(0, kNameBytes + 1));
  if (shown.size() > kNameBytes) {
    shown.resize(kNameBytes);
    shown.resize(utf8_valid_prefix(as_bytes(shown)));
    shown += "…";
  }
  append_json_string(out, shown);
}

// Elements of a row of numbers.
class Numbers {
 public:
  explicit Numbers(TextBuffer& out) : array_(out) {}

  Numbers& add(std::uint64_t number) {
    append_decimal(array_.next(), number);
    return *this;
  }
  Numbers& add(std::int64_t number) {
    append_decimal(array_.next(), number);
    return *this;
  }
  Numbers& add(std::uint32_t number) { return add(std::uint64_t{number}); }
  Numbers& name(std::string_view text) {
    append_name(array_.next(), text);
    return *this;
  }
  TextBuffer& next() { return array_.next(); }
  void end() { array_.end(); }

 private:
  JsonArray array_;
};

void append_tracks(TextBuffer& out, const Timeline& timeline) {
  JsonArray tracks(out);
  for (timeline::TrackId id = 1; id <= timeline.track_count(); ++id) {
    const timeline::Track& track = timeline.track(id);
    JsonObject object(tracks.next());
    object.integer("id", std::uint64_t{id});
    object.integer("kind", static_cast<std::uint64_t>(track.kind));
    object.integer("parent", std::uint64_t{timeline.parent_of(id)});
    append_name(object.key("name"), track.name);
    append_name(object.key("group"), track.group);
    object.integer("rank", std::uint64_t{track.rank});
    object.integer("lane", std::uint64_t{track.lane});
    object.integer("first", std::uint64_t{track.first_lane});
    object.integer_if("pid", track.pid);
    object.integer_if("tid", track.tid);
    append_name(object.key("unit"), track.unit);
    object.end();
  }
  tracks.end();
}

void append_names(TextBuffer& out, const Timeline& timeline) {
  JsonArray names(out);
  for (timeline::NameId id = 1; id <= std::min<std::size_t>(timeline.name_count(), kLastName);
       ++id) {
    Numbers values(names.next());
    if (id == kLastName) {
      values.name("").name("(other)");
    } else {
      values.name(timeline.name(id).category).name(timeline.name(id).text);
    }
    values.end();
  }
  names.end();
}

void append_blocks(TextBuffer& out, const std::vector<BlockPlace>& blocks,
                   const std::vector<std::uint32_t>& numbers, std::int64_t base) {
  JsonArray all(out);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockPlace& block = blocks[i];
    Numbers values(all.next());
    values.add(numbers[i]).add(elapsed(base, block.first)).add(elapsed(base, block.last));
    values.add(block.count);
    if (block.earliest != block.first) values.add(elapsed(base, block.earliest));
    values.end();
  }
  all.end();
}

void append_rows(TextBuffer& out, const Collector& marks, const Written& written,
                 std::int64_t base) {
  JsonArray rows(out);
  for (std::size_t i = 0; i < marks.rows().size(); ++i) {
    const Row& row = marks.rows()[i];
    Numbers values(rows.next());
    values.add(static_cast<std::uint32_t>(row.kind())).add(row.track()).add(row.depth());
    values.add(row.count());
    append_blocks(values.next(), row.blocks(), written.rows[i].blocks, base);
    values.add(written.rows[i].pyramid).add(std::uint64_t{written.rows[i].exponent});
    values.end();
  }
  rows.end();
}

// Eight parts of each doubling are enough for the eye: [part, count].
void append_histogram(TextBuffer& out, const Histogram& histogram) {
  JsonArray parts(out);
  std::int64_t part = 0;
  std::uint64_t count = 0;
  const auto put = [&] {
    if (count != 0) Numbers(parts.next()).add(part).add(count).end();
    count = 0;
  };
  for (const Histogram::Bucket& bucket : histogram.buckets()) {
    constexpr double kParts = 8;
    const std::int64_t here =
        bucket.lower < 1 ? -1 : static_cast<std::int64_t>(std::log2(bucket.lower) * kParts);
    if (here != part) put();
    part = here;
    count += bucket.count;
  }
  put();
  parts.end();
}

struct Quantile {
  std::string_view key;
  double part;
};
constexpr std::array kQuantiles = {Quantile{"p50", 0.5}, Quantile{"p90", 0.9},
                                   Quantile{"p99", 0.99}, Quantile{"p999", 0.999}};

void append_tally(TextBuffer& out, RowKind kind, std::size_t name, const Tally& tally,
                  std::int64_t base) {
  JsonObject object(out);
  object.integer("kind", static_cast<std::uint64_t>(kind));
  object.integer("name", std::uint64_t{name});
  object.integer("count", tally.durations.count());
  object.integer("unknown", tally.unknown);
  object.integer("total", tally.total);
  object.integer("self", tally.self);
  for (const Quantile& quantile : kQuantiles)
    object.real(quantile.key, tally.durations.quantile(quantile.part));
  object.integer("max", tally.longest);
  object.integer("begin", elapsed(base, tally.longest_begin));
  object.integer("row", std::uint64_t{tally.longest_row});
  append_histogram(object.key("parts"), tally.durations);
  object.end();
}

void append_tallies(TextBuffer& out, const Collector& marks, std::int64_t base) {
  JsonArray all(out);
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    const auto row_kind = static_cast<RowKind>(kind);
    const std::vector<Tally>& tallies = marks.tallies(row_kind);
    for (std::size_t name = 0; name < tallies.size(); ++name) {
      const Tally& tally = tallies[name];
      if (tally.durations.count() + tally.unknown != 0)
        append_tally(all.next(), row_kind, name, tally, base);
    }
  }
  all.end();
}

void append_details(TextBuffer& out, const Written& written) {
  JsonArray all(out);
  for (const WrittenDetails& details : written.details) {
    Numbers values(all.next());
    values.add(details.block);
    for (const NotedKey key : details.keys) values.add(key);
    values.end();
  }
  all.end();
}

void append_gaps(TextBuffer& out, const Collector& marks, std::int64_t base) {
  JsonArray all(out);
  for (const GapPlace& gap : marks.gaps()) {
    Numbers values(all.next());
    values.add(elapsed(base, gap.begin)).add(elapsed(base, gap.end)).add(gap.name).add(gap.track);
    values.end();
  }
  all.end();
}

void append_rate(TextBuffer& out, const Rate& rate, std::int64_t base) {
  Numbers values(out);
  values.add(elapsed(base, rate.first())).add(std::uint64_t{rate.exponent()});
  Numbers counts(values.next());
  std::size_t used = rate.counts().size();
  while (used != 0 && rate.counts()[used - 1] == 0) --used;
  for (std::size_t i = 0; i < used; ++i) counts.add(rate.counts()[i]);
  counts.end();
  values.end();
}

void append_flags(TextBuffer& out) {
  JsonArray all(out);
  const auto append = [&](std::uint32_t flag, std::string_view text) {
    Numbers(all.next()).add(flag).name(text).end();
  };
  for (const exporting::FlagName& each : exporting::kFlagNames) append(each.flag, each.name);
  append(kContinued, "began earlier, on another lane");
  all.end();
}

struct Count {
  std::string_view sentence;
  std::uint64_t timeline::TimelineCounts::* member;
};

constexpr std::array kCounts = {
    Count{"events", &timeline::TimelineCounts::events},
    Count{"events without a time", &timeline::TimelineCounts::without_time},
    Count{"events lost, as the trace reports", &timeline::TimelineCounts::lost_events},
    Count{"losses and damaged ranges", &timeline::TimelineCounts::gaps},
    Count{"ends without a begin", &timeline::TimelineCounts::unmatched_ends},
    Count{"slices that began before the trace", &timeline::TimelineCounts::began_before},
    Count{"slices that had not ended", &timeline::TimelineCounts::open_at_end},
    Count{"slices that end where another begins", &timeline::TimelineCounts::inferred_ends},
    Count{"slices that ended with their task", &timeline::TimelineCounts::ended_with_task},
    Count{"states before the first switch of a processor",
          &timeline::TimelineCounts::inferred_states},
    Count{"slices during which events were lost", &timeline::TimelineCounts::across_loss},
    Count{"slices that ended before they began", &timeline::TimelineCounts::negative},
    Count{"slices on a lane because they overlap", &timeline::TimelineCounts::overlaps},
    Count{"slices left out: all lanes were taken", &timeline::TimelineCounts::without_lane},
    Count{"slices left out: no memory for their begin", &timeline::TimelineCounts::not_held},
    Count{"events before others of their track", &timeline::TimelineCounts::clock_steps},
    Count{"clocks that step back: all begins anew", &timeline::TimelineCounts::sections},
    Count{"events left out: 292 years or more from the first", &timeline::TimelineCounts::too_far},
    Count{"events that no rule is about", &timeline::TimelineCounts::without_rule},
    Count{"events that lack a field of their rule", &timeline::TimelineCounts::without_field},
    Count{"clocks that nothing relates to the first", &timeline::TimelineCounts::unrelated_clocks},
};

void append_counts(TextBuffer& out, const Timeline& timeline, Collector& marks) {
  JsonArray all(out);
  const auto put = [&all](std::string_view sentence, std::uint64_t count) {
    if (count != 0) Numbers(all.next()).name(sentence).add(count).end();
  };
  for (const Count& count : kCounts) put(count.sentence, timeline.counts().*count.member);
  put("slices not drawn: nested too deep", marks.too_deep());
  put("slices not drawn: shorter than was asked for", marks.short_slices());
  put("waits not drawn: shorter than was asked for", marks.short_waits());
  put("losses not drawn: there are too many", marks.gaps_left_out());
  put("flows that arrive without having left", marks.flows().unmatched());
  put("marked slices without their arguments", marks.longest().left_out());
  all.end();
}

}  // namespace

std::int64_t base_of(const PageOptions& options, const Timeline& timeline, const Collector& marks) {
  if (options.begin) return std::max(*options.begin, timeline.begin());
  std::int64_t base = timeline.begin();
  for (const Row& row : marks.rows()) {
    for (const BlockPlace& block : row.blocks()) base = std::min(base, block.earliest);
  }
  for (const BlockPlace& block : marks.flows().blocks()) base = std::min(base, block.earliest);
  for (const GapPlace& gap : marks.gaps()) base = std::min(base, gap.begin);
  return base;
}

void append_index(TextBuffer& out, const PageOptions& options, const Timeline& timeline,
                  Collector& marks, const Written& written) {
  const std::int64_t base = base_of(options, timeline, marks);
  std::int64_t end = std::min(timeline.end(), options.end.value_or(timeline.end()));
  for (const Row& row : marks.rows()) {
    if (row.count() != 0) end = std::max(end, row.end());
  }
  JsonObject object(out);
  object.integer("version", std::uint64_t{1});
  object.string("program", version());
  object.string("title", visible(options.title));
  object.string("notice", visible(options.notice));
  object.string("answer", options.answer ? options.answer(timeline) : std::string());
  if (const auto& chosen = marks.chosen()) {
    Numbers(object.key("chosen")).add(chosen->row).add(chosen->index).end();
  }
  object.key("tables");
  JsonArray tables(out);
  for (const std::string& table : timeline.tables())
    append_json_string(tables.next(), visible(table));
  tables.end();
  const ClockClass* const clock = timeline.clock();
  if (clock != nullptr && clock->origin == ClockOrigin::kUnixEpoch)
    object.string("epoch", timeline.absolute(base).to_string());
  object.string("base", timeline.absolute(base).to_string());
  object.integer("since", elapsed(timeline.begin(), base));
  object.integer("span", elapsed(base, end));
  object.integer("each", std::uint64_t{marks.longest().each()});
  append_tracks(object.key("tracks"), timeline);
  append_names(object.key("names"), timeline);
  append_rows(object.key("rows"), marks, written, base);
  append_blocks(object.key("flows"), marks.flows().blocks(), written.flows, base);
  append_tallies(object.key("tallies"), marks, base);
  append_details(object.key("details"), written);
  append_gaps(object.key("gaps"), marks, base);
  append_rate(object.key("rate"), marks.rate(), base);
  append_counts(object.key("counts"), timeline, marks);
  append_flags(object.key("flags"));
  object.end();
}

}  // namespace tracedeck::page
