// Why a slice took as long as it did: what was inside, what it waited for and who had that, what
// ran meanwhile, and who waited because of it. The same of a wait, and of a state.
//
// Two passes over the trace: `SliceFinder` finds the slice, `SliceWitness` collects what happened
// around it. Both are given the marks of the same interpretation, so that tracks and names have the
// same numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/model/symbols.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/name_pattern.hpp"
#include "tracedeck/timeline/slice_question.hpp"

namespace tracedeck::timeline {

// A slice, a wait, or a state of a track, whose duration is known, or which had not ended when the
// trace did: it lasts until then at least.
struct FoundSlice {
  bool is_wait = false;
  bool is_state = false;
  bool is_open = false;
  TrackId track = kNoTrack;
  NameId name = kNoName;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // Of the first of its name, if it is the longest: how long the longest of all later ones took.
  std::optional<std::int64_t> longest_later = {};

  [[nodiscard]] std::int64_t duration() const { return end - begin; }
};

// What was found besides.
struct FoundBeside {
  // That had not ended when the trace did and do not count, if one of them had lasted longer: how
  // many, since when the oldest, and whether all are waits.
  std::uint64_t left_out = 0;
  std::int64_t oldest_left_out = 0;
  bool are_waits = true;
  // Where what was found had not ended: the longest of its name that had.
  std::optional<FoundSlice> longest_ended = {};
  // At a moment: what else begins there, and what else lasts then if something begins.
  std::vector<FoundSlice> at_that_time = {};
  // Other names that end as the one does that was asked for.
  std::vector<NameId> alike = {};
};

// Which of one name that had not ended when the trace did count beside those that had. Mostly none:
// some things nobody waits for any more, as messages that nobody takes. Where one lasted longer
// than all that ended, it does if they are few, or if nothing that began later has ended and none
// of that name has for a tenth of the trace.
class Unended {
 public:
  void see_end(std::int64_t begin, std::int64_t end) {
    ++ended_;
    longest_ = std::max(longest_, end - begin);
    last_begin_ = std::max(last_begin_, begin);
    last_end_ = std::max(last_end_, end);
  }
  void see_open(std::int64_t begin) { open_.push_back(begin); }
  // When all were seen.
  void settle(const Timeline& timeline);
  [[nodiscard]] bool counts(std::int64_t begin) const { return begin >= from_ && begin <= to_; }
  // Whether somebody may wait for it still: there are few, or nothing that began later has ended.
  [[nodiscard]] bool is_awaited(std::int64_t begin) const {
    return are_few_ || begin >= last_begin_;
  }

 private:
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

  std::uint64_t ended_ = 0;
  std::int64_t longest_ = -1;
  std::int64_t last_begin_ = kLeast;
  std::int64_t last_end_ = kLeast;
  std::vector<std::int64_t> open_;
  // Begins of those that count.
  std::int64_t from_ = 0;
  std::int64_t to_ = -1;
  bool are_few_ = false;
};

class SliceFinder final : public MarkSink {
 public:
  // Errors: kInvalidArgument, a glob that is none.
  [[nodiscard]] static Result<SliceFinder> make(SliceQuestion question);

