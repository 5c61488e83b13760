// What stages have in common that leave records out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// Decides which records of one source pass. One thread at a time.
class RecordFilter {
 public:
  RecordFilter() = default;
  RecordFilter(const RecordFilter&) = delete;
  RecordFilter& operator=(const RecordFilter&) = delete;
  virtual ~RecordFilter() = default;

  // Puts the records that pass into `passing`, which has room for all, and returns how many they
  // are.
  [[nodiscard]] virtual std::size_t select(std::span<const Record> records,
                                           std::span<const Record*> passing) = 0;
  [[nodiscard]] bool passes(const Event& event) {
    const Record record(event);
    const Record* passing = nullptr;
    return select({&record, 1}, {&passing, 1}) == 1;
  }
};

// A source without the records that do not pass. Batches of which all pass are handed on as they
// are; of others the records are copied, and their values stay where they are. `sorted`: what comes
// out is put in the order of time, so losses get the places (`Loss::place`) that they have among
// all records.
[[nodiscard]] std::unique_ptr<RecordSource> select(std::unique_ptr<RecordSource> source,
                                                   std::unique_ptr<RecordFilter> filter,
                                                   bool sorted = false);

}  // namespace tracedeck::flow
