// Sampled stacks as the rows of a query that begins with `samples`: what they are of, and which
// slices their thread was inside of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/name_pattern.hpp"
#include "tracedeck/timeline/shown_times.hpp"
#include "tracedeck/timeline/track_titles.hpp"

namespace tracedeck::timeline {

// What is open on tracks, as marks come. Lanes are part of their track. One thread at a time.
class OpenSlices {
 public:
  struct OfTrack {
    std::vector<std::pair<TrackId, NameId>> open = {};  // by the lane; the outermost first
    bool has_slices = false;
    bool is_doubtful = false;   // events were lost, and nothing began or ended since
    std::uint64_t samples = 0;  // that were taken here so far, unless they count already
  };

  void begin(const Timeline& timeline, const Mark& mark);
  void end(const Timeline& timeline, const Mark& mark);
  // Events were lost: of tracks with slices it is unknown what is open, until one begins or ends.
  void doubt();
  [[nodiscard]] OfTrack& of(const Timeline& timeline, TrackId track);

 private:
  std::vector<OfTrack> tracks_;  // by TrackId, of first lanes
};

class SampleRows final : public MarkSink {
 public:
  // The query asks for samples, and must outlive it.
  explicit SampleRows(query::Query& query);

  // From now on: what was sampled before is left out. Saturated ns.
  void begin_at(std::int64_t time) { begin_ = time; }
  void show_utc_by(FrameOfTrace frame_of) { times_.show_utc_by(std::move(frame_of)); }

  // Before the marks of each batch.
  void see(const Batch& batch);
  // Errors: those of the query.
  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // What the user should know about samples, as sentences. Behind `finish`.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  // What a list of open slices is called, and what it is equal to.
  struct Inside {
    std::string text = {};
    std::vector<std::string> names = {};
  };

  [[nodiscard]] Result<void> add(const Timeline& timeline, const Mark& mark);
  void doubt_until(const Timeline& timeline, const Mark& mark);
  void apply_doubt();
  void put_argument(std::string_view name, const query::Value& value);
  [[nodiscard]] const Inside& inside(const Timeline& timeline, const OpenSlices::OfTrack& track);

  query::Query& query_;
  std::optional<std::int64_t> begin_ = {};
  query::SampleCounts counts_ = {};
  OpenSlices slices_ = {};
  // What may have cost events, behind those of that time.
  struct Doubt {
    Nanoseconds time;
    bool is_damage;
  };
  std::deque<Doubt> doubts_ = {};  // of which the marks are still to come
  Nanoseconds last_time_ = {};     // of an event that came
  // Bytes could not be read, and until the gap that says where that ended anything may be missing.
  bool is_damaged_ = false;
  ShownTimes times_ = {};
  TrackTitles titles_ = {};
  std::map<std::vector<NameId>, Inside> insides_ = {};
  Arguments::Visit visit_;
  const Event* event_ = nullptr;  // of the mark at hand
  bool has_stack_ = false;        // the mark at hand
  std::string stack_ = {};
  std::vector<query::Value> row_;
};

}  // namespace tracedeck::timeline
