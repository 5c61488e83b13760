// Pairs of events: how long from A to B, by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/flow/damaged_parts.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/query/open_pairs.hpp"
#include "tracedeck/query/pair_scopes.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// What became of the events that began or ended pairs.
struct PairCounts {
  std::uint64_t pairs = 0;
  std::uint64_t replaced = 0;       // begun, and begun again before they ended
  std::uint64_t without_end = 0;    // begun, and never ended
  std::uint64_t without_begin = 0;  // ended, and never begun
  std::uint64_t void_by_loss = 0;   // in between, events were lost that may belong to them
  std::uint64_t across_step = 0;    // the clock stepped back in between
  std::uint64_t too_long = 0;       // longer than `within`
  std::uint64_t not_held = 0;       // begun, when there was no room for more
  std::uint64_t without_key = 0;    // events with a key that is unknown, and equal to nothing

  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

struct PairingPlan {
  // Of an event: whether it begins a pair, whether it ends one, then its keys as a first event and
  // as a second one.
  std::size_t keys = 0;
  // Which values of first and of second events are wanted, behind those in the projection.
  std::size_t kept_of_a = 0;
  std::size_t kept_of_b = 0;
  bool nested = false;
  std::optional<Integer> within = {};  // ns
  ScopeKeys scope = {};
  // A data stream goes back by more than this only where its clock steps back; nothing: it may
  // always.
  std::optional<Nanoseconds> least_step = {};
  // Bytes that pairs may take that wait for their end; beyond, all that follows goes to a temporary
  // file, and is paired at the end.
  std::size_t memory = std::size_t{24} << 20;
};

// Rows of pairs, in the order that they end in: begin, end, duration, keys, values of a, values of
// b. Events come in the order of time.
class Pairing {
 public:
  // `projection`: two conditions, keys of a, keys of b, values of a, values of b.
  Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next);
  ~Pairing();

  // See `PairingPlan::least_step`. Before the first event.
  void expect_clock_steps(Nanoseconds least) { plan_.least_step = least; }
  // Errors: those of temporary files and of the sink.
  [[nodiscard]] Result<void> add(const Event& event);
  // Pairs that wait for their end while events were lost are void.
  [[nodiscard]] Result<void> add(const Loss& loss);
  // Of other records, damage and the data streams between which it lies. The same of pairs that
  // wait meanwhile.
  [[nodiscard]] Result<void> see(const Record& record);
  // No more events come: pairs that wait have no end. To be called once, before `finish`.
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> finish() { return next_->finish(); }
  [[nodiscard]] Result<void> show() { return next_->show(); }
  [[nodiscard]] bool full() const { return next_->full(); }

  [[nodiscard]] const PairCounts& counts() const { return counts_; }

 private:
  // A second event.
  struct End {
    std::uint64_t number = 0;
    Nanoseconds time = {};
    std::uint64_t section = 0;
    std::span<const Value> keys;
    std::span<const Value> kept;
  };
  // A loss, and behind how many events it was reported.
  struct LossOf {
    using What = LostInScopes::What;
    std::uint64_t number = 0;
    What what = What::kWhole;
    PairScope scope = {};
    Loss times = {};
  };
  // What is known of a data stream's clock.
  struct StreamClock {
    Nanoseconds latest = {};
    std::uint64_t section = 0;  // how often it stepped back
    // Of a device, whose clock is that of all data streams of its trace: which trace that is.
    std::optional<std::uint64_t> device = {};
  };
  // An input of which damage may go on.
  struct Damaged : flow::DamagedInput {
    PairScope scope = {};
  };
  struct Deferred;

  // Of the last event, whose keys are in `key_` too.
  [[nodiscard]] Result<void> take_end(std::span<const Value> keys);
  [[nodiscard]] Result<void> take_begin(std::span<const Value> keys);
  // Begins the pair of `key_`; false: there is no room for it.
  [[nodiscard]] bool begin(const OpenPair& pair);
  // Ends the pair of `key_`.
  [[nodiscard]] Result<void> end(const End& end);
  [[nodiscard]] bool is_void(const OpenPair& pair, Nanoseconds end) const;
  // Puts the keys into `key_`; false where one is equal to nothing.
  [[nodiscard]] bool take_key(std::span<const Value> keys);
  void note(const LossOf& loss);
  [[nodiscard]] Result<void> take(const LossOf& loss);
  [[nodiscard]] Result<void> see_damage(const std::string& input);
  [[nodiscard]] Result<void> begin_damage(const Damaged& input);
  [[nodiscard]] Result<void> pass_damage();
  [[nodiscard]] std::string name_of(const DataStream& stream) const;
  // Of the stream's clock.
  [[nodiscard]] std::uint64_t section_of(const Event& event);
  void begin_clock();
  void step_back();
  [[nodiscard]] bool is_pair(const OpenPair& pair, Nanoseconds end, std::uint64_t section);
  // Counts one that nothing ended.
  void count_open(const OpenPair& pair);
  // Begins `row_`.
  void put_times(const OpenPair& pair, Nanoseconds end);

  // From now on all is written down, to be paired at the end.
  [[nodiscard]] Result<void> defer();
  [[nodiscard]] Result<void> pair_deferred();
  [[nodiscard]] Result<void> pair_again(ByteSpan record);
  [[nodiscard]] Result<void> put_open();
  [[nodiscard]] Result<void> judge(ByteSpan record);

  PairingPlan plan_;
  EventProjection projection_;
  std::unique_ptr<RowSink> next_;
  OpenPairs open_;
  std::vector<Value> row_;
  std::string key_;
  PairCounts counts_;
  Nanoseconds last_ = {};      // the time of the last event
  std::uint64_t number_ = 0;   // of events so far
  std::uint64_t section_ = 0;  // of the last event's clock
  std::map<const DataStream*, StreamClock> clocks_;
  const DataStream* stream_ = nullptr;  // of the last event
  StreamClock* clock_ = nullptr;        // its clock
  std::uint64_t last_section_ = 0;      // of the clock that stepped back most often
  PairScopes scopes_;
  LostInScopes lost_;
  std::map<std::string, std::string> names_;  // of traces, by their inputs
  flow::DamagedParts<Damaged> damaged_{true};
  std::uint64_t going_on_ = 0;  // inputs of which damage does
  std::unique_ptr<Deferred> deferred_;
};

}  // namespace tracedeck::query
