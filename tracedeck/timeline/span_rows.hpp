// Marks as the rows of a query that begins with `spans`: the slices and waits that `latency`
// measures, with their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/name_pattern.hpp"
#include "tracedeck/timeline/shown_times.hpp"
#include "tracedeck/timeline/span_arguments.hpp"
#include "tracedeck/timeline/track_titles.hpp"

namespace tracedeck::timeline {

// Memory: that of `SpanArguments`.
class SpanRows final : public MarkSink {
 public:
  // The query asks for spans, and must outlive it.
  explicit SpanRows(query::Query& query);

  // From now on: what ends before is left out. Saturated ns.
  void begin_at(std::int64_t time) { begin_ = time; }
  void show_utc_by(FrameOfTrace frame_of) { times_.show_utc_by(std::move(frame_of)); }

  // Errors: those of the query.
  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // What the user should know about spans and arguments that there are not, as sentences. Behind
  // `finish`.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  [[nodiscard]] Result<void> add(const Timeline& timeline, const Mark& mark);
  void put_columns(const Timeline& timeline, const Mark& mark);

  query::Query& query_;
  bool all_;
  std::optional<SpanArguments> arguments_ = {};  // if any are asked for
  std::optional<std::int64_t> begin_ = {};
  query::SpanCounts counts_ = {};
  std::vector<std::string> tables_ = {};  // that applied, behind the end
  bool is_whole_ = false;                 // all events came, and there were some
  NumberMap<NameId, WaysToSay> said_ = {};
  TrackTitles titles_ = {};
  std::vector<query::Value> row_;
  ShownTimes times_ = {};
};

}  // namespace tracedeck::timeline
