// Rows put in order, as many as there may be: of values, or of bytes that only their owner reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/spill/spill_file.hpp"

namespace tracedeck::query {

struct RowOrder {
  std::vector<bool> descending;                // of each key
  bool by_bytes = false;                       // keys that are equal by value go by their bytes
  std::optional<std::uint64_t> most = {};      // only the first so many rows are wanted
  std::size_t memory = std::size_t{16} << 20;  // bytes; beyond, rows go to a temporary file
};

// Takes rows and hands them on in the order of their keys, equal ones as they came. What memory
// does not hold is sorted and written to a temporary file, part by part, and merged at the end.
class RowSorter {
 public:
  explicit RowSorter(RowOrder order);
  ~RowSorter();

  // A row, and the keys that it goes by, as many as `descending`. Errors: those of temporary files.
  [[nodiscard]] Result<void> add(std::span<const Value> keys, std::span<const Value> row);
  // The same of keys that `encode` made, and a row of any bytes.
  [[nodiscard]] Result<void> add(std::string_view keys, std::string_view row);

  // Takes a row; its values live as long as the call. Returns whether more are wanted.
  using Visit = std::function<Result<bool>(std::span<const Value>)>;
  // Hands all rows on, and lets go of them. To be called once. Errors: those of `visit` and of
  // temporary files.
  [[nodiscard]] Result<void> hand_on(const Visit& visit);
  // The same of keys and rows as bytes.
  using VisitBytes = std::function<Result<bool>(ByteSpan keys, ByteSpan row)>;
  [[nodiscard]] Result<void> hand_on_bytes(const VisitBytes& visit);

 private:
  // Where a row lies in `rows_`, and the rank of its first key.
  struct Entry {
    std::uint64_t rank = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  // Rows in order, somewhere in the file.
  struct Run {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  class RunReader;

  [[nodiscard]] ByteSpan bytes_of(const Entry& entry) const {
    return ByteSpan(rows_).subspan(entry.offset, entry.size);
  }
  [[nodiscard]] std::uint64_t rank_of_row(ByteSpan keys) const;
  // By keys alone.
  [[nodiscard]] std::weak_ordering order_of_keys(ByteSpan a, ByteSpan b) const;
  void sort();
  // Sorts, and drops what is behind the first `most`.
  void keep_first();
  [[nodiscard]] Result<void> make_room();
  [[nodiscard]] Result<void> spill();
  [[nodiscard]] Result<void> merge_runs(const VisitBytes& visit);

  RowOrder order_;
  // The keys as bytes, with their size before them, then the row as bytes.
  std::vector<std::uint8_t> rows_;
  std::vector<Entry> entries_;
  std::string keys_;  // of the row at hand
  std::string row_;
  // Keys that a row has to come before, of the last of the first `most`.
  std::vector<std::uint8_t> bound_;
  std::uint64_t bound_rank_ = 0;
  bool has_bound_ = false;
  std::unique_ptr<SpillFile> file_;
  std::vector<Run> runs_;
};

}  // namespace tracedeck::query
