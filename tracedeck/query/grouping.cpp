#include "tracedeck/query/grouping.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::query {
namespace {

// What an entry of the table takes besides its key and its states.
constexpr std::size_t kGroupEntry = 128;

ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The time that the bucket of `time` begins at.
std::optional<Integer> bucket_of(const Integer& time, const Integer& every) {
  const auto rest = remainder(time, every);
  if (!rest) return std::nullopt;
  auto begin = subtract(time, *rest);
  // Before the origin, too, buckets go by the time that they begin at.
  if (begin && rest->negative) begin = subtract(*begin, every);
  return begin;
}

}  // namespace

std::size_t Grouping::KeyHash::operator()(std::string_view key) const { return hash_of(key); }

Grouping::Grouping(GroupingPlan plan, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)), next_(std::move(next)) {}

Group Grouping::new_group() const {
  Group group;
  group.states.reserve(plan_.aggregates.size());
  for (const GroupingPlan::Aggregate& each : plan_.aggregates) group.states.emplace_back(each.kind);
  return group;
}

Group& Grouping::group_of(std::string_view key) {
  if (last_group_ != nullptr && last_ == key) return *last_group_;
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    found = groups_.emplace(std::string(key), new_group()).first;
    memory_ += kGroupEntry + key.size() + plan_.aggregates.size() * sizeof(AggregateState);
  }
  last_ = key;
  last_group_ = &found->second;
  return found->second;
}

void Grouping::note_labels(Group& group, std::span<const Value> row, std::size_t bucket) {
  group.shown.assign(key_, 0, bucket);
  for (const Value& key : row.first(plan_.keys)) query::encode(group.shown, key);
  memory_ += group.shown.size();
}

void Grouping::put_bucket(const Value& time) {
  const bool is_time = time.kind == Value::Kind::kInteger;
  const auto bucket = is_time ? bucket_of(time.integer, *plan_.every) : std::nullopt;
  query::encode(key_, Value::of(bucket));
}

Result<void> Grouping::add(std::span<const Value> row) {
  key_.clear();
  if (plan_.time) {
    const Value& time = row[*plan_.time];
    if (time.kind == Value::Kind::kInteger) note_times(time.integer, time.integer);
    if (plan_.every) put_bucket(time);
  }
  const std::size_t bucket = key_.size();
  bool labels = false;
  for (const Value& key : row.first(plan_.keys)) {
    encode_plain(key_, key);
    labels = labels || may_have_labels(key);
  }
  Group& group = group_of(key_);
  if (labels && group.shown.empty()) note_labels(group, row, bucket);
  std::vector<AggregateState>& state = group.states;
  for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
    const auto& argument = plan_.aggregates[i].argument;
    if (!argument) {
      state[i].add_event();
      continue;
    }
    memory_ += state[i].add(row[*argument]);
  }
  return make_room();
}

void Grouping::encode_group(std::string& into, std::string_view key, const Group& group) const {
  put_text(into, key);
  put_text(into, group.shown);
  for (const AggregateState& each : group.states) each.encode(into);
}

Result<void> Grouping::spill() {
  if (file_ == nullptr) {
    auto file = PartedFile::create(kParts);
    if (!file) return std::unexpected(file.error());
    file_ = *std::move(file);
  }
  std::array<std::string, kParts> parts;
  for (const auto& [key, group] : groups_)
    encode_group(parts[file_->part_of(hash_of(key))], key, group);
  for (std::size_t i = 0; i < kParts; ++i) {
    if (auto written = file_->append(i, bytes_of(parts[i])); !written) return written;
  }
  forget_groups();
  return {};
}

void Grouping::forget_groups() {
  groups_.clear();
  last_group_ = nullptr;
  ++generation_;
  memory_ = 0;
}

std::optional<Grouping::EncodedGroup> Grouping::decode_group(ByteSpan& bytes) const {
  const auto key = take_text(bytes);
  const auto shown = take_text(bytes);
  if (!key || !shown) return std::nullopt;
  EncodedGroup group{.key = *key, .shown = *shown, .states = {}};
  for (const GroupingPlan::Aggregate& each : plan_.aggregates) {
    auto state = AggregateState::decode(each.kind, bytes);
    if (!state) return std::nullopt;
    group.states.push_back(*std::move(state));
  }
  return group;
}

void Grouping::add_group(const EncodedGroup& encoded) {
  Group& group = group_of(encoded.key);
  if (group.shown.empty() && !encoded.shown.empty()) {
    group.shown = encoded.shown;
    memory_ += encoded.shown.size();
  }
  for (std::size_t i = 0; i < group.states.size(); ++i)
    memory_ += group.states[i].merge(encoded.states[i]);
}

