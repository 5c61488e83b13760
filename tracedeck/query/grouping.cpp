#include "tracedeck/query/grouping.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::query {
namespace {

// What an entry of the table takes besides its key and its states.
constexpr std::size_t kGroupEntry = 96;

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

GroupState Grouping::new_state() const {
  GroupState state;
  state.reserve(plan_.aggregates.size());
  for (const GroupingPlan::Aggregate& each : plan_.aggregates) state.emplace_back(each.kind);
  return state;
}

GroupState& Grouping::group_of(std::string_view key) {
  if (last_state_ != nullptr && last_ == key) return *last_state_;
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    found = groups_.emplace(std::string(key), new_state()).first;
    memory_ += kGroupEntry + key.size() + plan_.aggregates.size() * sizeof(AggregateState);
  }
  last_ = key;
  last_state_ = &found->second;
  return found->second;
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
    if (time.kind == Value::Kind::kInteger) {
      if (!begin_ || time.integer < *begin_) begin_ = time.integer;
      if (!end_ || time.integer > *end_) end_ = time.integer;
    }
    if (plan_.every) put_bucket(time);
  }
  for (const Value& key : row.first(plan_.keys)) query::encode(key_, key);
  GroupState& state = group_of(key_);
  for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
    const auto& argument = plan_.aggregates[i].argument;
    if (!argument) {
      state[i].add_event();
      continue;
    }
    const std::size_t before = state[i].memory();
    state[i].add(row[*argument]);
    memory_ += state[i].memory() - before;
  }
  if (memory_ > plan_.memory) return spill();
  return {};
}

Result<void> Grouping::spill() {
  if (file_ == nullptr) {
    auto file = flow::SpillFile::create({});
    if (!file) return std::unexpected(file.error());
    file_ = *std::move(file);
  }
  std::array<std::string, kParts> parts;
  for (const auto& [key, state] : groups_) {
    std::string& part = parts[hash_of(key) >> 58];
    put_text(part, key);
    for (const AggregateState& each : state) each.encode(part);
  }
  for (std::size_t i = 0; i < kParts; ++i) {
    if (parts[i].empty()) continue;
    extents_[i].push_back({.offset = file_->size(), .size = parts[i].size()});
    if (auto written = file_->append(bytes_of(parts[i])); !written) return written;
  }
  groups_.clear();
  last_state_ = nullptr;
  memory_ = 0;
  return {};
}

bool Grouping::take_group(std::span<const std::uint8_t>& bytes) {
  const auto key = take_text(bytes);
  if (!key) return false;
  GroupState& into = group_of(*key);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto state = AggregateState::decode(plan_.aggregates[i].kind, bytes);
    if (!state) return false;
    const std::size_t before = into[i].memory();
    into[i].merge(*state);
    memory_ += into[i].memory() - before;
  }
  return true;
}

bool Grouping::take_groups(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (!take_group(bytes)) return false;
  }
  return true;
}

// Calls `visit` with all groups in memory, part by part where some were put aside.
Result<void> Grouping::for_each_part(const std::function<Result<void>()>& visit) {
  if (file_ == nullptr) return visit();
  if (auto spilled = spill(); !spilled) return spilled;
  for (const std::vector<Extent>& extents : extents_) {
    for (const Extent& extent : extents) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(extent.size));
      if (auto read = file_->read(extent.offset, bytes); !read) return read;
      if (!take_groups(bytes))
        return fail(ErrorCode::kReadFailed, "the temporary file does not hold what was written");
    }
    if (auto visited = visit(); !visited) return visited;
    groups_.clear();
    last_state_ = nullptr;
    memory_ = 0;
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
    const GroupState* state;
  };
  std::vector<Row> rows;
  for (const auto& [key, state] : groups_) {
    Row& row = rows.emplace_back(Row{.keys = {}, .state = &state});
    std::span<const std::uint8_t> bytes = bytes_of(key);
    while (!bytes.empty()) row.keys.push_back(decode_cell(bytes).value_or(Cell()));
  }
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      if (const auto order = order_of(a.keys[i], b.keys[i]); order != 0) return order < 0;
    }
    return false;
  });
  std::vector<Cell> results;
  std::vector<Value> values;
  for (const Row& row : rows) {
    results.clear();
    values.clear();
    for (std::size_t i = 0; i < plan_.aggregates.size(); ++i)
      results.push_back((*row.state)[i].result(plan_.aggregates[i].part, seconds()));
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

Result<void> Grouping::encode(std::string& into) {
  query::encode(into, Value::of(begin_));
  query::encode(into, Value::of(end_));
  std::uint64_t count = 0;
  std::string groups;
  const auto done = for_each_part([&]() -> Result<void> {
    for (const auto& [key, state] : groups_) {
      ++count;
      put_text(groups, key);
      for (const AggregateState& each : state) each.encode(groups);
    }
    return {};
  });
  if (!done) return done;
  put_varint(into, count);
  into += groups;
  return {};
}

Result<bool> Grouping::merge(std::span<const std::uint8_t>& bytes) {
  const auto begin = decode_cell(bytes);
  const auto end = decode_cell(bytes);
  const auto count = take_varint(bytes);
  if (!begin || !end || !count) return false;
  if (begin->kind == Cell::Kind::kInteger && (!begin_ || begin->integer < *begin_))
    begin_ = begin->integer;
  if (end->kind == Cell::Kind::kInteger && (!end_ || end->integer > *end_)) end_ = end->integer;
  for (std::uint64_t i = 0; i < *count; ++i) {
    if (!take_group(bytes)) return false;
    if (memory_ <= plan_.memory) continue;
    if (auto spilled = spill(); !spilled) return std::unexpected(spilled.error());
  }
  return true;
}

}  // namespace tracedeck::query
