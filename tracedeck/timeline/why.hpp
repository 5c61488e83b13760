// Why a slice took as long as it did: what was inside, what it waited for, what ran meanwhile, and
// who waited because of it.
//
// Two passes over the trace: `SliceFinder` finds the slice, `SliceWitness` collects what happened
// around it. Both are given the marks of the same interpretation, so that tracks and names have the
// same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

// A slice, or a wait, whose duration is known.
struct FoundSlice {
  bool is_wait = false;
  TrackId track = kNoTrack;
  NameId name = kNoName;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t duration() const { return end - begin; }
};

struct SliceQuestion {
  std::string name = {};                // of a label, a category, or a glob over both; empty: any
  std::size_t rank = 1;                 // 1 is the longest; at most `SliceFinder::kMostRank`
  std::optional<std::int64_t> at = {};  // a moment within it: the innermost slice then
  std::string track = {};               // a glob; empty: any
};

class SliceFinder final : public MarkSink {
 public:
  static constexpr std::size_t kMostRank = 1000;

  // Errors: kInvalidArgument, a glob that is none.
  [[nodiscard]] static Result<SliceFinder> make(SliceQuestion question);

  // Before any mark: the moment that is asked for.
  void look_at(std::optional<std::int64_t> time) { question_.at = time; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline&) override { return {}; }

  // Nothing when there is none such.
  [[nodiscard]] std::optional<FoundSlice> found() const;
  // Durations of all slices, or waits, that have the name of what was found.
  [[nodiscard]] const Histogram& durations() const;

 private:
  explicit SliceFinder(SliceQuestion question) : question_(std::move(question)) {}

  [[nodiscard]] bool is_meant(const Timeline& timeline, const Mark& mark);
  void keep(const FoundSlice& slice);

  SliceQuestion question_;
  query::TextMatcherPtr names_;
  query::TextMatcherPtr tracks_;
  std::vector<signed char> meant_;        // by name: 1 yes, -1 no, 0 not looked at
  std::vector<signed char> meant_track_;  // by track
  std::vector<FoundSlice> longest_;       // a heap, the shortest first
  std::map<std::pair<bool, NameId>, Histogram> durations_;
};

// What was seen around a slice.
struct Evidence {
  struct Piece {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t depth = 0;       // within the slice
    std::string arguments = {};  // "task_id=112"
  };
  struct Sample {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    std::vector<std::string> stack = {};  // innermost first
    std::uint64_t count = 0;
    std::int64_t first = 0;
  };
  FoundSlice slice = {};
  std::string arguments = {};         // of the slice
  std::vector<Piece> around = {};     // what it lies in, outermost first
  std::vector<Piece> inside = {};     // the longest, in the order of begins
  std::vector<Piece> waited = {};     // what it waited for before
  std::vector<Piece> meanwhile = {};  // on other tracks, those that overlap longest
  std::vector<Piece> hurt = {};       // waits meanwhile, the longest
  std::vector<Sample> samples = {};   // on its track and on those of `meanwhile`
  std::vector<Piece> gaps = {};       // what is not known meanwhile
  std::uint64_t more_inside = 0;      // that are not in the lists
  std::uint64_t more_hurt = 0;
};

class SliceWitness final : public MarkSink {
 public:
  static constexpr std::size_t kMostPieces = 8;
  static constexpr std::size_t kMostFrames = 12;

  explicit SliceWitness(const FoundSlice& slice) { evidence_.slice = slice; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // Complete behind `finish`.
  [[nodiscard]] const Evidence& evidence() const { return evidence_; }

 private:
  struct Open {
    NameId name = kNoName;
    std::int64_t begin = 0;
    std::string arguments = {};
  };

  void end_slice(const Timeline& timeline, const Mark& mark);
  void wait(const Mark& mark);
  void sample(const Timeline& timeline, const Mark& mark);
  [[nodiscard]] bool overlaps(std::int64_t begin, std::int64_t end) const {
    return begin < evidence_.slice.end && end > evidence_.slice.begin;
  }

  Evidence evidence_;
  std::vector<std::vector<Open>> open_;  // by track
  std::vector<Evidence::Piece> inside_;
  std::vector<Evidence::Piece> meanwhile_;
  std::vector<Evidence::Piece> hurt_;
};

// For reading. `durations`: of slices of that name.
[[nodiscard]] std::string why_text(const Evidence& evidence, const Timeline& timeline,
                                   const Histogram& durations);
// As docs/json/why.schema.json says.
[[nodiscard]] std::string why_json(const Evidence& evidence, const Timeline& timeline,
                                   const Histogram& durations);

}  // namespace tracedeck::timeline
