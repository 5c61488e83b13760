#include "tracedeck/query/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/event_grouping.hpp"
#include "tracedeck/query/query_plan.hpp"

namespace tracedeck::query {

std::uint64_t mark_of_distinct_key(const HashKey& key) {
  return sip_hash(key, "tracedeck: the key of distinct");
}

// What a query does with what comes.
class Query::Work {
 public:
  explicit Work(std::unique_ptr<QueryPlan> plan) : plan_(std::move(plan)) {}

  [[nodiscard]] QueryPlan& plan() const { return *plan_; }

  void name_traces(const EventProjection::NameOfTrace& name_of) {
    if (plan_->projection) plan_->projection->name_traces(name_of);
    for (EventLimit& limit : plan_->limits) {
      if (limit.condition) limit.condition->name_traces(name_of);
    }
  }
  void set_distinct_key(const HashKey& key) {
    distinct_key_ = key;
    distinct_key_mark_ = mark_of_distinct_key(key);
  }
  void set_distinct_key_mark(std::uint64_t mark) { distinct_key_mark_ = mark; }
  [[nodiscard]] std::uint64_t distinct_key_mark() const { return distinct_key_mark_; }
  [[nodiscard]] const HashKey& distinct_key() const { return distinct_key_; }
  [[nodiscard]] bool spilled() const {
    return std::ranges::any_of(groupings_, [](const Grouping* each) { return each->spilled(); });
  }
  [[nodiscard]] ClockOrigin origin() const { return origin_; }
  void note_late(std::uint64_t events) { counts_.late += events; }
  void note_unread(std::uint64_t traces) { counts_.losses_of_unknown_size += traces; }

  [[nodiscard]] bool minds_clock_steps() const { return pairing_ || plan_->pairing; }
  void expect_clock_steps(Nanoseconds least) {
    if (pairing_) pairing_->expect_clock_steps(least);
    if (plan_->pairing) plan_->pairing->least_step = least;
  }

  void answer_to(std::unique_ptr<RowSink> sink) {
    for (auto make = plan_->makers.rbegin(); make != plan_->makers.rend(); ++make)
      sink = (*make)(std::move(sink), groupings_);
    for (Grouping* const each : groupings_) each->set_distinct_key(distinct_key_);
    if (plan_->pairing) {
      pairing_.emplace(*std::move(plan_->pairing), *std::move(plan_->projection), std::move(sink));
      plan_->pairing.reset();
    } else {
      sink_ = std::move(sink);
      // The first stage was made last.
      if (plan_->groups_events) event_grouping_.emplace(*plan_->projection, *groupings_.back());
    }
  }

  Result<void> add(const Batch& batch) {
    std::span<const Record> records = batch.records();
    while (!records.empty()) {
      const auto added = add(records);
      if (!added) return std::unexpected(added.error());
      records = records.subspan(*added);
    }
    return {};
  }

  Result<void> add_row(std::span<const Value> row) {
    for (std::size_t i = 0; i != plan_->argument_units.size(); ++i) {
      const Value& argument = row[kSpanColumns + i];
      if (argument.known()) plan_->argument_units[i]->see(argument.unit);
    }
    return sink_->add(row);
  }
  void note_spans(const SpanCounts& counts) { counts_.spans = counts; }
  void note_allocations(const AllocationCounts& counts) { counts_.allocations = counts; }
  void note_samples(const SampleCounts& counts) { counts_.samples = counts; }

  [[nodiscard]] bool full() const {
    if (std::ranges::any_of(plan_->limits, &EventLimit::reached)) return true;
    return pairing_ ? pairing_->full() : sink_->full();
  }

  Result<void> show() { return pairing_ ? pairing_->show() : sink_->show(); }

  Result<void> close() {
    if (std::exchange(closed_, true) || !pairing_) return {};
    return pairing_->close();
  }

  Result<void> finish() {
    if (auto closed = close(); !closed) return closed;
    return pairing_ ? pairing_->finish() : sink_->finish();
  }

