// A block of memory that packed records are collected and sorted in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tracedeck/spill/record_codec.hpp"
#include "tracedeck/spill/sorted_run.hpp"

namespace tracedeck {

// What a record takes in a block at most beyond `RecordCodec::bound`: its entry, size and exact
// time, and alignment.
inline constexpr std::size_t kBlockOverhead = 128;

// Records grow from the front, their index from the back, until what is left between them is as
// large as the index: the memory is fixed.
class PackedBlock {
 public:
  // `size` bytes are taken from the system as they are written to.
  explicit PackedBlock(std::size_t size);

  // Returns false when the record may not fit; then nothing was added.
  [[nodiscard]] bool add(RecordCodec& codec, const OrderKey& key, const Record& record);
  [[nodiscard]] bool empty() const { return index_.empty(); }
  // Sorts by key, stably.
  void sort();
  // Forgets all records.
  void clear();

  // The records in the order of the last `sort`. Nothing may be added meanwhile.
  [[nodiscard]] std::unique_ptr<SortedRecords> records() const;

 private:
  struct Entry {
    std::uint64_t coarse;
    std::uint64_t offset;  // of the exact time, if there is one, the size and the packed record
  };
  class Records;

  [[nodiscard]] OrderKey key_of(const Entry& entry) const;
  [[nodiscard]] bool before(const Entry& a, const Entry& b) const;

  std::shared_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  Entry* end_;              // of the index
  std::span<Entry> index_;  // the last record's entry first
};

}  // namespace tracedeck
