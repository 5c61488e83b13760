#include "tracedeck/query/pairing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/row_sorter.hpp"

namespace tracedeck::query {
namespace {

bool is_true(const Value& value) { return value.kind == Value::Kind::kBoolean && value.boolean; }

Value value_of(const std::optional<Nanoseconds>& time) {
  return time ? Value::of(Integer::from(*time)) : Value();
}
std::optional<Nanoseconds> take_nanoseconds(ByteSpan& bytes) {
  const Cell cell = decode_cell(bytes).value_or(Cell());
  if (cell.kind != Cell::Kind::kInteger) return std::nullopt;
  return Nanoseconds::from_unsigned(cell.integer.magnitude, cell.integer.negative);
}

void put_scope(std::string& into, const PairScope& scope) {
  put_varint(into, scope.trace);
  put_varint(into, scope.stream);
}
PairScope take_scope(ByteSpan& bytes) {
  const std::uint64_t trace = take_varint(bytes).value_or(0);
  return {.trace = trace, .stream = take_varint(bytes).value_or(0)};
}

OpenPair take_pair(ByteSpan& bytes) {
  OpenPair pair{.number = take_varint(bytes).value_or(0)};
  pair.begin = take_nanoseconds(bytes).value_or(Nanoseconds());
  pair.scope = take_scope(bytes);
  pair.section = take_varint(bytes).value_or(0);
  return pair;
}

std::string encoded(std::span<const Value> values) {
  std::string bytes;
  for (const Value& value : values) encode(bytes, value);
  return bytes;
}

std::vector<Value> values_of(const std::vector<Cell>& cells) {
  std::vector<Value> values;
  for (const Cell& cell : cells) values.push_back(cell.value());
  return values;
}

}  // namespace

// What was written down to be paired at the end. First the events that begin or end pairs, which
// come back key by key. Then what they make, in the order of the events that end pairs, with the
// losses where they were reported: only there it is known which losses concern a pair.
struct Pairing::Deferred {
  enum class Kind : std::uint8_t { kBegin, kEnd, kLoss, kPair, kOpen };

  Result<void> add(std::string_view key, const OpenPair& pair) {
    begin_event(Kind::kBegin, key);
    put(pair);
    put_text(record_, pair.kept);
    return events.add(order_, record_);
  }
  Result<void> add(std::string_view key, const End& end) {
    begin_event(Kind::kEnd, key);
    put_varint(record_, end.number);
    encode(record_, value_of(end.time));
    put_varint(record_, end.section);
    put_text(record_, encoded(end.keys));
    put_text(record_, encoded(end.kept));
    return events.add(order_, record_);
  }
  Result<void> add(const LossOf& loss) {
    // Behind what ends with that event.
    begin_result(Kind::kLoss, 2 * loss.number + 1);
    put_varint(record_, loss.number);
    put_varint(record_, static_cast<std::uint64_t>(loss.what));
    put_scope(record_, loss.scope);
    encode(record_, value_of(loss.times.begin));
    encode(record_, value_of(loss.times.end));
    return results.add(order_, record_);
  }
  // A pair, unless a loss concerns it.
  Result<void> add(const OpenPair& pair, const End& end) {
    begin_result(Kind::kPair, 2 * end.number);
    put(pair);
    encode(record_, value_of(end.time));
    put_varint(record_, end.section);
    record_ += encoded(end.keys);
    record_ += pair.kept;
    record_ += encoded(end.kept);
    return results.add(order_, record_);
  }
  // One that nothing ended.
  Result<void> add(const OpenPair& pair) {
    begin_result(Kind::kOpen, std::numeric_limits<std::uint64_t>::max());
    put(pair);
    return results.add(order_, record_);
  }

  RowSorter events{{.descending = {false}}};
  RowSorter results{{.descending = {false}, .memory = std::size_t{8} << 20}};

 private:
  void begin_event(Kind kind, std::string_view key) { begin(kind, Value::of(key)); }
  void begin_result(Kind kind, std::uint64_t place) { begin(kind, Value::of(place)); }
  void begin(Kind kind, const Value& place) {
    order_.clear();
    encode(order_, place);
    record_.assign(1, static_cast<char>(kind));
  }
  void put(const OpenPair& pair) {
    put_varint(record_, pair.number);
    encode(record_, value_of(pair.begin));
    put_scope(record_, pair.scope);
    put_varint(record_, pair.section);
  }

