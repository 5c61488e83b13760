#include "tracedeck/columns/mark_tables.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::columns {
namespace {

using timeline::Mark;
using timeline::MarkKind;
using timeline::NameId;
using timeline::Timeline;
using timeline::TrackId;

constexpr MarkLosses::Table kMarkFacts = {{
    {"slices and waits during which events were lost", "written without a duration", true},
    {"slices, waits and states that began before what is read", "written from there on", false},
    {"slices, waits and states that had not ended", "written up to the end, without a duration",
     false},
    {"arguments of open slices beyond what memory holds", "left out", true},
    {"integers beyond 2^63-1 in arguments", "written as strings", false},
}};

struct ColumnFacts {
  std::string_view name;
  ColumnType type;
  bool nullable = false;
  bool is_time = false;
};
constexpr auto kWord = ColumnType::kWord;
constexpr auto kText = ColumnType::kText;
constexpr auto kInteger = ColumnType::kInteger;
constexpr auto kBoolean = ColumnType::kBoolean;

// In the order of the values of rows.
constexpr std::array<ColumnFacts, 4> kOriginColumns = {{
    {"trace", kWord},
    {"row", kInteger},
    {"host", kWord, true},
    {"process", kWord, true},
}};
constexpr std::array<ColumnFacts, 5> kTrackColumns = {{
    {"track", kWord},
    {"track_kind", kWord, true},
    {"parent", kWord, true},
    {"pid", kInteger, true},
    {"tid", kInteger, true},
}};
constexpr std::array<ColumnFacts, 15> kSpanColumns = {{
    {"begin_ns", kInteger, true, true},
    {"end_ns", kInteger, true, true},
    {"duration_ns", kInteger, true},
    {"kind", kWord},
    {"category", kWord, true},
    {"name", kWord},
    {"began_before", kBoolean},
    {"open_at_end", kBoolean},
    {"across_loss", kBoolean},
    {"inferred_end", kBoolean},
    {"ended_with_task", kBoolean},
    {"negative", kBoolean},
    {"clock_step", kBoolean},
    {"overlap", kBoolean},
    {"arguments", kText, true},
}};
constexpr std::array kSpanFlags = {
    timeline::kBeganBefore, timeline::kOpenAtEnd, timeline::kAcrossLoss, timeline::kInferredEnd,
    timeline::kGone,        timeline::kNegative,  timeline::kClockStep,  timeline::kOverlap,
};
constexpr std::array<ColumnFacts, 7> kStateColumns = {{
    {"begin_ns", kInteger, true, true},
    {"end_ns", kInteger, true, true},
    {"duration_ns", kInteger, true},
    {"state", kWord},
    {"cpu", kInteger, true},
    {"began_before", kBoolean},
    {"open_at_end", kBoolean},
}};
constexpr std::array<ColumnFacts, 4> kCounterColumns = {{
    {"at_ns", kInteger, true, true},
    {"unit", kWord, true},
    {"value", kInteger, true},
    {"real", ColumnType::kDouble, true},
}};
constexpr std::array<ColumnFacts, 6> kInstantColumns = {{
    {"at_ns", kInteger, true, true},
    {"category", kWord, true},
    {"name", kWord},
    {"cpu", kInteger, true},
    {"unmatched_end", kBoolean},
    {"arguments", kText, true},
}};

// Where it arrives comes behind where it left.
constexpr std::array<ColumnFacts, 13> kFlowColumns = {{
    {"begin_ns", kInteger, true, true},
    {"end_ns", kInteger, true, true},
    {"duration_ns", kInteger},
    {"category", kWord, true},
    {"name", kWord},
    {"to_trace", kWord},
    {"to_host", kWord, true},
    {"to_process", kWord, true},
    {"to_track", kWord},
    {"to_track_kind", kWord, true},
    {"to_parent", kWord, true},
    {"to_pid", kInteger, true},
    {"to_tid", kInteger, true},
}};

struct TableFactsOfMarks {
  std::string_view name;
  std::span<const ColumnFacts> columns;
};
// By TableNumber. Samples are instants with a stack.
constexpr std::array<TableFactsOfMarks, 6> kTables = {{
    {kSpanTable, kSpanColumns},
    {kStateTable, kStateColumns},
    {kCounterTable, kCounterColumns},
    {kInstantTable, kInstantColumns},
    {kSampleTable, kInstantColumns},
    {kFlowTable, kFlowColumns},
}};

void add_columns(Column& root, std::span<const ColumnFacts> columns, const TableOptions& options) {
  for (const ColumnFacts& each : columns) {
    if (each.is_time) {
      add_time(root, each.name, options);
    } else {
      root.children.push_back(notice_column(each.name, each.type, each.nullable, true));
    }
  }
}

// The innermost first.
Column stack_column() {
  Column address = notice_column("address", ColumnType::kInteger);
  Column function = notice_column("function", ColumnType::kWord, true);
  Column frame = notice_column("element", ColumnType::kGroup);
  frame.children = {std::move(address), std::move(function)};
  Column stack = notice_column("stack", ColumnType::kList);
  stack.children = {std::move(frame)};
  return stack;
}

std::optional<std::string_view> if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::uint64_t> bits_of(const std::optional<std::int64_t>& value) {
  if (!value) return {};
  return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint64_t> cpu_of(const Mark& mark) {
  if (mark.cpu == timeline::kNoCpu) return {};
  return static_cast<std::uint64_t>(std::int64_t{mark.cpu});
}

}  // namespace

MarkTables::MarkTables()
    : visit_([this](std::string_view name, const query::Value& value) { collect(name, value); }) {}

void MarkTables::attach(Tables& tables, ColumnLosses& losses, TableOptions options) {
  tables_ = &tables;
  losses_ = &losses;
  options_ = std::move(options);
}

Table& MarkTables::table(TableNumber number) {
  if (made_[number] != nullptr) [[likely]]
    return *made_[number];
  Column root;
  add_columns(root, kOriginColumns, options_);
  add_columns(root, kTrackColumns, options_);
  add_columns(root, kTables[number].columns, options_);
  if (number == kSample) root.children.push_back(stack_column());
  add_tags(root, options_.tags);
  made_[number] = &tables_->find_or_make(kTables[number].name, root);
  return *made_[number];
}

MarkTables::TrackState& MarkTables::state_of(TrackId track) {
  if (track >= tracks_.size()) tracks_.resize(track + std::size_t{1});
  return tracks_[track];
}

Result<void> MarkTables::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    if (auto done = put(timeline, mark); !done) return done;
  }
  return tables_->bound_memory();
}