  [[nodiscard]] std::vector<std::string> notices() const {
    std::vector<std::string> sentences;
    // Only the first can drop all that comes to it.
    const auto dropped =
        std::ranges::find_if(plan_->tried, [](const auto& each) { return each->met == 0; });
    if (dropped != plan_->tried.end() && (*dropped)->rows != 0) {
      sentences.push_back(
          fmt::format("no row meets the condition behind `{}`", (*dropped)->behind));
    }
    std::ranges::move(plan_->compared.sentences(plan_->spans ? "span" : ""),
                      std::back_inserter(sentences));
    for (const Column& column : plan_->columns) {
      if (column.seen != nullptr && column.seen->mixed())
        sentences.push_back(fmt::format(
            "`{}` is of numbers that event classes give different units, or none", column.name));
    }
    // Of what was read here, findings are reported as such.
    if (plan_->reads_times && merged_.doubtful_times != 0) {
      sentences.push_back(fmt::format(
          "times and durations may not be in ns: of the traces that partial answers are of, {} did "
          "not say how long a tick is, and 1 ns was taken",
          merged_.doubtful_times));
    }
    return sentences;
  }

  [[nodiscard]] QueryCounts counts() const {
    QueryCounts counts = counts_;
    counts.read = counts.selected = events_;
    if (plan_->condition != nullptr) {
      // Conditions count what they let pass when their source ends.
      counts.selected = std::max(plan_->condition->events_passed(), events_);
      counts.read = std::max(plan_->condition->events_seen(), counts.selected);
    }
    if (pairing_) counts.pairs = pairing_->counts();
    QueryCounts all = merged_;
    add_counts(all, counts);
    for (const Column& column : plan_->columns) {
      all.columns.push_back(column.name);
      if (column.seen != nullptr && !column.seen->unit().empty())
        all.units.emplace_back(column.name, column.seen->unit());
    }
    return all;
  }

  // The state of the first groups says all of what came before it.
  Result<void> encode(const TakePortion& take) {
    std::string known(1, kCountsPortion);
    QueryCounts counts = this->counts();
    counts.partial_answers = std::max<std::uint64_t>(counts.partial_answers, 1);
    query::encode(known, counts);
    put_varint(known, has_origin_ ? 1 + std::to_underlying(origin_) : 0);
    for (const SeenUnit& each : plan_->units) each.encode(known);
    if (auto taken = take(known); !taken) return taken;
    return groupings_.back()->encode([&](std::string_view groups) {
      known.assign(1, kGroupsPortion);
      known += groups;
      return take(known);
    });
  }

  [[nodiscard]] bool understands(ByteSpan portion) const {
    if (portion.empty()) return false;
    if (portion.front() == kGroupsPortion)
      return groupings_.back()->understands(portion.subspan(1));
    return portion.front() == kCountsPortion && decode_known(portion.subspan(1)).has_value();
  }

  Result<void> merge(ByteSpan portion) {
    if (portion.front() == kGroupsPortion) return groupings_.back()->merge(portion.subspan(1));
    const auto known = decode_known(portion.subspan(1));
    add_counts(merged_, known->counts);
    for (std::size_t i = 0; i != plan_->units.size(); ++i) plan_->units[i].see(known->units[i]);
    if (!has_origin_ && known->origin) {
      has_origin_ = true;
      origin_ = *known->origin;
    }
    return {};
  }

 private:
  // What the first byte of a portion says of it.
  static constexpr char kCountsPortion = 0;
  static constexpr char kGroupsPortion = 1;
  struct Known {
    QueryCounts counts;
    std::optional<ClockOrigin> origin;
    std::vector<SeenUnit> units;  // of those of the plan
  };

  [[nodiscard]] std::optional<Known> decode_known(ByteSpan bytes) const {
    auto counts = decode_counts(bytes);
    const auto origin = take_varint(bytes);
    constexpr auto kLast = std::to_underlying(ClockOrigin::kCustom);
    if (!counts || !origin || *origin > 1 + kLast) return std::nullopt;
    Known known{.counts = *std::move(counts), .origin = {}, .units = {}};
    if (*origin != 0) known.origin = static_cast<ClockOrigin>(*origin - 1);
    for (std::size_t i = 0; i != plan_->units.size(); ++i) {
      auto unit = SeenUnit::decode(bytes);
      if (!unit) return std::nullopt;
      known.units.push_back(*std::move(unit));
    }
    return bytes.empty() ? std::optional(std::move(known)) : std::nullopt;
  }

