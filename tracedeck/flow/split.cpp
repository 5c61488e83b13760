#include "tracedeck/flow/split.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {
namespace {

Receipt::iterator find_alike(Receipt& receipt, const ReceiptEntry& entry) {
  return std::ranges::find_if(receipt, [&](const ReceiptEntry& each) {
    return each.what == entry.what && each.done == entry.done && each.lossy == entry.lossy &&
           each.event_class == entry.event_class && each.path == entry.path;
  });
}

// Adds the receipt of a part to that of those before it. `is_first`: there are none.
void add_receipt(Receipt& sum, Receipt part, bool is_first) {
  using Of = ReceiptEntry::Of;
  std::erase_if(sum, [&](const ReceiptEntry& each) {
    return each.of == Of::kEmptyClass && find_alike(part, each) == part.end();
  });
  for (ReceiptEntry& entry : part) {
    const auto same = find_alike(sum, entry);
    if (same == sum.end()) {
      if (is_first || entry.of != Of::kEmptyClass) sum.push_back(std::move(entry));
    } else if (entry.of == Of::kRecords) {
      same->count += entry.count;
    } else {
      same->count = std::max(same->count, entry.count);
    }
  }
}

// When a part is over for its time.
class TimeCut {
 public:
  explicit TimeCut(const std::optional<Nanoseconds>& duration) : duration_(duration) {}

  [[nodiscard]] bool is_due(const OrderKey& key) {
    if (!duration_) return false;
    if (!boundary_) {
      first_ = key.time();
      boundary_ = OrderKey::from(first_ + *duration_);
    }
    return key >= *boundary_;
  }
  // The part that begins with the event of that time. Returns where it begins.
  OrderKey pass(const OrderKey& key) {
    const Nanoseconds since = key.time() - first_;
    const Nanoseconds begin =
        first_ +
        Nanoseconds::from_unsigned(since.magnitude() - since.magnitude() % duration_->magnitude());
    boundary_ = OrderKey::from(begin + *duration_);
    return OrderKey::from(begin);
  }

 private:
  std::optional<Nanoseconds> duration_;
  Nanoseconds first_;
  std::optional<OrderKey> boundary_;  // behind the part at hand
};

// When a part is over for its size. Sizes are costly to ask for, and so asked for more rarely the
// more is missing.
class SizeCut {
 public:
  explicit SizeCut(const std::optional<std::uint64_t>& size) : most_(size) {}

  void begin() {
    events_ = 0;
    is_due_ = false;
    left_ = 1;
  }
  [[nodiscard]] bool counts() const { return most_.has_value(); }
  [[nodiscard]] bool is_due() const { return is_due_; }
  // After an event. Returns whether it is time to say the size.
  [[nodiscard]] bool wants_size() {
    ++events_;
    return --left_ == 0;
  }
  void note(std::uint64_t size) {
    if (events_ == 1) before_ = size;
    const std::uint64_t used = size - std::min(size, before_);
    is_due_ = used >= *most_;
    const std::uint64_t event_size = std::max<std::uint64_t>(used / events_, 1);
    left_ =
        std::clamp<std::uint64_t>((*most_ - std::min(used, *most_)) / event_size / 2, 1, events_);
  }

 private:
  std::optional<std::uint64_t> most_;
  std::uint64_t before_ = 0;  // bytes up to the first event
  std::uint64_t events_ = 0;
  std::uint64_t left_ = 1;  // events until the size is asked for
  bool is_due_ = false;
};

// Counts the events with a duration that a cut divides.
class DividedSpans {
 public:
  explicit DividedSpans(bool by_begin) : by_begin_(by_begin) {}

  void see(const OrderKey& begin, const OrderKey& end) {
    if (cut_ && begin < *cut_ && *cut_ <= end) ++divided_;
    if (!by_begin_) return;
    while (!open_.empty() && open_.top() <= begin) open_.pop();
    if (open_.size() < kMostOpen) open_.push(end);
  }
  void cut(const OrderKey& at) {
    cut_ = at;
    for (; !open_.empty(); open_.pop()) {
      if (at <= open_.top()) ++divided_;
    }
  }
  [[nodiscard]] std::uint64_t count() const { return divided_; }

 private:
  static constexpr std::size_t kMostOpen = std::size_t{1} << 20;

