#include "tracedeck/query/pairing.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/base/distinct_counter.hpp"
#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/parted_file.hpp"
#include "tracedeck/query/row_sorter.hpp"

namespace tracedeck::query {
namespace {

bool is_true(const Value& value) { return value.kind == Value::Kind::kBoolean && value.boolean; }

EntityId stream_of(const Event& event) {
  return event.stream == nullptr ? EntityId::none() : event.stream->entity;
}

Value value_of(const std::optional<Nanoseconds>& time) {
  return time ? Value::of(Integer::from(*time)) : Value();
}
std::optional<Nanoseconds> take_nanoseconds(ByteSpan& bytes) {
  const Cell cell = decode_cell(bytes).value_or(Cell());
  if (cell.kind != Cell::Kind::kInteger) return std::nullopt;
  return Nanoseconds::from_unsigned(cell.integer.magnitude, cell.integer.negative);
}

void put_stream(std::string& into, const EntityId& stream) {
  put_varint(into, stream.trace);
  put_varint(into, stream.ordinal);
}
EntityId take_stream(ByteSpan& bytes) {
  const std::uint64_t trace = take_varint(bytes).value_or(0);
  return {.trace = trace, .ordinal = take_varint(bytes).value_or(0)};
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

// What was written down to be paired at the end, in parts by the hashes of keys: events that begin
// or end pairs, and in each part all losses. Then pairs, in the order of the events that end them.
struct Pairing::Deferred {
  enum class Kind : std::uint8_t { kBegin, kEnd, kLoss };
  static constexpr std::size_t kParts = 64;
  static constexpr std::size_t kPiece = std::size_t{16} << 10;

  explicit Deferred(std::unique_ptr<PartedFile> to) : file(std::move(to)) {}

  Result<void> add(std::size_t part, std::string_view record) {
    pieces[part] += record;
    return pieces[part].size() < kPiece ? Result<void>() : write(part);
  }
  Result<void> add(std::string_view key, std::string_view record) {
    return add(file->part_of(hash_of(key)), record);
  }
  Result<void> add(std::string_view key, const OpenPair& pair) {
    std::string record(1, static_cast<char>(Kind::kBegin));
    put_text(record, key);
    put_varint(record, pair.number);
    encode(record, value_of(pair.begin));
    put_stream(record, pair.stream);
    put_text(record, pair.kept);
    return add(key, record);
  }
  Result<void> add(std::string_view key, const End& end) {
    std::string record(1, static_cast<char>(Kind::kEnd));
    put_text(record, key);
    put_varint(record, end.number);
    encode(record, value_of(end.time));
    put_text(record, encoded(end.keys));
    put_text(record, encoded(end.kept));
    return add(key, record);
  }
  Result<void> add(const LossOf& loss) {
    std::string record(1, static_cast<char>(Kind::kLoss));
    put_varint(record, loss.number);
    put_stream(record, loss.stream);
    encode(record, value_of(loss.times.begin));
    encode(record, value_of(loss.times.end));
    for (std::size_t part = 0; part < kParts; ++part) {
      if (auto added = add(part, record); !added) return added;
    }
    return {};
  }
  Result<void> write(std::size_t part) {
    auto written = file->append(part, as_bytes(pieces[part]));
    pieces[part].clear();
    return written;
  }

  std::unique_ptr<PartedFile> file;
  std::array<std::string, kParts> pieces = {};  // not yet written
  RowSorter pairs{{.descending = {false}, .memory = std::size_t{8} << 20}};
};

Pairing::Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)),
      projection_(std::move(projection)),
      next_(std::move(next)),
      open_(plan_.memory) {}
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
  const std::span<const Value> values = projection_(event);
  last_ = event.began_at();
  ++number_;
  // An event may end a pair and begin the next.
  bool has_keys = true;
  if (is_true(values[1])) {
    has_keys = take_key(values.subspan(2 + plan_.keys, plan_.keys));
    if (has_keys) {
      if (auto ended = take_end(event, values); !ended) return ended;
    }
  }
  Result<void> done;
  if (is_true(values[0])) {
    const bool begins = take_key(values.subspan(2, plan_.keys));
    has_keys = has_keys && begins;
    if (begins) done = take_begin(event, values);
  }
  counts_.without_key += has_keys ? 0 : 1;
  return done;
}

Result<void> Pairing::take_begin(const Event& event, std::span<const Value> values) {
  const std::string kept = encoded(values.subspan(2 + 2 * plan_.keys, plan_.kept_of_a));
  const OpenPair pair{.begin = event.began_at(),
                      .number = number_,
                      .stream = plan_.by_stream ? stream_of(event) : EntityId::none(),
                      .kept = kept};
  if (deferred_ == nullptr && begin(pair)) return {};
  if (deferred_ == nullptr) {
    if (auto done = defer(); !done) return done;
  }
  return deferred_->add(key_, pair);
}