  // Before any mark: the moment that is asked for.
  void look_at(std::optional<std::int64_t> time) { question_.at = time; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // Behind `finish`. Nothing when there is none such.
  [[nodiscard]] const std::optional<FoundSlice>& found() const { return found_; }
  [[nodiscard]] const FoundBeside& beside() const { return beside_; }
  // Why not, as a sentence; only then.
  [[nodiscard]] std::string nothing(const Timeline& timeline) const;
  // Durations of all slices, or waits, that have the name of what was found and have ended.
  [[nodiscard]] const Histogram& durations() const;

 private:
  enum class Kind : std::uint8_t { kSlice, kWait, kState };
  // All of one name.
  struct Alike {
    Histogram durations;
    std::int64_t first_begin = 0;
    std::int64_t first_duration = 0;
    std::int64_t longest_later = 0;
    std::optional<FoundSlice> longest = {};  // that has ended
    Unended unended = {};
  };
  struct State {
    NameId name = kNoName;
    std::int64_t begin = 0;
    bool is_doubtful = false;
  };

  explicit SliceFinder(SliceQuestion question) : question_(std::move(question)) {}

  [[nodiscard]] static Kind kind_of(const FoundSlice& slice);
  [[nodiscard]] bool is_meant(const Timeline& timeline, TrackId track, NameId name);
  [[nodiscard]] Alike& alike(const FoundSlice& slice) {
    return alike_[{kind_of(slice), slice.name}];
  }
  void see(const FoundSlice& slice);
  void see_open(const Timeline& timeline, const FoundSlice& slice);
  void keep(const FoundSlice& slice);
  [[nodiscard]] bool begins_at(const FoundSlice& slice) const;
  void keep_at(const FoundSlice& slice);
  void note_alike(const Timeline& timeline);
  void keep_open(const Timeline& timeline);
  void state(const Timeline& timeline, const Mark& mark);
  void choose();
  void note_left_out(std::int64_t duration);
  void choose_at();
  // Those that are asked for: slices and waits, or states if there are none.
  [[nodiscard]] std::size_t known() const {
    return longest_.empty() ? longest_states_.size() : longest_.size() + left_out_.size();
  }

  SliceQuestion question_;
  NamePattern names_;
  NamePattern tracks_;
  std::vector<signed char> meant_;        // by name: 1 yes, -1 no, 0 not looked at
  std::vector<signed char> meant_track_;  // by track
  bool at_is_rounded_ = false;
  std::vector<FoundSlice> longest_;  // a heap, the shortest first
  std::vector<FoundSlice> longest_states_;
  std::vector<FoundSlice> begun_there_;  // at the moment, some of them
  std::vector<FoundSlice> open_;         // which may not count, and those that do not
  std::vector<FoundSlice> left_out_;
  std::vector<State> states_;  // by track
  std::map<std::pair<Kind, NameId>, Alike> alike_;
  std::optional<FoundSlice> found_;
  FoundBeside beside_;
};

// What was seen around a slice.
struct Evidence {
  struct Piece {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t depth = 0;       // within the slice
    std::uint16_t flags = 0;     // of its mark
    std::string arguments = {};  // "task_id=112"
    std::string values = {};     // of the arguments: "112"
  };
  struct Sample {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    // Innermost first; a function that calls itself is there once.
    std::vector<std::string> stack = {};
    std::vector<std::string> places = {};  // of these in the source, where they are known
    std::uint64_t count = 0;
    std::int64_t first = 0;
  };
  // How long a track was in a state meanwhile.
  struct Spent {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    std::int32_t cpu = kNoCpu;
    std::int64_t time = 0;  // ns
    std::int64_t begin = 0;
    // The longest at a time, within the slice.
    std::int64_t longest = 0;
    std::int64_t longest_begin = 0;
    bool is_inferred = false;  // from what the first switch of a processor took off
  };
  // What a counter was meanwhile.
  struct Level {
    TrackId track = kNoTrack;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t time_at_most = 0;   // ns that it was `most`
    std::int64_t most_of_trace = 0;  // up to the slice's end
  };
  // What was on a track meanwhile.
  struct Busy {
    Piece longest = {};
    Piece inner = {};         // what filled half of that, inside it; without a track: nothing
    std::uint64_t count = 0;  // of outer slices; 0: `longest` is a state
    std::int64_t time = 0;    // ns that they overlap
  };
  // Where a flow came from.
  struct Origin {
    TrackId track = kNoTrack;
    std::int64_t time = 0;
    NameId within = kNoName;  // the slice that was open there, as far as that is known
  };
  FoundSlice slice = {};
  std::string arguments = {};        // of the slice
  std::vector<Piece> around = {};    // what it lies in, outermost first
  std::vector<Piece> inside = {};    // the longest, in the order of begins
  std::vector<Piece> waited = {};    // what it waited for before
  std::vector<Origin> origins = {};  // what led to its begin, or to the end of a wait
  // On other tracks, and on that of a wait, the longest first.
  std::vector<Busy> meanwhile = {};
  std::vector<Piece> hurt = {};      // waits meanwhile, the longest
  std::vector<Sample> samples = {};  // on its track and on those of `meanwhile`
  std::vector<Piece> gaps = {};      // what is not known meanwhile
  // ns that its thread was on the processor at least, and off it at least, as a table's `spent`
  // says: 0 if nothing does.
  std::int64_t on_processor = 0;
  std::int64_t off_processor = 0;
  // What the trace says of how urgent tasks were meanwhile, a greater number being more urgent.
  std::vector<Level> priorities = {};
  std::uint64_t more_inside = 0;  // that are not in the lists
  std::uint64_t more_meanwhile = 0;
  std::uint64_t more_hurt = 0;
  std::uint64_t unended_hurt = 0;    // waits that nobody waits for any more: `Unended`
  std::vector<TrackId> tasks = {};   // what a scheduler calls who it is about
  std::vector<Spent> states = {};    // of these, the longest first
  std::vector<Piece> held = {};      // on tracks that are called as what it waits for
  std::vector<Spent> holder = {};    // states of the task that held it
  std::int32_t holder_cpu = kNoCpu;  // where that ran or was ready to
  std::int32_t cpu = kNoCpu;         // the processor that it ran on
  std::int64_t ready_elsewhere = 0;  // ns that it was ready to run on another one's queue
  std::vector<Spent> ran = {};       // tasks on one of these, the longest first
  // ns that the first of them ran while this was ready to, and while who held it was, at least.
  std::int64_t ran_while_ready = 0;
  std::int64_t ran_while_holder_ready = 0;
  std::vector<TrackId> idle = {};  // processors that had nothing to do meanwhile
  std::vector<Level> levels = {};  // counters that were at their most, or that it waits for
};

// How counters of priorities end, which begin with the task's name.
inline constexpr std::string_view kPriority = ": priority";

class SliceWitness final : public MarkSink {
 public:
  static constexpr std::size_t kMostPieces = 8;
  static constexpr std::size_t kMostFrames = 256;
  static constexpr std::size_t kMostStackBytes = std::size_t{16} << 20U;  // of all samples

