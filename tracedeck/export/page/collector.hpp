// Marks as rows, tallies, flows and gaps: all that the page is written of.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/export/page/flow_row.hpp"
#include "tracedeck/export/page/longest.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/export/page/row.hpp"
#include "tracedeck/export/page/tally.hpp"

namespace tracedeck::page {

inline constexpr std::size_t kRowKinds = 5;
// Names from here on count as one: "(other)".
inline constexpr timeline::NameId kLastName = 65'535;
// Slices that are nested deeper are counted, and not drawn.
inline constexpr std::size_t kDeepest = 256;

inline NotedKey noted_key(RowKind kind, timeline::NameId name) {
  return static_cast<NotedKey>(kind) << 32 | name;
}

struct GapPlace {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  timeline::NameId name = timeline::kNoName;
  timeline::TrackId track = timeline::kNoTrack;
};

class Collector {
 public:
  explicit Collector(const PageOptions& options);

  // Errors: those of temporary files.
  [[nodiscard]] Result<void> take(std::span<const timeline::Mark> marks);
  // What is open ends at `end`.
  [[nodiscard]] Result<void> finish(std::int64_t end);

  [[nodiscard]] const BlockStore& store() const { return store_; }
  [[nodiscard]] const std::deque<Row>& rows() const { return rows_; }
  // Of a kind, by name.
  [[nodiscard]] const std::vector<Tally>& tallies(RowKind kind) const {
    return tallies_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] Longest& longest() { return longest_; }
  [[nodiscard]] const FlowRow& flows() const { return flows_; }
  [[nodiscard]] const std::vector<GapPlace>& gaps() const { return gaps_; }
  [[nodiscard]] const Rate& rate() const { return rate_; }
  struct Place {
    std::uint32_t row = 0;
    std::uint64_t index = 0;  // in the row
  };
  // Of the slice that was chosen, if it came.
  [[nodiscard]] const std::optional<Place>& chosen() const { return chosen_; }

  // What is not drawn.
  [[nodiscard]] std::uint64_t too_deep() const { return too_deep_; }
  [[nodiscard]] std::uint64_t short_slices() const { return short_slices_; }
  [[nodiscard]] std::uint64_t short_waits() const { return short_waits_; }
  [[nodiscard]] std::uint64_t gaps_left_out() const { return gaps_left_out_; }

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  using Depths = std::vector<std::uint32_t>;  // rows, by depth

  struct OpenSlice {
    std::int64_t begin = 0;
    timeline::NameId name = timeline::kNoName;
    std::uint16_t flags = 0;
    std::uint32_t depth = 0;
    std::uint64_t inside = 0;  // nanoseconds of the slices in it
    std::string arguments = {};
  };
  struct OpenState {
    std::int64_t begin = 0;
    timeline::NameId name = timeline::kNoName;
    std::int32_t cpu = timeline::kNoCpu;
    std::uint16_t flags = 0;
    std::string arguments = {};
  };
  struct TrackState {
    Depths slices;
    Depths instants;
    std::uint32_t states = kNoRow;
    std::uint32_t counter = kNoRow;
    std::uint32_t waits = kNoRow;
    std::vector<OpenSlice> open;  // as many as `depth`; others are kept for their memory
    std::size_t depth = 0;
    OpenState state;
  };
  // A slice that ended, on its way to its row.
  struct Ended {
    RowKind kind;
    timeline::TrackId track;
    std::uint32_t row;
    bool known;              // its duration
    std::uint64_t duration;  // of the whole
    std::uint64_t own;       // without what is inside
    bool marked;
  };

  // Of the arguments of one slice, about.
  [[nodiscard]] std::size_t argument_bytes() const;
  [[nodiscard]] Result<void> take(const timeline::Mark& mark);
  void begin_slice(const timeline::Mark& mark);
  [[nodiscard]] Result<void> end_slice(const timeline::Mark& mark);
  [[nodiscard]] Result<void> change_state(const timeline::Mark& mark);
  [[nodiscard]] Result<void> end_state(TrackState& track, timeline::TrackId id, std::int64_t time,
                                       std::int64_t spent, std::uint16_t flags);
  [[nodiscard]] Result<void> add_instant(const timeline::Mark& mark);
  [[nodiscard]] Result<void> add_point(const timeline::Mark& mark);
  [[nodiscard]] Result<void> add_wait(const timeline::Mark& mark);
  void add_gap(const timeline::Mark& mark);
  [[nodiscard]] Result<void> add(const Ended& ended, Slice slice, const std::string& aside);
  [[nodiscard]] bool is_chosen(const Ended& ended, const Slice& slice) const;

  TrackState& track(timeline::TrackId id);
  std::uint32_t new_row(RowKind kind, timeline::TrackId track, std::size_t depth);
  std::uint32_t own_row(std::uint32_t& row, RowKind kind, timeline::TrackId track);
  // The first depth from `from` on where a slice may begin then.
  std::uint32_t fitting(Depths& depths, std::size_t from, std::int64_t begin, RowKind kind,
                        timeline::TrackId track);
  Tally& tally(RowKind kind, timeline::NameId name);
  [[nodiscard]] Result<void> seal_large();

  PageOptions options_;
  BlockStore store_;
  std::deque<Row> rows_;
  std::vector<TrackState> tracks_;
  std::array<std::vector<Tally>, kRowKinds> tallies_;
  Longest longest_;
  FlowRow flows_;
  std::vector<GapPlace> gaps_;
  Rate rate_;
  std::optional<Place> chosen_;
  std::string aside_;
  std::size_t added_bytes_ = 0;  // about, since `seal_large` looked
  std::uint64_t too_deep_ = 0;
  std::uint64_t short_slices_ = 0;
  std::uint64_t short_waits_ = 0;
  std::uint64_t gaps_left_out_ = 0;
};

}  // namespace tracedeck::page
