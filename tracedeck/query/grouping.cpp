#include "tracedeck/query/grouping.hpp"

#include <algorithm>
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
    if (time.kind == Value::Kind::kInteger) see_time(time.integer);
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
    auto file = flow::SpillFile::create({});
    if (!file) return std::unexpected(file.error());
    file_ = *std::move(file);
  }
  std::array<std::string, kParts> parts;
  for (const auto& [key, group] : groups_) encode_group(parts[hash_of(key) >> 58], key, group);
  for (std::size_t i = 0; i < kParts; ++i) {
    if (parts[i].empty()) continue;
    extents_[i].push_back({.offset = file_->size(), .size = parts[i].size()});
    if (auto written = file_->append(bytes_of(parts[i])); !written) return written;
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

bool Grouping::take_group(std::span<const std::uint8_t>& bytes) {
  const auto key = take_text(bytes);
  const auto shown = take_text(bytes);
  if (!key || !shown) return false;
  Group& group = group_of(*key);
  if (group.shown.empty() && !shown->empty()) {
    group.shown = *shown;
    memory_ += shown->size();
  }
  std::vector<AggregateState>& into = group.states;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto state = AggregateState::decode(plan_.aggregates[i].kind, bytes);
    if (!state) return false;
    memory_ += into[i].merge(*state);
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

Result<void> Grouping::encode(std::string& into) {
  query::encode(into, Value::of(begin_));
  query::encode(into, Value::of(end_));
  std::uint64_t count = 0;
  std::string groups;
  const auto done = for_each_part([&]() -> Result<void> {
    for (const auto& [key, group] : groups_) {
      ++count;
      encode_group(groups, key, group);
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
