// Sorted sequences of packed records: in memory, and as runs in a temporary file.
//
// A run in a file is, record after record: the difference of `coarse` to that of the record before
// (varint); the exact time (17 bytes) where `coarse` needs it; the size of the packed record
// (varint); the packed record (see record_codec.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/spill/order_key.hpp"
#include "tracedeck/spill/spill_file.hpp"

namespace tracedeck {

// Packed records in ascending order of their keys, one at hand at a time.
class SortedRecords {
 public:
  virtual ~SortedRecords() = default;

  [[nodiscard]] virtual bool ended() const = 0;
  // Of the record at hand. The packed record is valid until `advance`, unless `owner` says
  // otherwise.
  [[nodiscard]] virtual const OrderKey& key() const = 0;
  [[nodiscard]] virtual ByteSpan packed() const = 0;
  [[nodiscard]] virtual Result<void> advance() = 0;

  // Who keeps all packed records where they are; null when nobody does.
  [[nodiscard]] virtual const std::shared_ptr<const void>& owner() const {
    static const std::shared_ptr<const void> kNobody;
    return kNobody;
  }
};

// A part of a temporary file.
struct SortedRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  OrderKey first;  // keys of its first and its last record
  OrderKey last;
};

// Writes one run behind another.
class RunWriter {
 public:
  // `file` outlives the writer. `buffer`: bytes that are collected before they are written.
  RunWriter(SpillFile& file, std::size_t buffer);

  // Keys must not descend within a run.
  [[nodiscard]] Result<void> add(const OrderKey& key, ByteSpan packed);
  // Ends the run, which has at least one record, and begins another.
  [[nodiscard]] Result<SortedRun> finish_run();

 private:
  [[nodiscard]] Result<void> flush();

  SpillFile& file_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  SortedRun run_;
  bool run_empty_ = true;
};

// The records of one run. `file` outlives it.
class RunReader final : public SortedRecords {
 public:
  RunReader(const SpillFile& file, const SortedRun& run, std::size_t buffer)
      : file_(file), position_(run.begin), end_(run.end), buffer_(buffer) {}

  [[nodiscard]] bool ended() const override { return ended_; }
  [[nodiscard]] const OrderKey& key() const override { return key_; }
  [[nodiscard]] ByteSpan packed() const override { return packed_; }
  // Also before the first record.
  [[nodiscard]] Result<void> advance() override;

 private:
  [[nodiscard]] std::size_t buffered() const { return filled_ - used_; }
  [[nodiscard]] Result<void> fill(std::size_t least);

  const SpillFile& file_;
  std::uint64_t position_;  // in the file, of what is not buffered yet
  std::uint64_t end_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  OrderKey key_;
  ByteSpan packed_;
  bool ended_ = false;
};

}  // namespace tracedeck