bool Grouping::take_groups(ByteSpan bytes) {
  while (!bytes.empty()) {
    const auto group = decode_group(bytes);
    if (!group) return false;
    add_group(*group);
  }
  return true;
}

// Calls `visit` with all groups in memory, part by part where some were put aside.
Result<void> Grouping::for_each_part(const std::function<Result<void>()>& visit) {
  if (file_ == nullptr) return visit();
  if (auto spilled = spill(); !spilled) return spilled;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto taken = file_->for_each(part, [this](ByteSpan bytes) -> Result<void> {
      if (take_groups(bytes)) return {};
      return fail(ErrorCode::kReadFailed, "the temporary file does not hold what was written");
    });
    if (!taken) return taken;
    if (auto visited = visit(); !visited) return visited;
    forget_groups();
  }
  return {};
}

double Grouping::seconds() const {
  constexpr double kSecond = 1e9;
  if (plan_.every) return plan_.every->to_real() / kSecond;
  const auto all = begin_ && end_ ? subtract(*end_, *begin_) : std::nullopt;
  return all ? all->to_real() / kSecond : 0;
}

Result<void> Grouping::hand_on() {
  struct Row {
    std::vector<Cell> keys;
    std::string_view key;
    const Group* group;
  };
  std::vector<Row> rows;
  for (const auto& [key, group] : groups_) {
    Row& row = rows.emplace_back(Row{.keys = {}, .key = key, .group = &group});
    std::span<const std::uint8_t> bytes = bytes_of(group.shown.empty() ? key : group.shown);
    while (!bytes.empty()) row.keys.push_back(decode_cell(bytes).value_or(Cell()));
  }
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      if (const auto order = order_of(a.keys[i], b.keys[i]); order != 0) return order < 0;
    }
    return a.key < b.key;
  });
  std::vector<Cell> results;
  std::vector<Value> values;
  for (const Row& row : rows) {
    results.clear();
    values.clear();
    for (std::size_t i = 0; i < plan_.aggregates.size(); ++i)
      results.push_back(row.group->states[i].result(plan_.aggregates[i].part, seconds()));
    for (const Cell& key : row.keys) values.push_back(key.value());
    for (const Cell& result : results) values.push_back(result.value());
    if (auto added = next_->add(values); !added) return added;
    if (next_->full()) break;
  }
  return {};
}

Result<void> Grouping::finish() {
  // Of nothing, all of it is still an answer: none.
  if (plan_.keys == 0 && !plan_.every && groups_.empty() && file_ == nullptr) group_of({});
  if (auto done = for_each_part([this] { return hand_on(); }); !done) return done;
  return next_->finish();
}

Result<void> Grouping::encode(const TakePortion& take) {
  constexpr std::size_t kPortion = std::size_t{64} << 10;
  std::string times;
  query::encode(times, Value::of(begin_));
  query::encode(times, Value::of(end_));
  std::string portion = times;
  const auto done = for_each_part([&]() -> Result<void> {
    for (const auto& [key, group] : groups_) {
      encode_group(portion, key, group);
      if (portion.size() < kPortion) continue;
      if (auto taken = take(portion); !taken) return taken;
      portion = times;
    }
    return {};
  });
  return done ? take(portion) : done;
}

bool Grouping::is_key(std::string_view key) const {
  ByteSpan bytes = bytes_of(key);
  const std::size_t values = plan_.keys + (plan_.every ? 1 : 0);
  for (std::size_t i = 0; i < values; ++i) {
    if (!decode_cell(bytes)) return false;
  }
  return bytes.empty();
}

bool Grouping::understands(ByteSpan portion) const {
  const auto is_time = [](const std::optional<Cell>& cell) {
    return cell && (cell->kind == Cell::Kind::kInteger || cell->kind == Cell::Kind::kUnknown);
  };
  if (!is_time(decode_cell(portion)) || !is_time(decode_cell(portion))) return false;
  while (!portion.empty()) {
    const auto group = decode_group(portion);
    if (!group || !is_key(group->key) || !(group->shown.empty() || is_key(group->shown)))
      return false;
  }
  return true;
}

Result<void> Grouping::merge(ByteSpan portion) {
  const auto time_of = [](const std::optional<Cell>& cell) {
    return cell && cell->kind == Cell::Kind::kInteger ? std::optional(cell->integer) : std::nullopt;
  };
  const auto begin = time_of(decode_cell(portion));
  const auto end = time_of(decode_cell(portion));
  note_times(begin, end);
  while (!portion.empty()) {
    const auto group = decode_group(portion);
    if (!group) break;
    add_group(*group);
    if (memory_ <= plan_.memory) continue;
    if (auto spilled = spill(); !spilled) return spilled;
  }
  return {};
}

}  // namespace tracedeck::query
