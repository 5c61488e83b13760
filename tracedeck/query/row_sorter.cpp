#include "tracedeck/query/row_sorter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

// The keys of a row as bytes.
ByteSpan keys_of(ByteSpan row) { return as_bytes(take_text(row).value_or("")); }

// Hands on a row as it lies in memory and in the file.
Result<bool> show_row(ByteSpan row, const RowSorter::VisitBytes& visit) {
  const auto keys = take_text(row);
  return visit(as_bytes(keys.value_or("")), row);
}

}  // namespace

// Reads the rows of a run, one after the other.
class RowSorter::RunReader {
 public:
  RunReader(const SpillFile& file, Run run, std::size_t portion)
      : file_(file), offset_(run.offset), end_(run.offset + run.size), portion_(portion) {}

  // Moves on to the next row; false behind the last.
  Result<bool> next() {
    for (;;) {
      ByteSpan left = ByteSpan(buffer_).subspan(at_);
      const std::size_t had = left.size();
      if (const auto row = take_text(left)) {
        row_ = as_bytes(*row);
        at_ += had - left.size();
        return true;
      }
      if (offset_ == end_) return false;
      if (auto filled = fill(); !filled) return std::unexpected(filled.error());
    }
  }

  [[nodiscard]] ByteSpan row() const { return row_; }
  // Of its first key.
  [[nodiscard]] std::uint64_t rank() const { return rank_; }
  void set_rank(std::uint64_t rank) { rank_ = rank; }

 private:
  Result<void> fill() {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t had = buffer_.size();
    // A row that is longer than a portion is read in ever longer ones.
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max(portion_, had), end_ - offset_));
    buffer_.resize(had + size);
    auto read = file_.read(offset_, std::span(buffer_).subspan(had));
    offset_ += size;
    return read;
  }

  const SpillFile& file_;
  std::uint64_t offset_;
  std::uint64_t end_;
  std::size_t portion_;
  std::vector<std::uint8_t> buffer_;
  std::size_t at_ = 0;
  ByteSpan row_;
  std::uint64_t rank_ = 0;
};

RowSorter::RowSorter(RowOrder order) : order_(std::move(order)) {}
RowSorter::~RowSorter() = default;

std::uint64_t RowSorter::rank_of_row(ByteSpan keys) const {
  const std::uint64_t rank = rank_of(keys);
  return !order_.descending.empty() && order_.descending.front() ? ~rank : rank;
}

std::weak_ordering RowSorter::order_of_keys(ByteSpan a, ByteSpan b) const {
  const ByteSpan all_of_a = a;
  const ByteSpan all_of_b = b;
  for (const bool descending : order_.descending) {
    const auto order = order_of(a, b);
    if (order != 0) return descending ? 0 <=> order : order;
  }
  return order_.by_bytes ? order_of_first(order_.descending.size(), all_of_a, all_of_b)
                         : std::weak_ordering::equivalent;
}

Result<void> RowSorter::add(std::span<const Value> keys, std::span<const Value> row) {
  keys_.clear();
  for (const Value& key : keys) encode(keys_, key);
  row_.clear();
  for (const Value& value : row) encode(row_, value);
  return add(keys_, row_);
}

Result<void> RowSorter::add(std::string_view keys, std::string_view row) {
  if (order_.most == 0) return {};
  const ByteSpan key_bytes = as_bytes(keys);
  const std::uint64_t rank = rank_of_row(key_bytes);
  if (has_bound_ &&
      (rank > bound_rank_ || (rank == bound_rank_ && order_of_keys(key_bytes, bound_) >= 0)))
    return {};
  std::string head;
  put_varint(head, keys.size());
  const std::size_t size = head.size() + keys.size() + row.size();
  if (size > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::kLimitExceeded, "a row of more than 4 GiB cannot be sorted");
  // Rows take three quarters of the memory, their places the rest.
  const std::size_t most_rows = order_.memory / 4 / sizeof(Entry);
  if (entries_.size() >= most_rows || rows_.size() + size > order_.memory / 4 * 3) {
    if (auto made = make_room(); !made) return made;
  }
  // Growing by doubling would take twice as much for a moment.
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  if (rows_.size() > kSmall && rows_.capacity() < order_.memory / 4 * 3) {
    rows_.reserve(order_.memory / 4 * 3);
    entries_.reserve(most_rows);
  }
  entries_.push_back({.rank = rank,
                      .offset = static_cast<std::uint32_t>(rows_.size()),
                      .size = static_cast<std::uint32_t>(size)});
  const auto append = [this](ByteSpan bytes) {
    rows_.insert(rows_.end(), bytes.begin(), bytes.end());
  };
  append(as_bytes(head));
  append(key_bytes);
  append(as_bytes(row));
  constexpr std::uint64_t kFew = 1024;
  if (order_.most && entries_.size() / 2 >= std::max(*order_.most, kFew)) keep_first();
  return {};
}