  std::string order_;  // of the record at hand
  std::string record_;
};

Pairing::Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)),
      projection_(std::move(projection)),
      next_(std::move(next)),
      open_(plan_.memory),
      scopes_(std::move(plan_.scope)) {}
Pairing::~Pairing() = default;

bool Pairing::take_key(std::span<const Value> keys) {
  key_.clear();
  for (const Value& key : keys) {
    if (!encode_equal(key_, key)) return false;
  }
  return true;
}

Result<void> Pairing::add(const Event& event) {
  if (event.event_class->clock == nullptr) return {};
  last_ = event.began_at();
  if (going_on_ != 0) [[unlikely]] {
    if (auto done = pass_damage(); !done) return done;
  }
  ++number_;
  // Of all events: one that is none of a pair may be where the clock steps.
  section_ = section_of(event);
  projection_.look_at(event);
  const std::span<const Value> conditions = projection_.values(0, 2);
  const bool begins = is_true(conditions[0]);
  // An event may end a pair and begin the next.
  bool has_keys = true;
  if (is_true(conditions[1])) {
    const std::span<const Value> keys = projection_.values(2 + plan_.keys, plan_.keys);
    has_keys = take_key(keys);
    if (has_keys) {
      if (auto ended = take_end(keys); !ended) return ended;
    }
  }
  Result<void> done;
  if (begins) {
    const std::span<const Value> keys = projection_.values(2, plan_.keys);
    const bool has_key = take_key(keys);
    has_keys = has_keys && has_key;
    if (has_key) done = take_begin(keys);
  }
  counts_.without_key += has_keys ? 0 : 1;
  return done;
}

Result<void> Pairing::take_begin(std::span<const Value> keys) {
  const std::string kept = encoded(projection_.values(2 + 2 * plan_.keys, plan_.kept_of_a));
  const OpenPair pair{.begin = last_,
                      .number = number_,
                      .scope = scopes_.of(keys),
                      .section = section_,
                      .kept = kept};
  if (deferred_ == nullptr && begin(pair)) return {};
  if (deferred_ == nullptr) {
    if (auto done = defer(); !done) return done;
  }
  return deferred_->add(key_, pair);
}

Result<void> Pairing::take_end(std::span<const Value> keys) {
  const End end{.number = number_,
                .time = last_,
                .section = section_,
                .keys = keys,
                .kept = projection_.values(2 + 2 * plan_.keys + plan_.kept_of_a, plan_.kept_of_b)};
  return deferred_ != nullptr ? deferred_->add(key_, end) : this->end(end);
}

bool Pairing::begin(const OpenPair& pair) {
  if (!plan_.nested && open_.take(key_)) ++counts_.replaced;
  return open_.add(key_, pair);
}

Result<void> Pairing::end(const End& end) {
  const auto open = open_.take(key_);
  if (!open) {
    ++counts_.without_begin;
    return {};
  }
  if (deferred_ != nullptr) return deferred_->add(*open, end);
  if (!is_pair(*open, end.time, end.section)) return {};
  const std::vector<Cell> kept = decode_cells(as_bytes(open->kept));
  put_times(*open, end.time);
  row_.insert(row_.end(), end.keys.begin(), end.keys.end());
  for (const Cell& cell : kept) row_.push_back(cell.value());
  row_.insert(row_.end(), end.kept.begin(), end.kept.end());
  return next_->add(row_);
}

// The same of events of different data streams says that their clocks stepped back together.
std::uint64_t Pairing::section_of(const Event& event) {
  if (!plan_.least_step || event.stream == nullptr) return 0;
  if (event.stream != stream_) {
    stream_ = event.stream;
    begin_clock();
  }
  if (last_ >= clock_->latest) {
    clock_->latest = last_;
  } else if (clock_->latest - last_ > *plan_.least_step) {
    step_back();
  }
  return clock_->section;
}