Result<void> MarkTables::put(const Timeline& timeline, const Mark& mark) {
  switch (mark.kind) {
    case MarkKind::kSliceBegin:
      begin_slice(mark);
      return {};
    case MarkKind::kSliceEnd: {
      const auto slice = end_slice(mark);
      return slice ? put_span(timeline, mark, *slice) : Result<void>();
    }
    case MarkKind::kWait:
      return put_span(timeline, mark, {});
    case MarkKind::kInstant:
      return put_instant(timeline, mark);
    case MarkKind::kState:
      return put_state(timeline, mark);
    case MarkKind::kOtherState: {
      Mark state = mark;
      state.time = mark.begin;
      return put_state_row(timeline, state, mark.time, mark.has(timeline::kOpenAtEnd));
    }
    case MarkKind::kCounter:
      return put_counter(timeline, mark);
    case MarkKind::kFlowOut:
      flow_out_ = mark;
      return {};
    case MarkKind::kFlowIn:
      return put_flow(timeline, mark);
    case MarkKind::kGap:
      // Those of losses and damage are rows of their tables.
      return {};
  }
  return {};
}

void MarkTables::begin_slice(const Mark& mark) {
  std::vector<OpenSlice>& open = state_of(mark.track).open;
  if (mark.has(timeline::kMoved) && !moving_.empty()) {
    open.push_back(std::move(moving_.back()));
    moving_.pop_back();
    return;
  }
  collect(mark);
  OpenSlice& slice = open.emplace_back(OpenSlice{.name = mark.name});
  if (held_ + arguments_.bytes > kMostHeld) return counts_.add(MarkLoss::kArguments);
  held_ += arguments_.bytes;
  slice.arguments = std::exchange(arguments_, {});
}

