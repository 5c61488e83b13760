#include "tracedeck/query/grouping.hpp"

#include <algorithm>
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

// Groups in the order of their keys, of which one without a name may belong to the one behind it.
class LateNames {
 public:
  struct Entry {
    std::string key;
    Group group;
  };
  using Groups = std::vector<Entry>;

  explicit LateNames(std::size_t values) : values_(values) {}

  // Returns those that are settled.
  Groups add(std::string_view key, Group group) {
    Groups settled;
    const std::string_view values = values_of(key);
    const bool same = !held_.empty() && held_.front().key == values;
    bool hold = values == key;
    if (same && held_.size() == 1 && are_names(key.substr(values.size()))) {
      hold = true;
    } else {
      settled = same ? std::exchange(held_, {}) : take();
    }
    (hold ? held_ : settled).push_back({.key = std::string(key), .group = std::move(group)});
    return settled;
  }

  // Those that are not settled yet.
  Groups take() {
    if (held_.size() == 2) {
      held_.back().group.add(held_.front().group);
      held_.erase(held_.begin());
    }
    return std::exchange(held_, {});
  }

 private:
  [[nodiscard]] std::string_view values_of(std::string_view key) const {
    ByteSpan rest = bytes_of(key);
    for (std::size_t i = 0; i < values_; ++i) (void)decode_cell(rest);
    return key.substr(0, key.size() - rest.size());
  }
  static bool are_names(std::string_view labels) {
    ByteSpan rest = bytes_of(labels);
    const auto cell = decode_cell(rest);
    return cell && cell->boolean;
  }

  std::size_t values_;
  Groups held_;  // at most one without a name, and one of its number with a name
};

}  // namespace

Grouping::Grouping(GroupingPlan plan, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)), next_(std::move(next)) {}