void Pairing::begin_clock() {
  const auto [found, is_new] = clocks_.try_emplace(stream_, StreamClock{.latest = last_});
  clock_ = &found->second;
  if (!is_new || !flow::may_restart(*stream_)) return;
  clock_->device = stream_->entity.trace;
  for (const auto& [stream, clock] : clocks_)
    if (clock.device == clock_->device) clock_->section = std::max(clock_->section, clock.section);
}

// Where the device restarts whose clock it is, those of its other data streams begin anew too.
void Pairing::step_back() {
  const std::uint64_t section = clock_->section + 1;
  last_section_ = std::max(last_section_, section);
  for (auto& [stream, clock] : clocks_) {
    if (&clock != clock_ && !(clock_->device && clock.device == clock_->device)) continue;
    clock.section = section;
    clock.latest = std::min(clock.latest, last_);
  }
}

// Counts what it is.
bool Pairing::is_pair(const OpenPair& pair, Nanoseconds end, std::uint64_t section) {
  if (pair.section != section) {
    ++counts_.across_step;
  } else if (is_void(pair, end)) {
    ++counts_.void_by_loss;
  } else if (plan_.within && Integer::from(end - pair.begin) > *plan_.within) {
    ++counts_.too_long;
  } else {
    ++counts_.pairs;
    return true;
  }
  return false;
}

void Pairing::put_times(const OpenPair& pair, Nanoseconds end) {
  row_.clear();
  for (const Nanoseconds& time : {pair.begin, end, end - pair.begin})
    row_.push_back(Value::of(Integer::from(time)));
}

bool Pairing::is_void(const OpenPair& pair, Nanoseconds end) const {
  return lost_.concern(pair.scope, pair.number, pair.begin, end);
}

Result<void> Pairing::add(const Loss& loss) {
  if (loss.taken_back) return {};
  LossOf lost{.number = number_, .times = {.begin = loss.begin, .end = loss.end}};
  if (loss.stream != nullptr) lost.scope = scopes_.of(*loss.stream, name_of(*loss.stream));
  return take(lost);
}

Result<void> Pairing::take(const LossOf& loss) {
  if (deferred_ != nullptr) return deferred_->add(loss);
  note(loss);
  return {};
}

Result<void> Pairing::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::kStreamBegin: {
      const std::string name = name_of(*record.stream);
      if (!name.empty()) names_.try_emplace(record.stream->stream_class->trace->input(), name);
      Damaged* const begun = damaged_.begin_stream(*record.stream);
      return begun == nullptr ? Result<void>() : begin_damage(*begun);
    }
    case RecordKind::kStreamEnd:
      damaged_.end_stream(*record.stream);
      clocks_.erase(record.stream);
      stream_ = nullptr;
      return {};
    case RecordKind::kProblem:
      return see_damage(record.notice->trace_input());
    default:
      return {};
  }
}

Result<void> Pairing::see_damage(const std::string& input) {
  using Extent = flow::DamagedParts<Damaged>::Extent;
  const auto [damaged, extent] = damaged_.damage(input);
  if (extent == Extent::kGoesOn) return {};
  const auto name = names_.find(input);
  damaged->scope = name == names_.end() ? PairScope() : scopes_.of(name->second);
  if (extent == Extent::kBegins) return begin_damage(*damaged);
  return take({.number = number_, .scope = damaged->scope});
}
Result<void> Pairing::begin_damage(const Damaged& input) {
  ++going_on_;
  return take({.number = number_, .what = LossOf::What::kBegins, .scope = input.scope});
}
Result<void> Pairing::pass_damage() {
  Result<void> done;
  damaged_.pass(
      [&](const Nanoseconds& time) { return time <= last_; },
      [&](const Damaged& input) {
        --going_on_;
        if (done)
          done = take({.number = number_, .what = LossOf::What::kEnds, .scope = input.scope});
      });
  return done;
}

// What its trace is called among others; empty: it is the only one, or nothing asks for that.
std::string Pairing::name_of(const DataStream& stream) const {
  const DataStreamClass* const of = stream.stream_class;
  const bool is_needed = scopes_.tell_traces_apart() && of != nullptr && of->trace != nullptr;
  return is_needed ? projection_.name_of(*of->trace) : std::string();
}

void Pairing::note(const LossOf& loss) {
  // Pairs that began with the event of that number wait already.
  lost_.add(loss.scope, loss.what, loss.times, loss.number + 1);
}