  bool by_begin_;
  std::optional<OrderKey> cut_;  // the last one
  // Ends of those that had not ended when the last event began.
  std::priority_queue<OrderKey, std::vector<OrderKey>, std::greater<>> open_;
  std::uint64_t divided_ = 0;
};

// Losses, and the packets that tell them: they go into the part of what comes next in their data
// stream.
class HeldLosses {
 public:
  [[nodiscard]] bool empty() const { return held_.empty(); }
  [[nodiscard]] bool has(EntityId stream) const {
    return std::ranges::any_of(held_, [&](const Held& each) { return each.stream == stream; });
  }
  void hold(const Loss& loss) { held_.push_back({.stream = loss.stream->entity, .loss = loss}); }
  void hold(const Packet& packet) {
    held_.push_back({.stream = packet.stream->entity, .packet = &packet});
  }
  // Writes those that `wanted` says, in their order.
  template <class Wanted, class Put>
  Result<void> release(Wanted wanted, Put put) {
    std::vector<Held> wanted_ones;
    std::erase_if(held_, [&](const Held& each) {
      const bool is_wanted = wanted(each.stream);
      if (is_wanted) wanted_ones.push_back(each);
      return is_wanted;
    });
    for (const Held& each : wanted_ones) {
      const Record record = each.packet != nullptr ? Record(RecordKind::kPacketBegin, each.packet)
                                                   : Record(&each.loss);
      if (auto written = put(record); !written) return written;
    }
    return {};
  }

 private:
  struct Held {
    EntityId stream;
    Loss loss = {};
    const Packet* packet = nullptr;  // or its begin
  };
  std::vector<Held> held_;
};

// What keeps a part from being ended or begun ends the whole, and is not about one record.
Result<void> of_whole(Result<void> result) {
  if (!result) result.error().code = ErrorCode::kWriteFailed;
  return result;
}

class SplitWriter final : public Writer {
 public:
  SplitWriter(Parts& parts, const SplitOptions& options,
              std::unique_ptr<DescribingEvents> describing)
      : parts_(parts),
        by_begin_(options.by_begin),
        time_(options.duration),
        size_(options.size),
        spans_(options.by_begin),
        told_(options.cut),
        knows_all_(describing != nullptr),
        describing_(knows_all_ ? std::move(describing)
                               : std::make_unique<DescribingEvents>(options.max_state)) {}

  Result<void> begin() {
    auto writer = parts_.begin();
    if (!writer) return std::unexpected(writer.error());
    writer_ = *writer;
    for (const OpenStream& open : open_) {
      if (auto begun = put(Record(RecordKind::kStreamBegin, &open.stream)); !begun) return begun;
    }
    size_.begin();
    return put_describing(0, described_);
  }

  Result<void> write(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return write_event(record);
      case RecordKind::kStreamBegin:
        begin_stream(*record.stream);
        break;
      case RecordKind::kStreamEnd:
        if (auto released = release(record.stream->entity); !released) return released;
        std::erase_if(open_, [&](const OpenStream& each) {
          return each.stream.entity == record.stream->entity;
        });
        break;
      case RecordKind::kLoss:
        if (record.loss->stream == nullptr) break;
        held_.hold(*record.loss);
        return {};
      case RecordKind::kPacketBegin:
        if (!held_.has(record.packet->stream->entity)) break;
        held_.hold(*record.packet);
        return {};
      case RecordKind::kPacketEnd:
        if (auto released = release(record.packet->stream->entity); !released) return released;
        break;
      case RecordKind::kDescription:
      case RecordKind::kProblem:
      case RecordKind::kFinding:
        break;
    }
    return writer_->write(record);
  }

  Result<void> describe(const TraceDescription& trace) override { return writer_->describe(trace); }

  Result<void> flush() override {
    if (auto flushed = writer_->flush(); !flushed) return flushed;
    return parts_.flush();
  }

