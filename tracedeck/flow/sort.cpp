#include "tracedeck/flow/sort.hpp"

#include <optional>
#include <utility>

#include "tracedeck/flow/external_sorter.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/order_survey.hpp"
#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/flow/streamed_sort.hpp"
#include "tracedeck/format/output_batch.hpp"

namespace tracedeck::flow {
namespace {

// Sorts the records of all inputs, one after the other, externally.
class ExternalSort final : public RecordSource {
 public:
  ExternalSort(std::vector<SortInput> inputs, const SortOptions& options)
      : inputs_(std::move(inputs)),
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
    for (SortInput& input : std::exchange(inputs_, {})) {
      Result<std::unique_ptr<RecordSource>> source = input.open(true);
      if (!source) return std::unexpected(source.error());
      if (Result<void> added = add(**source); !added) return added;
      if (failure_) break;
    }
    return {};
  }

  Result<void> add(RecordSource& source) {
    StreamTimes times;
    while (true) {
      Result<BatchPtr> batch = source.next();
      if (!batch) {
        failure_ = std::move(batch.error());
        return {};
      }
      if (*batch == nullptr) return {};
      sorter_->take_over(**batch);
      const Record* const end = (*batch)->records().data() + (*batch)->size();
      for (const Record* at = (*batch)->records().data(); at != end; ++at) {
        if (Result<void> added = sorter_->add(times(*at), *at); !added) return added;
        if (at->kind != RecordKind::kEvent) continue;
        // Of those that ascend from it only the last has to be looked at closely.
        const Record* const last = end_of_run(at, end) - 1;
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

  std::vector<SortInput> inputs_;
  std::optional<ExternalSorter> sorter_;
  bool read_ = false;
  OutputBatch output_;
  std::optional<Error> failure_;
};

// Decides, when first asked for records, how they are sorted.
class Sort final : public RecordSource {
 public:
  Sort(std::vector<SortInput> inputs, const SortOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}

  Result<BatchPtr> next() override {
    if (sorted_ == nullptr) {
      Result<std::unique_ptr<RecordSource>> sorted = streamed();
      if (!sorted) return std::unexpected(sorted.error());
      sorted_ = *sorted != nullptr ? std::move(*sorted)
                                   : std::make_unique<ExternalSort>(std::move(inputs_), options_);
    }
    return sorted_->next();
  }

 private:
  // All inputs sorted while they are read, or null when one of them cannot be.
  Result<std::unique_ptr<RecordSource>> streamed() {
    for (const SortInput& input : inputs_) {
      if (!input.reopens) return nullptr;
    }
    std::vector<StreamedSortPlan> plans;
    for (const SortInput& input : inputs_) {
      const Result<std::optional<StreamedSortPlan>> plan = survey(input);
      if (!plan) return std::unexpected(plan.error());
      if (!*plan) return nullptr;
      plans.push_back(**plan);
    }
    std::vector<std::unique_ptr<RecordSource>> sources;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Result<std::unique_ptr<RecordSource>> source = open_streamed(inputs_[i], plans[i]);
      if (!source) return source;
      sources.push_back(std::move(*source));
    }
    return merge(std::move(sources), OrderBy::kBegan);
  }

  [[nodiscard]] std::size_t share_of_memory() const { return options_.memory / inputs_.size(); }

  [[nodiscard]] Result<std::optional<StreamedSortPlan>> survey(const SortInput& input) const {
    Result<std::unique_ptr<RecordSource>> source = input.open(false);
    if (!source) return std::unexpected(source.error());
    OrderSurvey survey;
    while (true) {
      const Result<BatchPtr> batch = (*source)->next();
      // An error will come again when the records are delivered.
      if (!batch || *batch == nullptr) break;
      survey.add(**batch);
      if (!survey.in_order() && !survey.choose(share_of_memory())) return std::nullopt;
    }
    survey.finish();
    if (survey.in_order()) return StreamedSortPlan{.in_order = true, .events = survey.events()};
    const std::optional<OrderSurvey::Level> level = survey.choose(share_of_memory());
    if (!level) return std::nullopt;
    return StreamedSortPlan{.chunk_events = level->chunk_events,
                            .events = survey.events(),
                            .late_records = level->late_records};
  }

  // Reads the input once more for its late records, if it has any, and leaves it to be read again.
  Result<std::unique_ptr<RecordSource>> open_streamed(const SortInput& input,
                                                      StreamedSortPlan plan) const {
    std::unique_ptr<ExternalSorter> late;
    if (plan.late_records != 0) {
      Result<std::unique_ptr<RecordSource>> source = input.open(true);
      if (!source) return source;
      late = std::make_unique<ExternalSorter>(share_of_memory() / 4, options_.temporary_directory);
      const Result<std::uint64_t> records = collect_late(**source, plan, *late);
      if (!records) return std::unexpected(records.error());
      plan.late_records = *records;
      if (Result<void> sorted = late->finish(); !sorted) return std::unexpected(sorted.error());
    }
    Result<std::unique_ptr<RecordSource>> source = input.open(true);
    if (!source) return source;
    if (plan.in_order) return std::make_unique<CheckedOrder>(std::move(*source), plan.events);
    return std::make_unique<StreamedSort>(std::move(*source), plan, std::move(late));
  }

  std::vector<SortInput> inputs_;
  SortOptions options_;
  std::unique_ptr<RecordSource> sorted_;
};

}  // namespace

std::unique_ptr<RecordSource> sort(std::vector<SortInput> inputs, const SortOptions& options) {
  if (inputs.empty()) return merge({});
  return std::make_unique<Sort>(std::move(inputs), options);
}

}  // namespace tracedeck::flow