void Pairing::count_open(const OpenPair& pair) {
  if (pair.section != last_section_) {
    ++counts_.across_step;
  } else {
    ++(is_void(pair, last_) ? counts_.void_by_loss : counts_.without_end);
  }
}

Result<void> Pairing::close() {
  if (deferred_ != nullptr) return pair_deferred();
  open_.for_each([this](std::string_view, const OpenPair& pair) { count_open(pair); });
  open_.clear();
  return {};
}

Result<void> Pairing::defer() {
  deferred_ = std::make_unique<Deferred>();
  Result<void> done;
  open_.for_each([&](std::string_view key, const OpenPair& pair) {
    if (done) done = deferred_->add(key, pair);
  });
  open_.clear();
  return done;
}

Result<void> Pairing::pair_deferred() {
  // The events of one key need some memory, however little is allowed.
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  open_.allow(std::max(plan_.memory, kLeast));
  key_.clear();
  const auto paired =
      deferred_->events.hand_on_bytes([this](ByteSpan keys, ByteSpan record) -> Result<bool> {
        const std::string key = decode_cell(keys).value_or(Cell()).text;
        if (key != key_) {
          if (auto done = put_open(); !done) return std::unexpected(done.error());
          key_ = key;
        }
        if (auto done = pair_again(record); !done) return std::unexpected(done.error());
        return true;
      });
  if (!paired) return paired;
  if (auto done = put_open(); !done) return done;
  return deferred_->results.hand_on_bytes([this](ByteSpan, ByteSpan record) -> Result<bool> {
    if (auto done = judge(record); !done) return std::unexpected(done.error());
    return true;
  });
}

// Nothing of `key_` comes any more.
Result<void> Pairing::put_open() {
  Result<void> done;
  open_.for_each([&](std::string_view, const OpenPair& pair) {
    if (done) done = deferred_->add(pair);
  });
  open_.clear();
  return done;
}

// An event of `key_`.
Result<void> Pairing::pair_again(ByteSpan record) {
  const auto kind = static_cast<Deferred::Kind>(record.front());
  record = record.subspan(1);
  if (kind == Deferred::Kind::kBegin) {
    OpenPair pair = take_pair(record);
    pair.kept = take_text(record).value_or("");
    counts_.not_held += begin(pair) ? 0 : 1;
    return {};
  }
  const std::uint64_t number = take_varint(record).value_or(0);
  const Nanoseconds time = take_nanoseconds(record).value_or(Nanoseconds());
  const std::uint64_t section = take_varint(record).value_or(0);
  const std::vector<Cell> keys = decode_cells(as_bytes(take_text(record).value_or("")));
  const std::vector<Cell> kept = decode_cells(as_bytes(take_text(record).value_or("")));
  const std::vector<Value> key_values = values_of(keys);
  const std::vector<Value> kept_values = values_of(kept);
  return end({.number = number,
              .time = time,
              .section = section,
              .keys = key_values,
              .kept = kept_values});
}

// What was made of events, in the order in which they came.
Result<void> Pairing::judge(ByteSpan record) {
  const auto kind = static_cast<Deferred::Kind>(record.front());
  record = record.subspan(1);
  if (kind == Deferred::Kind::kLoss) {
    LossOf loss{.number = take_varint(record).value_or(0)};
    loss.what = static_cast<LossOf::What>(take_varint(record).value_or(0));
    loss.scope = take_scope(record);
    loss.times.begin = take_nanoseconds(record);
    loss.times.end = take_nanoseconds(record);
    note(loss);
    return {};
  }
  const OpenPair pair = take_pair(record);
  if (kind == Deferred::Kind::kOpen) {
    count_open(pair);
    return {};
  }
  const Nanoseconds end = take_nanoseconds(record).value_or(Nanoseconds());
  if (!is_pair(pair, end, take_varint(record).value_or(0))) return {};
  const std::vector<Cell> cells = decode_cells(record);
  put_times(pair, end);
  for (const Cell& cell : cells) row_.push_back(cell.value());
  // What the others became is still counted.
  return next_->full() ? Result<void>() : next_->add(row_);
}

}  // namespace tracedeck::query