Result<void> Pairing::take_end(const Event& event, std::span<const Value> values) {
  const std::span<const Value> keys = values.subspan(2 + plan_.keys, plan_.keys);
  const End end{.number = number_,
                .time = event.began_at(),
                .keys = keys,
                .kept = values.last(plan_.kept_of_b)};
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
  if (is_void(*open, end.time)) {
    ++counts_.void_by_loss;
    return {};
  }
  const Integer duration = Integer::from(end.time - open->begin);
  if (plan_.within && duration > *plan_.within) {
    ++counts_.too_long;
    return {};
  }
  ++counts_.pairs;
  const std::vector<Cell> kept = decode_cells(as_bytes(open->kept));
  std::vector<Value> row = {Value::of(Integer::from(open->begin)),
                            Value::of(Integer::from(end.time)), Value::of(duration)};
  std::ranges::copy(end.keys, std::back_inserter(row));
  for (const Cell& cell : kept) row.push_back(cell.value());
  std::ranges::copy(end.kept, std::back_inserter(row));
  if (deferred_ == nullptr) return next_->add(row);
  return deferred_->pairs.add(std::array{Value::of(end.number)}, row);
}

bool Pairing::is_void(const OpenPair& pair, Nanoseconds end) const {
  if (lost_.of_all.concern(pair.number, pair.begin, end)) return true;
  if (lost_.of_one.empty()) return false;
  const auto lost = lost_.of_one.find(pair.stream);
  return lost != lost_.of_one.end() && lost->second.concern(pair.number, pair.begin, end);
}

Result<void> Pairing::add(const Loss& loss) {
  if (loss.taken_back) return {};
  const bool of_all = !plan_.by_stream || loss.stream == nullptr;
  const LossOf lost{.number = number_,
                    .stream = of_all ? EntityId::none() : loss.stream->entity,
                    .times = {.begin = loss.begin, .end = loss.end}};
  if (deferred_ != nullptr) return deferred_->add(lost);
  note(lost);
  return {};
}

void Pairing::note(const LossOf& loss) {
  const bool of_all = loss.stream == EntityId::none();
  // Pairs that began with the event of that number wait already.
  (of_all ? lost_.of_all : lost_.of_one[loss.stream]).add(loss.times, loss.number + 1);
}

// What waits will not end any more.
void Pairing::end_none() {
  open_.for_each([this](std::string_view, const OpenPair& pair) {
    ++(is_void(pair, last_) ? counts_.void_by_loss : counts_.without_end);
  });
  open_.clear();
}

Result<void> Pairing::close() {
  if (deferred_ != nullptr) return pair_deferred();
  end_none();
  return {};
}

Result<void> Pairing::defer() {
  auto file = PartedFile::create(Deferred::kParts);
  if (!file) return std::unexpected(file.error());
  deferred_ = std::make_unique<Deferred>(*std::move(file));
  Result<void> done;
  open_.for_each([&](std::string_view key, const OpenPair& pair) {
    if (done) done = deferred_->add(key, pair);
  });
  open_.clear();
  return done;
}

Result<void> Pairing::pair_deferred() {
  const Lost before = lost_;
  open_.allow(plan_.memory_of_part);
  for (std::size_t part = 0; part < Deferred::kParts; ++part) {
    if (auto written = deferred_->write(part); !written) return written;
    lost_ = before;
    const auto paired = deferred_->file->for_each(part, [this](ByteSpan records) -> Result<void> {
      while (!records.empty()) {
        if (auto done = pair_again(records); !done) return done;
      }
      return {};
    });
    if (!paired) return paired;
    end_none();
  }
  return deferred_->pairs.hand_on([this](std::span<const Value> row) -> Result<bool> {
    if (auto added = next_->add(row); !added) return std::unexpected(added.error());
    return !next_->full();
  });
}

Result<void> Pairing::pair_again(ByteSpan& record) {
  const auto kind = static_cast<Deferred::Kind>(record.front());
  record = record.subspan(1);
  if (kind == Deferred::Kind::kLoss) {
    LossOf loss{.number = take_varint(record).value_or(0), .stream = take_stream(record)};
    loss.times.begin = take_nanoseconds(record);
    loss.times.end = take_nanoseconds(record);
    note(loss);
    return {};
  }
  key_ = take_text(record).value_or("");
  const std::uint64_t number = take_varint(record).value_or(0);
  const Nanoseconds time = take_nanoseconds(record).value_or(Nanoseconds());
  if (kind == Deferred::Kind::kBegin) {
    OpenPair pair{.begin = time, .number = number, .stream = take_stream(record)};
    pair.kept = take_text(record).value_or("");
    counts_.not_held += begin(pair) ? 0 : 1;
    return {};
  }
  const std::vector<Cell> keys = decode_cells(as_bytes(take_text(record).value_or("")));
  const std::vector<Cell> kept = decode_cells(as_bytes(take_text(record).value_or("")));
  return end({.number = number, .time = time, .keys = values_of(keys), .kept = values_of(kept)});
}

}  // namespace tracedeck::query