std::optional<MarkTables::OpenSlice> MarkTables::end_slice(const Mark& mark) {
  std::vector<OpenSlice>& open = state_of(mark.track).open;
  OpenSlice slice{.name = mark.name};
  const bool is_open = !open.empty() && open.back().name == mark.name;
  if (is_open) {
    slice = std::move(open.back());
    open.pop_back();
  }
  if (!mark.has(timeline::kMoved)) {
    moves_ = false;
    held_ -= slice.arguments.bytes;
    return slice;
  }
  // Where no lane had room, nothing took those that were to move before.
  if (!std::exchange(moves_, true)) {
    for (const OpenSlice& each : moving_) held_ -= each.arguments.bytes;
    moving_.clear();
  }
  if (is_open) moving_.push_back(std::move(slice));
  return {};
}

Result<void> MarkTables::put_span(const Timeline& timeline, const Mark& mark,
                                  const OpenSlice& slice) {
  collect(mark);
  Table& table = this->table(kSpan);
  const bool is_whole = mark.has_duration();
  {
    RowCursor row(table);
    put_origin(row, &table, timeline, mark.track);
    put_track(row, timeline, mark.track);
    put_time(row, timeline, mark.begin);
    put_time(row, timeline, mark.time);
    row.integer(is_whole ? std::optional(static_cast<std::uint64_t>(mark.duration()))
                         : std::nullopt);
    row.word(mark.kind == MarkKind::kWait ? std::string_view("wait") : std::string_view("slice"));
    put_name(row, timeline, mark.name);
    for (const timeline::MarkFlag flag : kSpanFlags) row.boolean(mark.has(flag));
    put_arguments(row, slice.arguments, arguments_);
  }
  if (mark.has(timeline::kAcrossLoss)) counts_.add(MarkLoss::kAcrossLoss);
  if (mark.has(timeline::kBeganBefore)) counts_.add(MarkLoss::kBeganBefore);
  if (mark.has(timeline::kOpenAtEnd)) counts_.add(MarkLoss::kOpenAtEnd);
  return tables_->appended(table);
}

Result<void> MarkTables::put_state(const Timeline& timeline, const Mark& mark) {
  std::optional<Mark>& state = state_of(mark.track).state;
  Result<void> done;
  if (state) done = put_state_row(timeline, *state, mark.time, mark.has(timeline::kOpenAtEnd));
  state.reset();
  if (mark.name != timeline::kNoName && !mark.has(timeline::kOpenAtEnd)) {
    state = mark;
    // The event is gone by the end of the state.
    state->event = nullptr;
    state->arguments = nullptr;
  }
  return done;
}

Result<void> MarkTables::put_state_row(const Timeline& timeline, const Mark& state,
                                       std::int64_t end, bool is_open) {
  Table& table = this->table(kState);
  const bool began_before = state.has(timeline::kBeganBefore);
  {
    RowCursor row(table);
    put_origin(row, &table, timeline, state.track);
    put_track(row, timeline, state.track);
    put_time(row, timeline, state.time);
    put_time(row, timeline, end);
    row.integer(is_open || began_before
                    ? std::nullopt
                    : std::optional(static_cast<std::uint64_t>(end - state.time)));
    row.word(repaired_utf8(timeline.name(state.name).identity()));
    row.integer(cpu_of(state));
    row.boolean(began_before);
    row.boolean(is_open);
  }
  if (began_before) counts_.add(MarkLoss::kBeganBefore);
  if (is_open) counts_.add(MarkLoss::kOpenAtEnd);
  return tables_->appended(table);
}

