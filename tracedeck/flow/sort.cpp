#include "tracedeck/flow/sort.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tracedeck/flow/concatenate.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/order_survey.hpp"
#include "tracedeck/flow/ordered_part.hpp"
#include "tracedeck/flow/packet_survey.hpp"
#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/flow/streamed_sort.hpp"
#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/spill/external_sorter.hpp"

namespace tracedeck::flow {
namespace {

using SourcePtr = std::unique_ptr<RecordSource>;
using OrderedParts = std::vector<std::shared_ptr<OrderedPart>>;

// The part of a source that is in order. An error of it comes with the rest.
class BeginOf final : public RecordSource {
 public:
  explicit BeginOf(std::shared_ptr<OrderedPart> part) : part_(std::move(part)) {}
  Result<BatchPtr> next() override {
    Result<BatchPtr> batch = part_->next();
    return batch ? std::move(batch) : nullptr;
  }

 private:
  std::shared_ptr<OrderedPart> part_;
};

// Sorts what is left of all parts, one after the other, externally.
class ExternalSort final : public RecordSource {
 public:
  ExternalSort(OrderedParts parts, const SortOptions& options)
      : parts_(std::move(parts)),
        sorter_(std::in_place, options.memory, options.temporary_directory) {}

  Result<BatchPtr> next() override {
    if (!read_) {
      read_ = true;
      if (Result<void> added = add_all(); !added) return abandon(std::move(added.error()));
      if (Result<void> sorted = sorter_->finish(); !sorted) {
        return abandon(std::move(sorted.error()));
      }
    }
    if (!sorter_) return end();
    while (!output_.full() && !sorter_->ended() && sorter_->unpack(output_)) {
      if (Result<void> advanced = sorter_->advance(); !advanced) {
        return abandon(std::move(advanced.error()));
      }
    }
    if (!output_.empty()) return output_.take();
    sorter_.reset();
    return end();
  }

 private:
  Result<void> add_all() {
    for (std::shared_ptr<OrderedPart>& part : parts_) {
      if (Result<void> added = add(*part); !added) return added;
      part.reset();
    }
    return {};
  }

  Result<void> add(OrderedPart& part) {
    StreamTimes& times = part.times();
    while (true) {
      Result<OrderedPart::Rest> rest = part.rest();
      if (!rest) {
        if (!failure_) failure_ = std::move(rest.error());
        return {};
      }
      if (rest->batch == nullptr) return {};
      sorter_->take_over(*rest->batch);
      const Record* const end = rest->records.data() + rest->records.size();
      for (const Record* at = rest->records.data(); at != end; ++at) {
        const OrderKey key = times(*at);
        if (key < part.until()) return std::unexpected(changed_meanwhile());
        if (Result<void> added = sorter_->add(key, *at); !added) return added;
        if (at->kind != RecordKind::kEvent) continue;
        // Of those that ascend from it only the last has to be looked at closely.
        const Record* const last = times.end_of_run(at, end) - 1;
        if (last == at) continue;
        for (++at; at != last; ++at) {
          if (Result<void> added = sorter_->add(times.in_run(at->event), *at); !added) return added;
        }
        if (Result<void> added = sorter_->add(times(*at), *at); !added) return added;
      }
    }
  }

  Result<BatchPtr> abandon(Error error) {
    failure_ = std::move(error);
    sorter_.reset();
    return end();
  }
  [[nodiscard]] Result<BatchPtr> end() const {
    if (failure_) return std::unexpected(*failure_);
    return nullptr;
  }

  OrderedParts parts_;
  std::optional<ExternalSorter> sorter_;
  bool read_ = false;
  OutputBatch output_;
  std::optional<Error> failure_;
};

// Decides, when first asked for records, how each source is brought in order, and merges them.
class Sort final : public RecordSource {
 public:
  Sort(std::vector<SortInput> inputs, const SortOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}