void RowSorter::sort() {
  std::ranges::sort(entries_, [this](const Entry& a, const Entry& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    const auto order = order_of_keys(keys_of(bytes_of(a)), keys_of(bytes_of(b)));
    return order != 0 ? order < 0 : a.offset < b.offset;
  });
}

void RowSorter::keep_first() {
  sort();
  if (entries_.size() < *order_.most) return;
  entries_.resize(static_cast<std::size_t>(*order_.most));
  const ByteSpan last = keys_of(bytes_of(entries_.back()));
  bound_.assign(last.begin(), last.end());
  bound_rank_ = entries_.back().rank;
  has_bound_ = true;
  std::vector<std::uint8_t> kept;
  for (Entry& entry : entries_) {
    const ByteSpan row = bytes_of(entry);
    entry.offset = static_cast<std::uint32_t>(kept.size());
    kept.insert(kept.end(), row.begin(), row.end());
  }
  rows_ = std::move(kept);
}

Result<void> RowSorter::make_room() {
  if (entries_.empty()) {
    // The first of many, or one that takes more than there is.
    entries_.reserve(order_.memory / 4 / sizeof(Entry));
    rows_.reserve(order_.memory / 4 * 3);
    return {};
  }
  if (order_.most) {
    keep_first();
    if (rows_.size() < order_.memory / 4 && entries_.size() < order_.memory / 8 / sizeof(Entry))
      return {};
  }
  return spill();
}

Result<void> RowSorter::spill() {
  if (file_ == nullptr) {
    auto file = SpillFile::create({});
    if (!file) return std::unexpected(file.error());
    file_ = *std::move(file);
  }
  sort();
  constexpr std::size_t kPortion = std::size_t{256} << 10;
  std::string portion;
  runs_.push_back({.offset = file_->size()});
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const ByteSpan row = bytes_of(entries_[i]);
    put_text(portion, {reinterpret_cast<const char*>(row.data()), row.size()});
    if (portion.size() < kPortion && i + 1 != entries_.size()) continue;
    if (auto written = file_->append(as_bytes(portion)); !written) return written;
    portion.clear();
  }
  runs_.back().size = file_->size() - runs_.back().offset;
  entries_.clear();
  rows_.clear();
  return {};
}

Result<void> RowSorter::hand_on(const Visit& visit) {
  std::vector<Value> values;
  return hand_on_bytes([&](ByteSpan, ByteSpan row) {
    const std::vector<Cell> cells = decode_cells(row);
    values.clear();
    for (const Cell& cell : cells) values.push_back(cell.value());
    return visit(values);
  });
}

Result<void> RowSorter::hand_on_bytes(const VisitBytes& visit) {
  if (!runs_.empty()) {
    if (auto spilled = spill(); !spilled) return spilled;
    entries_ = {};
    rows_ = {};
    return merge_runs(visit);
  }
  sort();
  const std::size_t most = static_cast<std::size_t>(
      std::min<std::uint64_t>(entries_.size(), order_.most.value_or(entries_.size())));
  for (const Entry& entry : std::span(entries_).first(most)) {
    auto wanted = show_row(bytes_of(entry), visit);
    if (!wanted) return std::unexpected(wanted.error());
    if (!*wanted) break;
  }
  entries_ = {};
  rows_ = {};
  return {};
}

Result<void> RowSorter::merge_runs(const VisitBytes& visit) {
  constexpr std::size_t kLeast = 4096;
  const std::size_t portion = std::max(kLeast, order_.memory / 2 / runs_.size());
  std::vector<RunReader> readers;
  readers.reserve(runs_.size());
  for (const Run& run : runs_) readers.emplace_back(*file_, run, portion);
  // Indexes of readers, that of the first row in front.
  std::vector<std::size_t> heap;
  const auto comes_after = [&](std::size_t a, std::size_t b) {
    if (readers[a].rank() != readers[b].rank()) return readers[a].rank() > readers[b].rank();
    const auto order = order_of_keys(keys_of(readers[a].row()), keys_of(readers[b].row()));
    return order != 0 ? order > 0 : a > b;
  };
  const auto put = [&](std::size_t index) -> Result<void> {
    RunReader& reader = readers[index];
    const auto more = reader.next();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    reader.set_rank(rank_of_row(keys_of(reader.row())));
    heap.push_back(index);
    std::ranges::push_heap(heap, comes_after);
    return {};
  };
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (auto done = put(i); !done) return done;
  }
  std::uint64_t left = order_.most.value_or(~std::uint64_t{0});
  while (!heap.empty() && left-- != 0) {
    std::ranges::pop_heap(heap, comes_after);
    const std::size_t first = heap.back();
    heap.pop_back();
    auto wanted = show_row(readers[first].row(), visit);
    if (!wanted) return std::unexpected(wanted.error());
    if (!*wanted) return {};
    if (auto done = put(first); !done) return done;
  }
  return {};
}

}  // namespace tracedeck::query