Result<void> MarkTables::put_counter(const Timeline& timeline, const Mark& mark) {
  Table& table = this->table(kCounter);
  const bool is_real = mark.has(timeline::kReal);
  {
    RowCursor row(table);
    put_origin(row, &table, timeline, mark.track);
    put_track(row, timeline, mark.track);
    put_time(row, timeline, mark.time);
    row.word_if(mark.track == timeline::kNoTrack ? std::nullopt
                                                 : if_any(timeline.track(mark.track).unit));
    row.integer(is_real ? std::nullopt : std::optional(static_cast<std::uint64_t>(mark.value)));
    row.real(is_real ? std::optional(mark.real) : std::nullopt);
  }
  return tables_->appended(table);
}

Result<void> MarkTables::put_instant(const Timeline& timeline, const Mark& mark) {
  collect(mark);
  Table& table = this->table(has_stack_ ? kSample : kInstant);
  {
    RowCursor row(table);
    put_origin(row, &table, timeline, mark.track);
    put_track(row, timeline, mark.track);
    put_time(row, timeline, mark.time);
    put_name(row, timeline, mark.name);
    row.integer(cpu_of(mark));
    row.boolean(mark.has(timeline::kUnmatchedEnd));
    put_arguments(row, {}, arguments_);
    if (has_stack_) {
      put_stack(row);
    }
  }
  return tables_->appended(table);
}

Result<void> MarkTables::put_flow(const Timeline& timeline, const Mark& mark) {
  Table& table = this->table(kFlow);
  {
    RowCursor row(table);
    put_origin(row, &table, timeline, flow_out_.track);
    put_track(row, timeline, flow_out_.track);
    put_time(row, timeline, flow_out_.time);
    put_time(row, timeline, mark.time);
    row.integer(static_cast<std::uint64_t>(mark.time) - static_cast<std::uint64_t>(flow_out_.time));
    put_name(row, timeline, mark.name);
    put_origin(row, nullptr, timeline, mark.track);
    put_track(row, timeline, mark.track);
  }
  return tables_->appended(table);
}

// A frame for each function, the innermost first; those that are inlined have one address.
void MarkTables::put_stack(RowCursor& row) {
  std::size_t frames = 0;
  for (const std::uint64_t each : stack_)
    frames += std::max<std::size_t>(query::functions_at(each, trace_of_mark_).size(), 1);
  Column& stack = row.next(4 + 12 * frames);
  stack.words32.push_back(static_cast<std::uint32_t>(frames));
  Column& address = stack.children.front().children.front();
  Column& function = stack.children.front().children.back();
  for (const std::uint64_t each : stack_) {
    const std::span<const Function> functions = query::functions_at(each, trace_of_mark_);
    for (const Function& named : functions) {
      address.words64.push_back(each);
      function.valid.push_back(1);
      function.words32.push_back(function.words->number(repaired_utf8(named.name)));
    }
    if (!functions.empty()) continue;
    address.words64.push_back(each);
    function.valid.push_back(0);
  }
}

void MarkTables::put_origin(RowCursor& row, const Table* table, const Timeline& timeline,
                            TrackId track) {
  const timeline::TrackOrigin none;
  const timeline::TrackOrigin& origin =
      track == timeline::kNoTrack ? none : timeline.origin_of(track);
  row.word(repaired_utf8(origin.trace.empty() ? trace_ : origin.trace));
  if (table != nullptr) row.integer(table->rows_before + table->rows);
  row.word_if(if_any(repaired_utf8(origin.host)));
  row.word_if(if_any(repaired_utf8(origin.process)));
}

