// What a handle of the C interface stands for: traces that are read once, as batches or as events.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/c/class_batches.hpp"
#include "tracedeck/c/request.hpp"
#include "tracedeck/event_view.hpp"
#include "tracedeck/progress.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/reading.hpp"

namespace tracedeck::capi {

// Sentences that a reader said. Any thread may add some.
class Sentences {
 public:
  [[nodiscard]] std::function<void(const Report&)> listener();
  [[nodiscard]] std::vector<std::string> errors() const;
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  // A trace may be wrong in any number of ways.
  static constexpr std::size_t kMost = 1000;

  mutable std::mutex mutex_;
  std::vector<std::string> errors_;
  std::vector<std::string> notes_;
};

// One thread at a time, which `turn` sees to; `stop` is for any.
class OpenTrace {
 public:
  // Errors: those of opening, if no trace is left.
  [[nodiscard]] static Result<std::shared_ptr<OpenTrace>> open(Request request);

  std::atomic<bool> turn = false;
  std::stop_source stop = {};

  // The next rows of a class; false: there are none. `class_number`, `last`: see `td_next_batch`.
  [[nodiscard]] Result<bool> next_batch(std::uint32_t max_rows, std::uint32_t& class_number,
                                        bool& last, ArrowArray& array);
  // Goes on to the next event; false: there is none.
  [[nodiscard]] Result<bool> next_event();
  // The event that `next_event` came to; null: none.
  [[nodiscard]] const EventView* event() const { return has_event_ ? &event_ : nullptr; }

  [[nodiscard]] std::deque<RowClass>& classes() { return batches_->classes(); }
  [[nodiscard]] std::string report() const;
  // Error: kInvalidArgument, before the end where other threads read ahead: descriptions grow then.
  [[nodiscard]] Result<std::string> schema() const;

  // Of the values of an event, until the next call.
  render::JsonValues json = render::JsonValues();
  TextBuffer text{nullptr, 1024};
  std::string label = {};

 private:
  explicit OpenTrace(Request request);
  // Gets the next records; false: there are none.
  [[nodiscard]] Result<bool> refill();
  [[nodiscard]] bool has_records() const { return batch_ != nullptr && at_ < batch_->size(); }
  [[nodiscard]] Result<void> fill_group(std::uint32_t max_rows);
  // Those of the batch at hand.
  [[nodiscard]] Result<void> add_records(std::uint32_t max_rows);
  [[nodiscard]] std::optional<Error> cancelled() const;
  void note_unknown_fields();
  void remember_descriptions();

  enum class Use : std::uint8_t { kNone, kBatches, kEvents };

  Sentences sentences_;
  std::unique_ptr<Reading> reading_;
  Progress progress_;
  std::shared_ptr<const query::Condition> condition_ = {};
  std::optional<ClassBatches> batches_ = {};
  std::map<std::uint64_t, std::shared_ptr<const TraceDescription>> descriptions_ = {};
  bool reads_ahead_ = false;
  bool comes_one_by_one_ = false;  // one trace is opened after the other
  EventView::Routes routes_ = {};
  BatchPtr batch_ = {};
  std::size_t at_ = 0;  // in `batch_`
  EventView event_ = {};
  bool has_event_ = false;
  std::uint64_t events_ = 0;  // that were read one by one
  bool ended_ = false;
  std::optional<Error> failure_ = {};
  bool refused_ = false;
  std::uint32_t next_class_ = 0;
  Use use_ = Use::kNone;
};

}  // namespace tracedeck::capi