Group Grouping::new_group() const {
  Group group;
  group.states.reserve(plan_.aggregates.size());
  for (const GroupingPlan::Aggregate& each : plan_.aggregates)
    group.states.emplace_back(each.kind, plan_.distinct_key);
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

// Behind the values: whether all labels are names that the trace gives, the bucket, and the values
// with their labels.
void Grouping::put_labels(std::span<const Value> row, std::size_t bucket) {
  const auto keys = row.first(plan_.keys);
  if (std::ranges::none_of(keys, has_any_label)) return;
  const bool are_names = std::ranges::all_of(
      keys, [](const Value& key) { return key.has_name || !has_any_label(key); });
  has_names_ = has_names_ || are_names;
  query::encode(key_, Value::of(are_names));
  key_.append(std::string(key_, 0, bucket));
  for (const Value& key : keys) query::encode(key_, key);
}

void Grouping::note_shown(Group& group, std::span<const Value> row, std::size_t bucket) {
  const auto keys = row.first(plan_.keys);
  if (std::ranges::none_of(keys, &Value::is_text)) return;
  group.shown.assign(key_, 0, bucket);
  for (const Value& key : keys) query::encode(group.shown, key);
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
  if (labels) put_labels(row, bucket);
  Group& group = group_of(key_);
  if (labels && group.shown.empty()) note_shown(group, row, bucket);
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

void Grouping::encode_group(std::string& into, const Group& group) {
  put_text(into, group.shown);
  for (const AggregateState& each : group.states) each.encode(into);
}

std::optional<Group> Grouping::decode_group(ByteSpan& bytes) const {
  const auto shown = take_text(bytes);
  if (!shown) return std::nullopt;
  Group group{.shown = std::string(*shown)};
  group.states.reserve(plan_.aggregates.size());
  for (const GroupingPlan::Aggregate& each : plan_.aggregates) {
    auto state = AggregateState::decode(each.kind, bytes);
    if (!state) return std::nullopt;
    group.states.push_back(*std::move(state));
  }
  return group;
}

std::size_t Group::add(const Group& other) {
  std::size_t grown = 0;
  if (shown.empty()) {
    shown = other.shown;
    grown += shown.size();
  }
  for (std::size_t i = 0; i < states.size(); ++i) grown += states[i].merge(other.states[i]);
  return grown;
}

Group Grouping::copy_of(const Group& group) const {
  std::string bytes;
  encode_group(bytes, group);
  ByteSpan rest = bytes_of(bytes);
  return decode_group(rest).value_or(Group());
}

Result<void> Grouping::spill() {
  if (!sorter_) {
    sorter_.emplace(RowOrder{.descending = std::vector<bool>(key_values(), false),
                             .by_bytes = true,
                             .memory = plan_.memory / 3 * 2});
  }
  std::string encoded;
  for (const auto& [key, group] : groups_) {
    encoded.clear();
    encode_group(encoded, group);
    if (auto added = sorter_->add(key, encoded); !added) return added;
  }
  groups_.clear();
  last_group_ = nullptr;
  ++generation_;
  memory_ = 0;
  return {};
}

Result<void> Grouping::for_each_group(const VisitGroup& visit) {
  if (!has_names_ || several_traces_) return for_each_key(visit);
  LateNames named(key_values());
  bool wanted = true;
  const auto hand_on_to = [&](const LateNames::Groups& groups) -> Result<bool> {
    for (const auto& [key, group] : groups) {
      const auto more = visit(key, group);
      if (!more) return more;
      wanted = *more;
      if (!wanted) break;
    }
    return wanted;
  };
  const auto done = for_each_key([&](std::string_view key, const Group& group) -> Result<bool> {
    return hand_on_to(named.add(key, copy_of(group)));
  });
  if (!done || !wanted) return done;
  const auto last = hand_on_to(named.take());
  return last ? Result<void>() : std::unexpected(last.error());
}

Result<void> Grouping::for_each_key(const VisitGroup& visit) {
  if (sorter_) return for_each_spilled(visit);
  struct Ordered {
    std::uint64_t rank;
    const Groups::value_type* group;
  };
  std::vector<Ordered> places;
  places.reserve(groups_.size());
  for (const auto& each : groups_)
    places.push_back({.rank = rank_of(bytes_of(each.first)), .group = &each});
  std::ranges::sort(places, [values = key_values()](const Ordered& a, const Ordered& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return order_of_first(values, bytes_of(a.group->first), bytes_of(b.group->first)) < 0;
  });
  for (const Ordered& each : places) {
    const auto wanted = visit(each.group->first, each.group->second);
    if (!wanted) return std::unexpected(wanted.error());
    if (!*wanted) break;
  }
  return {};
}

Result<void> Grouping::for_each_spilled(const VisitGroup& visit) {
  if (auto spilled = spill(); !spilled) return spilled;
  groups_ = Groups();
  std::string key;
  std::optional<Group> group;
  const auto taken = sorter_->hand_on_bytes([&](ByteSpan keys, ByteSpan bytes) -> Result<bool> {
    auto next = decode_group(bytes);
    if (!next)
      return fail(ErrorCode::kReadFailed, "the temporary file does not hold what was written");
    const std::string_view next_key(reinterpret_cast<const char*>(keys.data()), keys.size());
    if (group && key == next_key) {
      group->add(*next);
      return true;
    }
    if (group) {
      const auto wanted = visit(key, *group);
      if (!wanted || !*wanted) {
        group.reset();
        return wanted;
      }
    }
    key = next_key;
    group = std::move(next);
    return true;
  });
  if (!taken || !group) return taken;
  const auto last = visit(key, *group);
  return last ? Result<void>() : std::unexpected(last.error());
}

double Grouping::seconds() const {
  constexpr double kSecond = 1e9;
  if (plan_.every) return plan_.every->to_real() / kSecond;
  const auto all = begin_ && end_ ? subtract(*end_, *begin_) : std::nullopt;
  return all ? all->to_real() / kSecond : 0;
}

Result<bool> Grouping::hand_on(std::string_view key, const Group& group) {
  std::vector<Cell> cells = decode_cells(bytes_of(group.shown.empty() ? key : group.shown));
  // Of the values with and without labels, the former.
  if (cells.size() > key_values())
    cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(key_values()) + 1);
  for (std::size_t i = 0; i < plan_.aggregates.size(); ++i)
    cells.push_back(group.states[i].result(plan_.aggregates[i].part, seconds()));
  std::vector<Value> values;
  values.reserve(cells.size());
  for (const Cell& cell : cells) values.push_back(cell.value());
  if (auto added = next_->add(values); !added) return std::unexpected(added.error());
  return !next_->full();
}

Result<void> Grouping::finish() {
  // Of nothing, all of it is still an answer: none.
  if (plan_.keys == 0 && !plan_.every && groups_.empty() && !sorter_) group_of({});
  const auto done = for_each_group(
      [this](std::string_view key, const Group& group) { return hand_on(key, group); });
  return done ? next_->finish() : done;
}

Result<void> Grouping::encode(const TakePortion& take) {
  constexpr std::size_t kPortion = std::size_t{64} << 10;
  std::string times;
  query::encode(times, Value::of(begin_));
  query::encode(times, Value::of(end_));
  std::string portion = times;
  const auto done = for_each_group([&](std::string_view key, const Group& group) -> Result<bool> {
    put_text(portion, key);
    encode_group(portion, group);
    if (portion.size() < kPortion) return true;
    if (auto taken = take(portion); !taken) return std::unexpected(taken.error());
    portion = times;
    return true;
  });
  return done ? take(portion) : done;
}

bool Grouping::is_key(std::string_view key) const {
  ByteSpan bytes = bytes_of(key);
  const auto take_values = [&] {
    for (std::size_t i = 0; i < key_values(); ++i) {
      if (!decode_cell(bytes)) return false;
    }
    return true;
  };
  if (!take_values()) return false;
  if (bytes.empty()) return true;
  const auto are_names = decode_cell(bytes);
  return are_names && are_names->kind == Cell::Kind::kBoolean && take_values() && bytes.empty();
}

bool Grouping::understands(ByteSpan portion) const {
  const auto is_time = [](const std::optional<Cell>& cell) {
    return cell && (cell->kind == Cell::Kind::kInteger || cell->kind == Cell::Kind::kUnknown);
  };
  if (!is_time(decode_cell(portion)) || !is_time(decode_cell(portion))) return false;
  while (!portion.empty()) {
    const auto key = take_text(portion);
    if (!key || !is_key(*key)) return false;
    const auto group = decode_group(portion);
    if (!group || !(group->shown.empty() || is_key(group->shown))) return false;
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
  several_traces_ = true;
  while (!portion.empty()) {
    const auto key = take_text(portion);
    const auto group = key ? decode_group(portion) : std::nullopt;
    if (!group) break;
    memory_ += group_of(*key).add(*group);
    if (memory_ <= plan_.memory) continue;
    if (auto spilled = spill(); !spilled) return spilled;
  }
  return {};
}

}  // namespace tracedeck::query