  // Adds records from the first on, and returns how many.
  Result<std::size_t> add(std::span<const Record> records) {
    const Record& first = records.front();
    if (first.kind != RecordKind::kEvent) {
      if (auto noted = note(first); !noted) return std::unexpected(noted.error());
      return 1;
    }
    if (!has_origin_) {
      see_origin(records);
      if (has_origin_ && plan_->date && origin_ != ClockOrigin::kUnixEpoch)
        return std::unexpected(*plan_->date);
    }
    if (plan_->fields.compares_units()) count_without_unit(first.event);
    if (plan_->source != RowSource::kEvents) {
      const auto end = std::ranges::find_if(
          records, [](const Record& record) { return record.kind != RecordKind::kEvent; });
      const auto count = static_cast<std::size_t>(end - records.begin());
      events_ += count;
      return count;
    }
    if (event_grouping_ && plan_->limits.empty() && !plan_->fields.compares_units()) {
      const auto added = event_grouping_->add(records);
      events_ += added.value_or(0);
      return added;
    }
    ++events_;
    if (auto added = add(first.event); !added) return std::unexpected(added.error());
    return 1;
  }

  void count_without_unit(const Event& event) {
    WithoutUnit& without = without_unit_[*event.event_class];
    if (!without.is_known) without.is_so = plan_->fields.lacks_unit(*event.event_class);
    without.is_known = true;
    if (without.is_so) plan_->fields.count_without_unit(1);
  }

  void see_origin(std::span<const Record> records) {
    const auto timed = std::ranges::find_if(records, [](const Record& record) {
      return record.kind == RecordKind::kEvent && record.event.has_time();
    });
    if (timed == records.end()) return;
    has_origin_ = true;
    origin_ = timed->event.event_class->clock->origin;
  }

  Result<void> add(const Event& event) {
    if (!plan_->limits.empty() && !passes_limits(event)) return {};
    if (!pairing_) return sink_->add((*plan_->projection)(event));
    counts_.without_time += event.event_class->clock == nullptr ? 1 : 0;
    return pairing_->add(event);
  }

  bool passes_limits(const Event& event) {
    for (EventLimit& limit : plan_->limits) {
      if (limit.reached()) return false;
      ++limit.passed;
      if (!limit.condition) continue;
      const Value& met = (*limit.condition)(event).front();
      ++limit.tried->rows;
      if (met.kind != Value::Kind::kBoolean || !met.boolean) return false;
      ++limit.tried->met;
    }
    return true;
  }

  Result<void> note(const Record& record) {
    // Also of classes whose events a condition leaves out.
    if (record.kind == RecordKind::kStreamBegin) plan_->fields.see(*record.stream);
    if (record.kind == RecordKind::kDescription && record.event_class != nullptr) {
      plan_->fields.see(*record.event_class);
      if (!groupings_.empty()) groupings_.back()->note_trace(record.event_class->entity.trace);
    }
    if (record.kind == RecordKind::kFinding && record.notice->finding.rule != nullptr)
      counts_.doubtful_times += record.notice->finding.rule->doubts_times ? 1 : 0;
    if (record.kind == RecordKind::kProblem) counts_.damaged_bytes += record.notice->finding.length;
    if (record.kind == RecordKind::kProblem && !record.notice->may_cost_events()) return {};
    if (record.kind != RecordKind::kLoss) return pairing_ ? pairing_->see(record) : Result<void>();
    const Loss& loss = *record.loss;
    if (loss.taken_back) {
      counts_.lost -= loss.events.value_or(0);
    } else {
      counts_.lost += loss.events.value_or(0);
      counts_.losses_of_unknown_size += loss.events ? 0 : 1;
    }
    return pairing_ && !loss.of_samples ? pairing_->add(loss) : Result<void>();
  }