  Result<void> finish() override {
    if (auto released = held_.release([](EntityId) { return true; },
                                      [this](const Record& each) { return writer_->write(each); });
        !released)
      return released;
    return finish_part();
  }

  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = receipt_;
    if (writer_ != nullptr) add_receipt(receipt, writer_->receipt(), is_first_);
    const auto add = [&](const char* what, const char* done, std::uint64_t count) {
      if (count != 0)
        receipt.push_back({.what = what, .done = done, .count = count, .lossy = false});
    };
    add("events with a duration that a cut divides", "written whole, into one of the parts",
        spans_.count());
    add("events earlier than their part begins",
        "written into the part at hand; --order time brings each into its own", early_);
    add("copies of events that describe others",
        "written into each part, and counted there in all that was adapted or lost", copies_);
    return receipt;
  }

 private:
  struct OpenStream {
    DataStream stream;
    std::uint64_t trace;                                  // see `TraceNumbers`
    std::shared_ptr<const TraceDescription> description;  // which the class is a part of
  };

  void begin_stream(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    const bool described = stream_class != nullptr && stream_class->trace != nullptr;
    open_.push_back({.stream = stream,
                     .trace = traces_.of(stream.entity.trace),
                     .description = described ? stream_class->trace->shared_from_this() : nullptr});
    if (!knows_all_) describing_->begin_stream(stream);
  }

  Result<void> write_event(const Record& record) {
    const Event& event = record.event;
    if (event.event_class->describes_others) {
      if (!knows_all_) {
        if (auto kept = of_whole(describing_->see(record)); !kept) return kept;
      }
      if (event.stream != nullptr) ++described_;
      return writer_->write(record);
    }
    if (auto cut = cut_if_due(event); !cut) return cut;
    if (event.stream != nullptr) {
      if (auto released = release(event.stream->entity); !released) return released;
    }
    auto written = writer_->write(record);
    if (size_.counts() && size_.wants_size()) {
      const auto size = parts_.size();
      if (!size) return std::unexpected(size.error());
      size_.note(*size);
    }
    return written;
  }

  Result<void> cut_if_due(const Event& event) {
    if (!event.event_class->has_real_time())
      return size_.is_due() ? of_whole(cut()) : Result<void>();
    const ClockClass& clock = *event.event_class->clock;
    const OrderKey end = ends_(clock, event.end_time);
    const OrderKey begin = event.event_class->has_duration ? begins_(clock, event.time) : end;
    const OrderKey& key = by_begin_ ? begin : end;
    const bool is_over = time_.is_due(key);
    if (is_over || size_.is_due()) [[unlikely]] {
      begin_ = is_over ? time_.pass(key) : key;
      spans_.cut(begin_);
      if (told_) told_(begin_.time());
      if (auto done = of_whole(cut()); !done) return done;
    }
    if (key < begin_) ++early_;
    if (event.event_class->has_duration) spans_.see(begin, end);
    return {};
  }

  Result<void> cut() {
    if (auto described = put_describing(described_, knows_all_ ? describing_->size() : described_);
        !described)
      return described;
    for (const OpenStream& open : open_) {
      if (auto ended = put(Record(RecordKind::kStreamEnd, &open.stream)); !ended) return ended;
    }
    if (auto finished = finish_part(); !finished) return finished;
    if (auto ended = parts_.end(); !ended) return ended;
    return begin();
  }

  Result<void> finish_part() {
    if (auto finished = writer_->finish(); !finished) return finished;
    add_receipt(receipt_, writer_->receipt(), std::exchange(is_first_, false));
    writer_ = nullptr;
    return {};
  }

  // What is held of a data stream.
  Result<void> release(EntityId stream) {
    if (held_.empty()) [[likely]]
      return {};
    return held_.release([&](EntityId of) { return of == stream; },
                         [this](const Record& each) { return writer_->write(each); });
  }

  // Writes some of the events that describe others.
  Result<void> put_describing(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < std::min(end, describing_->size()); ++i) {
      const DescribingEvents::Kept& kept = (*describing_)[i];
      const OpenStream* const open = stream_for(kept);
      if (open == nullptr) continue;
      Event event = kept.event;
      event.stream = &open->stream;
      event.event_class = class_for(*kept.event.event_class, *open);
      if (auto written = put(Record(event)); !written) return written;
      ++copies_;
    }
    return {};
  }

  // Writes what a part has beside its own records. That it cannot be held is known of the whole.
  Result<void> put(const Record& record) {
    Written ignored;
    return writer_->write_or_refuse(record, ignored);
  }

  // Its data stream, else another of its trace; null: the trace has none that is open.
  const OpenStream* stream_for(const DescribingEvents::Kept& kept) const {
    const OpenStream* found = nullptr;
    for (const OpenStream& each : open_) {
      if (each.trace != kept.trace || each.description == nullptr) continue;
      found = &each;
      if (each.stream.entity.ordinal == kept.stream.ordinal) break;
    }
    return found;
  }

  // The same class where it was read from before is taken only while this reading does not know it:
  // both number their classes alike.
  static const EventClass* class_for(const EventClass& kept, const OpenStream& open) {
    const StableList<EventClass>& classes = open.description->event_classes();
    const std::uint64_t ordinal = kept.entity.ordinal;
    return ordinal < classes.size() && classes[ordinal].name == kept.name ? &classes[ordinal]
                                                                          : &kept;
  }

  Parts& parts_;
  bool by_begin_;
  TimeCut time_;
  SizeCut size_;
  DividedSpans spans_;
  std::function<void(const Nanoseconds&)> told_;  // of cuts; may be empty
  bool knows_all_;
  std::unique_ptr<DescribingEvents> describing_;
  std::size_t described_ = 0;  // of these, those that came
  TraceNumbers traces_;
  std::vector<OpenStream> open_;
  HeldLosses held_;
  OrderKey begin_ = OrderKey::first();  // of the part at hand
  std::uint64_t early_ = 0;             // events that are earlier than their part
  std::uint64_t copies_ = 0;            // events that describe others, beside the first of each
  KeyMaker begins_;
  KeyMaker ends_;
  Writer* writer_ = nullptr;  // of the part at hand
  Receipt receipt_;           // of the parts before
  bool is_first_ = true;      // there are none
};

}  // namespace

Result<std::unique_ptr<Writer>> split_writer(Parts& parts, const SplitOptions& options,
                                             std::unique_ptr<DescribingEvents> describing) {
  auto writer = std::make_unique<SplitWriter>(parts, options, std::move(describing));
  if (auto begun = writer->begin(); !begun) return std::unexpected(begun.error());
  return writer;
}

}  // namespace tracedeck::flow