  Result<BatchPtr> next() override {
    if (sorted_ == nullptr) {
      Result<SourcePtr> sorted = decide();
      if (!sorted) return std::unexpected(sorted.error());
      sorted_ = *std::move(sorted);
    }
    return sorted_->next();
  }

 private:
  // A source of an input, and what the survey found out about it.
  struct Source {
    SourcePtr opened = {};
    std::uint64_t events = OrderedPart::kUnknown;
    OrderKey ordered_until = OrderKey::first();   // `last`: it is in order as a whole
    std::vector<OrderSurvey::Level> levels = {};  // what sorting it by chunks takes
    std::optional<StreamedSortPlan> plan = {};    // to be sorted by chunks
    std::unique_ptr<ExternalSorter> late_records = {};
    bool keeps_steps = false;

    [[nodiscard]] bool in_order() const { return ordered_until == OrderKey::last(); }
  };

  Result<SourcePtr> decide() {
    std::vector<std::size_t> begins;
    for (const SortInput& input : inputs_) {
      begins.push_back(sources_.size());
      if (Result<void> surveyed = survey(input); !surveyed)
        return std::unexpected(surveyed.error());
    }
    begins.push_back(sources_.size());
    choose();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].reopens) continue;
      const std::span<Source> sources(sources_.data() + begins[i], sources_.data() + begins[i + 1]);
      if (Result<void> opened = reopen(inputs_[i], sources); !opened)
        return std::unexpected(opened.error());
    }
    return merged();
  }

  // Adds the sources of an input.
  Result<void> survey(const SortInput& input) {
    Result<std::vector<SourcePtr>> opened = input.open(!input.reopens);
    if (!opened) return std::unexpected(opened.error());
    for (SourcePtr& each : *opened) {
      Source& source = sources_.emplace_back();
      if (!input.reopens) {
        source.opened = std::move(each);
        continue;
      }
      OrderSurvey survey;
      const DataStreamClass* of = nullptr;
      bool has_packets = false;
      while (true) {
        const Result<BatchPtr> batch = each->next();
        // An error will come again when the records are delivered.
        if (!batch || *batch == nullptr) break;
        survey.add(**batch);
        // The class is gone when its source has ended.
        if (survey.only_stream_class() == of) continue;
        of = survey.only_stream_class();
        has_packets = of != nullptr && of->trace != nullptr && says_its_packets(*of->trace);
      }
      survey.finish();
      source.keeps_steps = options_.kept_steps != 0 && has_packets && survey.steps() != 0 &&
                           survey.near_steps() <= options_.kept_steps;
      each.reset();
      source.events = survey.events();
      source.ordered_until = source.keeps_steps ? OrderKey::last() : survey.lowest_step();
      if (!source.in_order()) source.levels = survey.levels();
    }
    return {};
  }

  // Shares the memory among the sources that have to be sorted. Those that cannot be sorted by
  // chunks are sorted externally, with all between the first and the last of them, as ties keep the
  // order of the sources.
  void choose() {
    const auto unordered = static_cast<std::size_t>(
        std::ranges::count_if(sources_, [](const Source& each) { return !each.in_order(); }));
    if (unordered == 0) return;
    const std::size_t share = options_.memory / unordered;
    external_begin_ = sources_.size();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      Source& source = sources_[i];
      if (source.in_order()) continue;
      if (const auto level = OrderSurvey::choose(source.levels, share)) {
        source.plan = {.chunk_events = level->chunk_events,
                       .events = source.events,
                       .late_records = level->late_records};
        continue;
      }
      external_begin_ = std::min(external_begin_, i);
      external_end_ = i + 1;
    }
    for (std::size_t i = external_begin_; i < external_end_; ++i) {
      external_from_ = std::min(external_from_, sources_[i].ordered_until);
      sources_[i].plan.reset();
    }
    const auto by_chunks = static_cast<std::size_t>(
        std::ranges::count_if(sources_, [](const Source& each) { return each.plan.has_value(); }));
    chunk_memory_ = share;
    options_.memory -= share * by_chunks;
  }

  // Opens the surveyed sources of an input to be read, after a reading for their late records.
  Result<void> reopen(const SortInput& input, std::span<Source> sources) const {
    const auto has_late = [](const Source& each) {
      return each.plan && each.plan->late_records != 0;
    };
    const auto open = [&]() -> Result<std::vector<SourcePtr>> {
      Result<std::vector<SourcePtr>> opened = input.open(true);
      // None are there when a stop was requested.
      if (opened && !opened->empty() && opened->size() != sources.size()) {
        if (options_.stop.stop_requested()) return std::vector<SourcePtr>();
        return std::unexpected(changed_meanwhile());
      }
      return opened;
    };
    if (std::ranges::any_of(sources, has_late)) {
      Result<std::vector<SourcePtr>> opened = open();
      if (!opened) return std::unexpected(opened.error());
      for (std::size_t i = 0; i < opened->size(); ++i) {
        if (!has_late(sources[i])) continue;
        if (Result<void> collected = collect(*(*opened)[i], sources[i]); !collected)
          return collected;
      }
    }
    Result<std::vector<SourcePtr>> opened = open();
    if (!opened) return std::unexpected(opened.error());
    for (std::size_t i = 0; i < opened->size(); ++i) sources[i].opened = std::move((*opened)[i]);
    return {};
  }

  Result<void> collect(RecordSource& from, Source& source) const {
    source.late_records =
        std::make_unique<ExternalSorter>(chunk_memory_ / 4, options_.temporary_directory);
    const Result<std::uint64_t> records = collect_late(from, *source.plan, *source.late_records);
    if (!records) return std::unexpected(records.error());
    source.plan->late_records = *records;
    return source.late_records->finish();
  }

  SourcePtr merged() {
    std::vector<SourcePtr> merged;
    OrderedParts external;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      Source& source = sources_[i];
      if (source.opened == nullptr) {
        // A stop was requested.
      } else if (external_begin_ <= i && i < external_end_) {
        external.push_back(std::make_shared<OrderedPart>(std::move(source.opened), source.events,
                                                         external_from_, false, options_.stop));
      } else if (source.plan) {
        merged.push_back(std::make_unique<StreamedSort>(
            std::move(source.opened), *source.plan, std::move(source.late_records), options_.stop));
      } else {
        merged.push_back(std::make_unique<OrderedPart>(std::move(source.opened), source.events,
                                                       OrderKey::last(), source.keeps_steps,
                                                       options_.stop));
      }
      if (i + 1 == external_end_ && !external.empty())
        merged.push_back(sorted_externally(std::exchange(external, {})));
    }
    sources_.clear();
    return merge(std::move(merged), OrderBy::kBegan);
  }

  // What goes before the first step back is merged as it is read.
  SourcePtr sorted_externally(OrderedParts parts) const {
    std::vector<SourcePtr> begins;
    for (const auto& part : parts) begins.push_back(std::make_unique<BeginOf>(part));
    std::vector<SourcePtr> both;
    both.push_back(merge(std::move(begins), OrderBy::kBegan));
    both.push_back(std::make_unique<ExternalSort>(std::move(parts), options_));
    return concatenate(std::move(both));
  }

  std::vector<SortInput> inputs_;
  SortOptions options_;  // after `choose`: of those that are sorted externally
  std::vector<Source> sources_;
  std::size_t external_begin_ = 0;  // in `sources_`
  std::size_t external_end_ = 0;
  OrderKey external_from_ = OrderKey::last();  // all of them are in order before this
  std::size_t chunk_memory_ = 0;               // of each that is sorted by chunks
  SourcePtr sorted_;
};

}  // namespace

std::unique_ptr<RecordSource> sort(std::vector<SortInput> inputs, const SortOptions& options) {
  return std::make_unique<Sort>(std::move(inputs), options);
}

}  // namespace tracedeck::flow