void MarkTables::put_track(RowCursor& row, const Timeline& timeline, TrackId id) {
  static const timeline::Track kNone;
  const auto track_of = [&](TrackId wanted) -> const timeline::Track& {
    return wanted == timeline::kNoTrack ? kNone : timeline.track(wanted);
  };
  const timeline::Track& track = track_of(id);
  row.word(repaired_utf8(track.name));
  row.word_if(if_any(repaired_utf8(track.group)));
  row.word_if(if_any(repaired_utf8(track_of(track.parent).name)));
  row.integer(bits_of(track.pid));
  row.integer(bits_of(track.tid));
}

void MarkTables::put_name(RowCursor& row, const Timeline& timeline, NameId id) {
  const timeline::MarkName none;
  const timeline::MarkName& name = id == timeline::kNoName ? none : timeline.name(id);
  row.word_if(if_any(repaired_utf8(name.category)));
  row.word(repaired_utf8(name.identity()));
}

void MarkTables::put_time(RowCursor& row, const Timeline& timeline, std::int64_t time) {
  row.time(timeline.absolute(time), timeline.clock(), *losses_);
}

void MarkTables::collect(const Mark& mark) {
  arguments_ = {};
  stack_.clear();
  has_stack_ = false;
  trace_of_mark_ = exporting::trace_of(mark);
  if (mark.arguments != nullptr && mark.event != nullptr) timeline::visit_arguments(mark, visit_);
}

void MarkTables::collect(std::string_view name, const query::Value& value) {
  if (query::is_stack(name, value)) {
    has_stack_ = true;
    (void)query::for_each_address(*value.slot,
                                  [this](std::uint64_t address) { stack_.push_back(address); });
    return;
  }
  using Kind = exporting::Argument::Kind;
  const exporting::Argument argument = reader_.read(value);
  if (argument.kind == Kind::kNone) return;
  text_.clear();
  append_value(argument, value);
  arguments_.add(name, text_.view());
}

void MarkTables::append_value(const exporting::Argument& argument, const query::Value& value) {
  using Kind = exporting::Argument::Kind;
  switch (argument.kind) {
    case Kind::kBoolean:
      return text_.append(argument.boolean ? "true" : "false");
    case Kind::kSigned:
      return append_decimal(text_, argument.integer);
    case Kind::kUnsigned:
    case Kind::kAddress:
      // As a number engines would round it.
      if (argument.natural > std::numeric_limits<std::int64_t>::max()) {
        counts_.add(MarkLoss::kLargeInteger);
        append_json_string(text_, std::to_string(argument.natural));
        return;
      }
      return append_decimal(text_, argument.natural);
    case Kind::kReal:
      return append_json_real(text_, argument.real);
    case Kind::kText:
      if (value.kind == query::Value::Kind::kCompound) return text_.append(argument.text);
      append_json_string(text_, argument.text);
      return;
    case Kind::kNone:
      return;
  }
}

void MarkTables::Arguments::add(std::string_view name, std::string_view value) {
  members.emplace_back(name, value);
  bytes += name.size() + value.size() + sizeof members.front();
}

void MarkTables::put_arguments(RowCursor& row, const Arguments& before, const Arguments& later) {
  if (before.members.empty() && later.members.empty()) return row.text_if(std::nullopt);
  std::unordered_set<std::string_view> said_later;
  for (const auto& [name, value] : later.members) said_later.insert(name);
  text_.clear();
  JsonObject object(text_);
  for (const auto& [name, value] : before.members) {
    if (!said_later.contains(name)) object.key(name).append(value);
  }
  for (const auto& [name, value] : later.members) object.key(name).append(value);
  object.end();
  row.text_if(text_.view());
}

Result<void> MarkTables::finish(const Timeline& timeline) {
  for (TrackId track = 1; track < tracks_.size(); ++track) {
    const std::optional<Mark> state = std::exchange(tracks_[track].state, std::nullopt);
    if (!state) continue;
    const std::int64_t end = std::max(state->time, timeline.end_of(track));
    if (auto done = put_state_row(timeline, *state, end, true); !done) return done;
  }
  return {};
}

Receipt MarkTables::receipt() const { return counts_.receipt(kMarkFacts); }

}  // namespace tracedeck::columns
