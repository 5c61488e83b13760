// What is drawn side by side, in the order of time: the slices of one depth of a track, its states,
// its instants, the values of a counter, what was waited for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/export/page/block_store.hpp"
#include "tracedeck/spill/spill_bytes.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::page {

// Numbers that the page's script knows too.
enum class RowKind : std::uint8_t {
  kSlices = 0,
  kStates = 1,
  kInstants = 2,
  kCounter = 3,
  kWaits = 4
};

// A flag beside those of marks: what is drawn began earlier, on another lane.
inline constexpr std::uint32_t kContinued = 1U << 16;

// Columns that a block of slices may have.
enum SliceColumn : std::uint8_t {
  kWideNames = 1 << 0,  // 2 bytes for a name, else 1
  kCpus = 1 << 1,
  kSpent = 1 << 2,
  kArguments = 1 << 3
};

struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  timeline::NameId name = timeline::kNoName;
  std::uint32_t flags = 0;
  std::uint64_t earlier = 0;  // of kContinued: by how much the whole began before `begin`
  std::int32_t cpu = timeline::kNoCpu;
  std::int64_t spent = 0;
  std::string_view arguments = {};  // JSON, or nothing
};

struct Point {
  std::int64_t time = 0;
  bool is_real = false;
  std::int64_t value = 0;
  double real = 0;
};

// Where a block lies, and what times it has. docs/page.md lays out its bytes.
struct BlockPlace {
  BlockStore::Place place;
  std::int64_t first = 0;     // begin of the first; of waits the end of the first
  std::int64_t last = 0;      // end of the last, of waits the latest
  std::int64_t earliest = 0;  // begin
  std::uint32_t count = 0;
};

// Slices that are added do not begin before the last one ended, but for waits; points do not come
// before one another.
class Row {
 public:
  static constexpr std::uint32_t kBlock = 16'384;
  // Bytes of arguments with which a block is complete.
  static constexpr std::size_t kMostArguments = std::size_t{2} << 20;

  Row(RowKind kind, timeline::TrackId track, std::uint32_t depth)
      : kind_(kind), track_(track), depth_(depth) {}

  // Errors: those of the store.
  [[nodiscard]] Result<void> add(const Slice& slice, BlockStore& store);
  [[nodiscard]] Result<void> add(const Point& point, BlockStore& store);
  // Puts what was added since the last block into the store.
  [[nodiscard]] Result<void> seal(BlockStore& store);

  [[nodiscard]] RowKind kind() const { return kind_; }
  [[nodiscard]] timeline::TrackId track() const { return track_; }
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Where the next one may begin; the least number in an empty row.
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] const std::vector<BlockPlace>& blocks() const { return blocks_; }
  // Bytes of memory for what is not in a block yet.
  [[nodiscard]] std::size_t open_bytes() const {
    return gaps_.capacity() + durations_.capacity() + names_.capacity() * sizeof(timeline::NameId) +
           flags_.capacity() * sizeof(Flags) + cpus_.capacity() + spent_.capacity() +
           arguments_.capacity();
  }
  // Requires that all is in blocks.
  void give_back_memory();

 private:
  void add_rare(std::uint32_t index, const Slice& slice);
  void put_columns(std::string& into) const;

  RowKind kind_;
  timeline::TrackId track_;
  std::uint32_t depth_;
  std::uint64_t count_ = 0;
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
  std::vector<BlockPlace> blocks_;

  // Of the open block. Of points: their times in `gaps_`, their values in `durations_`.
  BlockPlace open_;
  std::string gaps_;
  std::string durations_;
  std::vector<timeline::NameId> names_;
  struct Flags {
    std::uint32_t index;
    std::uint32_t flags;
    std::uint64_t earlier;
  };
  std::vector<Flags> flags_;  // of those that have some
  // Empty up to the first slice that has one.
  std::string cpus_;
  std::string spent_;
  std::string arguments_;
  std::int64_t before_ = 0;  // end of the last wait
  bool reals_ = false;
  std::int64_t value_ = 0;  // of the last point
};

// A block of slices, read back.
class SliceBlock {
 public:
  explicit SliceBlock(std::string_view bytes);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const std::vector<timeline::NameId>& names() const { return names_; }
  // Calls visit(gap, duration, name) for each slice.
  template <class Visit>
  void each(Visit visit) const {
    const std::uint8_t* gap = gaps_;
    const std::uint8_t* duration = durations_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint64_t before = take_varint(gap);
      const std::uint64_t length = take_varint(duration);
      visit(before, length, names_[name_of(i)]);
    }
  }

 private:
  [[nodiscard]] std::size_t name_of(std::size_t i) const {
    return wide_ ? static_cast<std::size_t>(local_[2 * i] | local_[2 * i + 1] << 8) : local_[i];
  }
  std::uint32_t count_ = 0;
  bool wide_ = false;
  std::vector<timeline::NameId> names_;
  const std::uint8_t* gaps_ = nullptr;
  const std::uint8_t* durations_ = nullptr;
  const std::uint8_t* local_ = nullptr;
};

// Calls visit(time, value) for each point of a block that begins at `first`.
template <class Visit>
void each_point(std::string_view bytes, std::int64_t first, Visit visit) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::uint64_t count = take_varint(at);
  const bool reals = take_varint(at) != 0;
  const std::uint64_t size = take_varint(at);
  const std::uint8_t* value = at + size;
  (void)take_varint(value);
  std::uint64_t time = static_cast<std::uint64_t>(first);
  std::uint64_t whole = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    time += take_varint(at);
    if (reals) {
      visit(static_cast<std::int64_t>(time), std::bit_cast<double>(load_le<std::uint64_t>(value)));
      value += sizeof(double);
    } else {
      whole += static_cast<std::uint64_t>(unzigzag(take_varint(value)));
      visit(static_cast<std::int64_t>(time), static_cast<double>(static_cast<std::int64_t>(whole)));
    }
  }
}

}  // namespace tracedeck::page
