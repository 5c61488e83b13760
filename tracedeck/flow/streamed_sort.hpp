// Sorts a source that is nearly in order while it is read. A part of sort.hpp.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "tracedeck/flow/order_survey.hpp"
#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/spill/external_sorter.hpp"

namespace tracedeck::flow {

// How a source is sorted while it is read.
struct StreamedSortPlan {
  std::uint64_t chunk_events = 0;
  std::uint64_t events = 0;        // of the source; more are not read
  std::uint64_t late_records = 0;  // that `collect_late` found
};

// Reads `source`, adds its late records to `late` and returns their number. An error of the source
// ends it quietly: the same will come when it is sorted. Errors: those of the sorter.
[[nodiscard]] Result<std::uint64_t> collect_late(RecordSource& source, const StreamedSortPlan& plan,
                                                 ExternalSorter& late);

class StreamedSort final : public RecordSource {
 public:
  // `late` has what `collect_late` found in another reading, finished; null when there are no late
  // records.
  StreamedSort(std::unique_ptr<RecordSource> source, const StreamedSortPlan& plan,
               std::unique_ptr<ExternalSorter> late, std::stop_token stop = {});

  Result<BatchPtr> next() override;

 private:
  // A batch that records are held of.
  struct Held {
    BatchPtr batch;
    std::size_t records = 0;      // not handed on yet
    std::uint64_t pinned_by = 0;  // number of the output batch that keeps it alive
  };
  struct Item {
    std::uint64_t coarse;  // of its key
    std::size_t exact;     // of its key: a place in `exact_`, where that is needed
    const Record* record;
    Held* held;
  };

  [[nodiscard]] bool late_ended() const { return late_ == nullptr || late_->ended(); }
  void read_chunk();
  bool read_batch();
  void take(const Record& record);
  void take_run();
  void add_item(const OrderKey& key, const Record& record);
  [[nodiscard]] OrderKey key_of(const Item& item) const {
    const bool exact = OrderKey::needs_exact(item.coarse);
    return {item.coarse, exact ? exact_[item.exact] : Nanoseconds{}};
  }
  void forget_handed_on();
  void end_reading();
  void sort_items();
  bool hand_on_late();
  void hand_on_of_one_batch();
  void abandon(Error error);

  std::unique_ptr<RecordSource> source_;
  StreamedSortPlan plan_;
  ChunkOrder order_;
  std::unique_ptr<ExternalSorter> late_;
  std::stop_token stop_;

  StreamTimes times_;
  std::deque<Held> held_;             // in the order of reading
  const Record* position_ = nullptr;  // in the last of them
  const Record* end_ = nullptr;
  bool read_all_ = false;
  std::uint64_t events_seen_ = 0;
  std::uint64_t late_seen_ = 0;

  std::vector<Item> items_;
  std::vector<Item> scratch_;
  std::vector<Nanoseconds> exact_;
  std::size_t handed_on_ = 0;  // of `items_`
  std::size_t ready_ = 0;      // of `items_`: no record to come goes before these
  OutputBatch output_;
  std::uint64_t output_number_ = 1;
  std::optional<Error> failure_;
};

}  // namespace tracedeck::flow