  explicit SliceWitness(const FoundSlice& slice) { evidence_.slice = slice; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // Complete behind `finish`.
  [[nodiscard]] const Evidence& evidence() const { return evidence_; }

 private:
  struct Open {
    NameId name = kNoName;
    std::int64_t begin = 0;
    Evidence::Piece texts = {};  // its arguments
  };
  struct State {
    NameId name = kNoName;
    std::int32_t cpu = kNoCpu;
    std::int64_t begin = 0;
    bool is_inferred = false;
  };
  struct Count {
    bool any = false;  // a value lasts, which began at `since`
    bool any_within = false;
    std::int64_t value = 0;
    std::int64_t since = 0;
    std::int64_t sum = 0;  // of all values
    std::int64_t values = 0;
    Evidence::Level level = {};
  };
  // Of a task that runs, or is ready to: within the slice.
  struct Stretch {
    TrackId track = kNoTrack;
    NameId name = kNoName;
    std::int32_t cpu = kNoCpu;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  using SpentKey = std::tuple<TrackId, NameId, std::int32_t>;

  void begin_slice(const Timeline& timeline, const Mark& mark);
  void end_slice(const Timeline& timeline, const Mark& mark);
  void wait(const Mark& mark);
  void hurt(Evidence::Piece piece);
  void sample(const Mark& mark);
  static void add_frame(Evidence::Sample& sample, const Function& function);
  void state(const Timeline& timeline, const Mark& mark);
  void leave(TrackId track, const State& state, std::int64_t end);
  void spend(const Timeline& timeline, const Mark& mark, const State& state);
  void count(const Mark& mark);
  void flow_in(const Mark& mark);
  void leave(Count& count, std::int64_t end) const;
  void tidy();
  void busy(const Evidence::Piece& piece);

  // What is made of it all in the end.
  void find_origins();
  void find_tasks(const Timeline& timeline);
  void find_states();
  void find_held(const Timeline& timeline);
  void find_holder_cpu(const Timeline& timeline, TrackId holder);
  void find_queue(const Timeline& timeline);
  void find_ran(const Timeline& timeline);
  [[nodiscard]] std::int64_t ran_while_ready(const Timeline& timeline,
                                             std::span<const TrackId> tasks) const;
  void find_levels(const Timeline& timeline);
  void find_meanwhile(const Timeline& timeline);
  void find_samples();
  void find_hurt(const Timeline& timeline);
  [[nodiscard]] bool is_awaited(std::string_view name) const;

  [[nodiscard]] bool overlaps(std::int64_t begin, std::int64_t end) const {
    return begin < evidence_.slice.end && end > evidence_.slice.begin;
  }

  Evidence evidence_;
  std::vector<std::vector<Open>> open_;  // by track
  std::vector<State> states_;
  std::vector<Count> counts_;
  std::vector<std::int32_t> last_cpu_;    // by track, of tasks
  std::vector<std::int32_t> cpu_before_;  // the same, up to the slice's begin
  NameId running_ = kNoName;
  std::map<std::uint64_t, Evidence::Origin> flows_;  // by number
  std::map<TrackId, NameId> at_begin_;               // outer slices that were open when it began
  std::map<SpentKey, Evidence::Spent> spent_;
  std::vector<Stretch> stretches_;  // the first, in the order of their ends
  bool has_all_stretches_ = true;
  std::vector<std::pair<TrackId, std::int32_t>> put_there_;  // tasks that began to run at its end
  std::vector<std::int64_t> numbers_;                        // among the arguments of a wait
  std::vector<std::string> awaited_;                         // what it waits for, by name
  // Each kind of sample once, and when it was taken, also before the slice.
  std::vector<Evidence::Sample> samples_;
  std::map<std::string, std::size_t> sample_kinds_;
  std::size_t stack_bytes_ = 0;  // about, of `samples_` and these
  std::vector<std::pair<std::size_t, std::int64_t>> taken_;
  std::vector<Evidence::Piece> inside_;
  std::map<TrackId, Evidence::Busy> meanwhile_;
  std::map<TrackId, Evidence::Piece> inner_;  // the longest in the outer slice that is open
  std::vector<Evidence::Piece> lanes_;
  std::vector<Evidence::Piece> hurt_;
  std::vector<Evidence::Piece> open_waits_;  // which may have hurt
  std::vector<Unended> unended_;             // waits, by name
};

// What can be concluded from the evidence: the sentence of the first known pattern of which all was
// seen, or "". `durations`: of slices of that name; what took hardly longer than most of them needs
// no reason.
[[nodiscard]] std::string conclusion(const Evidence& evidence, const Timeline& timeline,
                                     const Histogram& durations);

enum class NotConcluded : std::uint8_t { kLostMeanwhile, kNotEnded, kUsual, kNoPattern };
// Why nothing is concluded; kNoPattern: nothing forbids it.
[[nodiscard]] NotConcluded why_not_concluded(const Evidence& evidence, const Histogram& durations);
[[nodiscard]] std::string not_concluded_text(NotConcluded reason);
// As in JSON: "not_ended".
[[nodiscard]] std::string_view not_concluded_word(NotConcluded reason);

// For reading. `durations`: of slices of that name.
[[nodiscard]] std::string why_text(const Evidence& evidence, const Timeline& timeline,
                                   const Histogram& durations, const FoundBeside& beside);
// As docs/json/why.schema.json says.
// The answer where nothing was found: `reason` is what `SliceFinder::nothing` says.
[[nodiscard]] std::string why_nothing_json(std::string_view reason);
[[nodiscard]] std::string why_json(const Evidence& evidence, const Timeline& timeline,
                                   const Histogram& durations, const FoundBeside& beside);

}  // namespace tracedeck::timeline