  std::unique_ptr<QueryPlan> plan_;
  std::vector<Grouping*> groupings_;  // the first one last
  std::optional<Pairing> pairing_;    // the first stage, or `sink_`
  std::unique_ptr<RowSink> sink_;
  std::optional<EventGrouping> event_grouping_;
  HashKey distinct_key_ = DistinctCounter::kUsualKey;
  std::uint64_t distinct_key_mark_ = mark_of_distinct_key(distinct_key_);
  std::uint64_t events_ = 0;  // that came
  ClockOrigin origin_ = ClockOrigin::kUnknown;
  bool has_origin_ = false;
  bool closed_ = false;
  // Whether what a class says is compared with a literal of a unit that it does not have.
  struct WithoutUnit {
    explicit WithoutUnit(const EventClass&) {}
    bool is_known = false;
    bool is_so = false;
  };
  ClassCache<WithoutUnit> without_unit_;
  QueryCounts counts_;
  QueryCounts merged_;  // of other answers
};

Query::Query(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Query::~Query() = default;

Result<std::unique_ptr<Query>> Query::parse(std::string_view text,
                                            const std::shared_ptr<const Condition>& where,
                                            const std::optional<std::vector<AllColumn>>& all) {
  auto plan = make_plan(text, where, all);
  if (!plan) return std::unexpected(plan.error());
  return std::unique_ptr<Query>(new Query(std::make_unique<Work>(*std::move(plan))));
}

void Query::set_distinct_key(const HashKey& key) { work_->set_distinct_key(key); }
const HashKey& Query::distinct_key() const { return work_->distinct_key(); }
std::uint64_t Query::distinct_key_mark() const { return work_->distinct_key_mark(); }
void Query::set_distinct_key_mark(std::uint64_t mark) { work_->set_distinct_key_mark(mark); }
bool Query::spilled() const { return work_->spilled(); }

const std::shared_ptr<const Condition>& Query::condition() const { return work_->plan().condition; }
bool Query::selects_all() const { return work_->plan().selects_all; }
bool Query::needs_order() const { return work_->plan().needs_order; }
bool Query::minds_clock_steps() const { return work_->minds_clock_steps(); }
void Query::expect_clock_steps(Nanoseconds least) { work_->expect_clock_steps(least); }
bool Query::needs_values() const { return work_->plan().needs_values; }

bool Query::needs_names() const { return work_->plan().needs_names; }
bool Query::needs_symbols() const { return work_->plan().needs_symbols; }
bool Query::any_order() const { return work_->plan().any_order && !work_->plan().needs_order; }
bool Query::compares_times() const { return work_->plan().compares_times; }
void Query::name_traces(const std::function<std::string(const TraceDescription& trace)>& name_of) {
  work_->name_traces(name_of);
}
const SpanPlan* Query::spans() const {
  return work_->plan().spans ? &*work_->plan().spans : nullptr;
}
RowSource Query::source() const { return work_->plan().source; }
Result<void> Query::add_row(std::span<const Value> row) { return work_->add_row(row); }
void Query::note_spans(const SpanCounts& counts) { work_->note_spans(counts); }
void Query::note_allocations(const AllocationCounts& counts) { work_->note_allocations(counts); }
void Query::note_samples(const SampleCounts& counts) { work_->note_samples(counts); }
FieldWatch& Query::fields() const { return work_->plan().fields; }
ClockOrigin Query::origin() const { return work_->origin(); }
std::span<const Column> Query::columns() const { return work_->plan().columns; }
void Query::answer_to(std::unique_ptr<RowSink> sink) { work_->answer_to(std::move(sink)); }
Result<void> Query::add(const Batch& batch) { return work_->add(batch); }
bool Query::full() const { return work_->full(); }
void Query::note_late(std::uint64_t events) { work_->note_late(events); }
void Query::note_unread(std::uint64_t traces) { work_->note_unread(traces); }
Result<void> Query::show() { return work_->show(); }
Result<void> Query::close() { return work_->close(); }
Result<void> Query::finish() { return work_->finish(); }
QueryCounts Query::counts() const { return work_->counts(); }
std::vector<std::string> Query::notices() const { return work_->notices(); }
const std::string& Query::question() const { return work_->plan().question; }
Result<void> Query::adds_up() const {
  return work_->plan().apart ? std::unexpected(*work_->plan().apart) : Result<void>();
}
Result<void> Query::encode(const TakePortion& take) { return work_->encode(take); }
bool Query::understands(ByteSpan portion) const { return work_->understands(portion); }
Result<void> Query::merge(ByteSpan portion) { return work_->merge(portion); }

}  // namespace tracedeck::query
