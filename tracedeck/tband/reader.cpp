#include "tracedeck/tband/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tracedeck/format/frame_reader.hpp"
#include "tracedeck/tband/decoder.hpp"
#include "tracedeck/tband/hex_input.hpp"
#include "tracedeck/tband/shared_trace.hpp"
#include "tracedeck/tband/survey.hpp"

namespace tracedeck::tband {
namespace {

// What is known of a core.
struct Core {
  NamingPlace place = {};
  std::uint64_t last_time = 0;
  std::shared_ptr<const DataStream> stream = {};  // null: no event of it has come
};

// How one file of a trace is read.
struct FileOptions {
  std::uint32_t core = 0;             // of what stands before the first core_id
  bool several = false;               // the trace has other files
  std::optional<Losses> losses = {};  // by offset, when they are known beforehand
};

class FileReader final : public FrameReader<FileReader, Decoder> {
  using Base = FrameReader<FileReader, Decoder>;

 public:
  FileReader(const std::string& name, std::unique_ptr<io::Input> input, const ReadOptions& options,
             std::shared_ptr<SharedTrace> shared, FileOptions file)
      : Base(std::move(input), options, shared->description(),
             std::min(options.max_state, kMostMaxState), 1, Decoder(options.max_state)),
        shared_(std::move(shared)),
        file_(std::move(file)),
        name_(name),
        values_(options.values) {
    core_ = &cores_[file_.core];
    core_->place.core = file_.core;
  }

  // What the base calls.
  [[nodiscard]] const std::string& file_name() const { return name_; }
  void begin_batch() {
    if (core_->stream != nullptr) batch().pin(core_->stream);
  }
  void end() { end_streams(); }
  void lose_files() { batch().add_loss({.stream = core_->stream.get()}); }

  // What the decoder calls.
  bool event(const EventView& view, std::uint64_t offset, std::uint32_t size) {
    const EventFacts& facts = view.facts();
    if (offset == switch_end_) [[unlikely]]
      in_blocks_ = in_blocks_ || (view.layout->timed && view.timestamp < before_switch_);
    if (view.layout->bears_on_others) [[unlikely]]
      take_note(view, offset, size);
    const EventClass* event_class = shared_->find_class(facts.id);
    if (event_class == nullptr || core_->stream == nullptr) [[unlikely]]
      event_class = &begin_class(view, offset, size);
    if (view.layout->timed) {
      if (view.timestamp < core_->last_time) [[unlikely]]
        step_back(view, offset, size);
      core_->last_time = view.timestamp;
    }
    Batch& to = batch();
    Event& event = to.add_event();
    event.event_class = event_class;
    event.stream = core_->stream.get();
    if (view.layout->timed) event.time = event.end_time = view.timestamp;
    event.offset = offset;
    event.size = size;
    if (values_) put_values(view, event);
    // Behind its event, so that a merge hands on both at that event's time.
    if (lost_ != 0) [[unlikely]]
      put_loss();
    return !to.full();
  }

 private:
  // A batch has room for the values of all its events.
  static_assert(Batch::kRecords * kMaxFields <= Batch::kSlots);

  void put_values(const EventView& view, Event& event) {
    Slot* const begin = batch().tape_position();
    Slot* out = begin;
    for (std::size_t i = 0; i < view.field_count; ++i) {
      switch (view.layout->types[i]) {
        case FieldType::kString:
          *out++ = text_slot(view);
          break;
        case FieldType::kS64:
          *out++ = signed_slot(static_cast<std::int64_t>(view.numbers[i]));
          break;
        default:
          *out++ = named_slot(view.numbers[i],
                              shared_->names().of(view.facts(), i, view.numbers[i], core_->place));
          break;
      }
    }
    event.slots = begin;
    event.slot_count = static_cast<std::uint32_t>(out - begin);
    batch().commit_tape(out);
  }

  // The text itself, or a copy where the decoder had to put it together.
  Slot text_slot(const EventView& view) {
    const auto size = static_cast<std::uint32_t>(view.text.size());
    if (view.text_lasts) return bytes_slot(SlotKind::kString, view.text.data(), size);
    auto copy = std::make_shared<std::vector<std::uint8_t>>(view.text.begin(), view.text.end());
    const Slot slot = bytes_slot(SlotKind::kString, copy->data(), size);
    batch().pin(std::shared_ptr<const std::vector<std::uint8_t>>(std::move(copy)));
    return slot;
  }

  // What an event says about others, before it is itself put into the batch.
  [[gnu::noinline]] void take_note(const EventView& view, std::uint64_t offset,
                                   std::uint32_t size) {
    const EventFacts& facts = view.facts();
    switch (facts.id) {
      case kCoreId:
        return switch_core(static_cast<std::uint32_t>(view.numbers[0]), offset, size);
      case kDroppedEvents:
        return count_drops(view, offset, size);
      case kResolution:
        return take_resolution(view.numbers[0], offset, size);
      case kTaskSwitchedIn:
        core_->place.task = static_cast<std::uint32_t>(view.numbers[0]);
        return;
      case kQueueKind:
        if (view.numbers[1] >= kQueueKinds.size()) {
          report(
              RuleId::kQueueKindValue, offset, size,
              fmt::format("queue {} is of the unknown kind {}", view.numbers[0], view.numbers[1]));
        }
        return;
      default:
        return take_name(view, offset, size);
    }
  }

  void switch_core(std::uint32_t id, std::uint64_t offset, std::uint32_t size) {
    before_switch_ = last_of_all();
    switch_end_ = offset + size;
    if (core_->place.core != id) enter_core(id, offset, size);
    own_before_switch_ = core_->last_time;
  }

  void enter_core(std::uint32_t id, std::uint64_t offset, std::uint32_t size) {
    if (cores_.size() >= kMostCores && !cores_.contains(id)) {
      report(RuleId::kCores, offset, size,
             fmt::format("core {} comes after {} others, which are forgotten", id, cores_.size()));
      end_streams();
      cores_.clear();
    }
    core_ = &cores_[id];
    core_->place.core = id;
    if (core_->stream != nullptr) batch().pin(core_->stream);
  }

  void take_resolution(std::uint64_t resolution, std::uint64_t offset, std::uint32_t size) {
    const std::optional<std::uint64_t>& known = shared_->resolution();
    if (resolution == 0) {
      return report(RuleId::kResolutionZero, offset, size, "a tick of 0 ns is ignored");
    }
    if (!known) return shared_->set_resolution(resolution);
    if (*known == resolution) return;
    report(RuleId::kResolutionChanged, offset, size,
           fmt::format("a tick of {} ns after one of {} ns, which holds", resolution, *known));
  }

  void count_drops(const EventView& view, std::uint64_t offset, std::uint32_t size) {
    const std::uint64_t count = view.numbers[0];
    const Nanoseconds now = shared_->stream_class().default_clock->to_nanoseconds(view.timestamp);
    std::uint64_t lost = count > shared_->dropped ? count - shared_->dropped : 0;
    if (file_.losses) {
      const auto known = file_.losses->find(offset);
      lost = known == file_.losses->end() ? 0 : known->second;
    }
    if (count < last_count_) {
      report(RuleId::kDropCountDecreased, offset, size,
             fmt::format("{} dropped events after {}", count, last_count_));
    }
    last_count_ = shared_->dropped = count;
    lost_ = lost;
    lost_since_ = last_traced(offset);
    lost_until_ = now;
  }

  // A recorder writes the count before an event where it has changed since it wrote it last. So
  // what is lost lies behind the event before, of which this is the time; that the core changes is
  // none. Where events of cores do not come in the order of time, it is the core's own.
  [[nodiscard]] std::optional<Nanoseconds> last_traced(std::uint64_t offset) const {
    const bool is_behind_switch = offset == switch_end_;
    const std::uint64_t own = is_behind_switch ? own_before_switch_ : core_->last_time;
    const std::uint64_t last = in_blocks_ ? own : is_behind_switch ? before_switch_ : last_of_all();
    if (last == 0) return std::nullopt;
    return shared_->stream_class().default_clock->to_nanoseconds(last);
  }
  [[nodiscard]] std::uint64_t last_of_all() const {
    std::uint64_t last = 0;
    for (const auto& [id, core] : cores_) last = std::max(last, core.last_time);
    return last;
  }

  void put_loss() {
    batch().add_loss({.stream = core_->stream.get(),
                      .events = std::exchange(lost_, 0),
                      .begin = lost_since_,
                      .end = lost_until_});
  }

  void take_name(const EventView& view, std::uint64_t offset, std::uint32_t size) {
    const NameKey named = named_by(view.facts(), view.numbers, core_->place.core);
    if (shared_->names().define(named, as_text(view.text))) return;
    if (std::exchange(shared_->reported_names, true)) return;
    report(RuleId::kNames, offset, size, "there is no room for further names");
  }

  // Of the first event of a class, or of a core.
  [[gnu::noinline]] const EventClass& begin_class(const EventView& view, std::uint64_t offset,
                                                  std::uint32_t size) {
    if (generation_ != shared_->generation()) end_streams();
    generation_ = shared_->generation();
    if (core_->stream == nullptr) begin_stream();
    const EventClass* known = shared_->find_class(view.id());
    if (known == nullptr) {
      known = &shared_->add_class(view.facts());
      batch().add(Record(known));
    }
    if (view.layout->timed && !shared_->resolution() &&
        !std::exchange(shared_->reported_no_resolution, true)) {
      report(RuleId::kResolutionMissing, offset, size,
             "nothing says how long a tick is; it is read as 1 ns");
    }
    return *known;
  }

  void begin_stream() {
    core_->stream = std::make_shared<const DataStream>(
        DataStream{.entity = shared_->description()->next_stream(),
                   .stream_class = &shared_->stream_class(),
                   .keys = {{.name = "core", .value = core_->place.core}},
                   .file = file_.several ? name_ : std::string()});
    batch().add_stream(RecordKind::kStreamBegin, core_->stream);
  }

  void end_streams() {
    for (auto& [id, core] : cores_) {
      if (core.stream == nullptr) continue;
      batch().add_stream(RecordKind::kStreamEnd, core.stream);
      core.stream = nullptr;
    }
  }

  [[gnu::noinline]] void step_back(const EventView& view, std::uint64_t offset,
                                   std::uint32_t size) {
    report(RuleId::kTimeOrder, offset, size,
           fmt::format("the time of core {} steps back from {} to {} ticks", core_->place.core,
                       core_->last_time, view.timestamp));
  }

  void report(RuleId id, std::uint64_t offset, std::uint32_t size, std::string text) {
    finding({.rule = &rule(id), .offset = offset, .length = size, .text = std::move(text)});
  }

  std::shared_ptr<SharedTrace> shared_;
  FileOptions file_;
  std::string name_;
  bool values_;
  std::map<std::uint32_t, Core> cores_;
  Core* core_;
  unsigned generation_ = 0;
  std::uint64_t last_count_ = 0;
  std::uint64_t lost_ = 0;  // what the event at hand reports
  std::optional<Nanoseconds> lost_since_ = {};
  std::optional<Nanoseconds> lost_until_ = {};
  std::uint64_t before_switch_ = 0;               // the last time before the last core_id,
  std::uint64_t own_before_switch_ = 0;           // and that of the core that it begins
  std::uint64_t switch_end_ = ~std::uint64_t{0};  // the offset behind that
  bool in_blocks_ = false;                        // events of cores go back behind those of others
};

// The files of one trace.
class CoreFilesReader final : public Reader {
 public:
  CoreFilesReader(std::shared_ptr<SharedTrace> shared,
                  std::vector<std::unique_ptr<FileReader>> files)
      : shared_(std::move(shared)), files_(std::move(files)) {}

  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return shared_->description();
  }

  [[nodiscard]] Result<BatchPtr> next() override {
    for (; turn_ < files_.size(); ++turn_) {
      auto batch = files_[turn_]->next();
      if (!batch || *batch != nullptr) return batch;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<std::unique_ptr<RecordSource>> take_streams() override {
    std::vector<std::unique_ptr<RecordSource>> sources;
    for (const auto& file : files_) sources.push_back(std::make_unique<Part>(*file));
    turn_ = files_.size();
    return sources;
  }

  [[nodiscard]] double progress() const override {
    double sum = 0;
    for (const auto& file : files_) {
      const double part = file->progress();
      if (part < 0) return -1;
      sum += part;
    }
    return sum / static_cast<double>(files_.size());
  }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const override {
    return sum([](const FileReader& file) { return file.stored_size(); });
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const override {
    return sum([](const FileReader& file) { return file.bytes_read(); });
  }

 private:
  class Part final : public RecordSource {
   public:
    explicit Part(FileReader& file) : file_(file) {}
    Result<BatchPtr> next() override { return file_.next(); }

   private:
    FileReader& file_;
  };

  template <class Of>
  std::optional<std::uint64_t> sum(Of of) const {
    std::uint64_t all = 0;
    for (const auto& file : files_) {
      const std::optional<std::uint64_t> part = of(*file);
      if (!part) return std::nullopt;
      all += *part;
    }
    return all;
  }

  std::shared_ptr<SharedTrace> shared_;
  std::vector<std::unique_ptr<FileReader>> files_;
  std::size_t turn_ = 0;
};

// Looks ahead in the files and makes what they share.
class Opening {
 public:
  Opening(std::string name, const ReadOptions& options)
      : name_(std::move(name)), options_(options) {}

  Result<void> look_ahead(CoreInput& file, bool several) {
    drops_.emplace_back();
    if (file.input->live()) {
      all_seekable_ = false;
      std::optional<std::uint64_t> found;
      io::HeldBack held = hold_back(std::move(file.input), found);
      file.input = std::move(held.input);
      if (held.took_too_long && options_.notice) {
        options_.notice(name_ +
                        ": no length of a tick within 2 seconds; events are shown without "
                        "waiting for one");
      }
      if (!resolution_) resolution_ = found;
      return {};
    }
    if (!file.input->seekable()) {
      all_seekable_ = false;
      return {};
    }
    SurveyOptions wanted{.core = file.core, .drops = several, .max_state = options_.max_state};
    if (options_.values) {
      wanted.names = [this](const NameKey& of, std::string_view name) { names_.see(of, name); };
    }
    auto found = survey(*file.input, wanted);
    if (!found) return std::unexpected(std::move(found.error()));
    if (!resolution_) resolution_ = found->resolution;
    drops_.back() = std::move(found->drops);
    return {};
  }

  std::shared_ptr<SharedTrace> share() {
    auto shared = std::make_shared<SharedTrace>(name_, options_, resolution_);
    names_.define_in(shared->names());
    return shared;
  }

  // By file; absent when not all files could be looked through.
  std::optional<std::vector<Losses>> losses() const {
    if (!all_seekable_) return std::nullopt;
    return shared_losses(drops_);
  }

 private:
  std::string name_;
  const ReadOptions& options_;
  std::optional<std::uint64_t> resolution_;
  FirstNames names_{options_.max_state / 2};
  std::vector<std::vector<DropCount>> drops_;
  bool all_seekable_ = true;
};

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                            const ReadOptions& options) {
  const std::string name = input->name();
  CoreInput file{.input = decoded(std::move(input), options.hexadecimal)};
  Opening opening(name, options);
  if (auto looked = opening.look_ahead(file, false); !looked)
    return std::unexpected(std::move(looked.error()));
  return std::make_unique<FileReader>(name, std::move(file.input), options, opening.share(),
                                      FileOptions{});
}

Result<std::unique_ptr<Reader>> open_reader(std::vector<CoreInput> files,
                                            const ReadOptions& options) {
  Opening opening(files.front().input->name(), options);
  for (CoreInput& file : files) {
    file.input = decoded(std::move(file.input), options.hexadecimal);
    if (auto looked = opening.look_ahead(file, true); !looked)
      return std::unexpected(std::move(looked.error()));
  }
  const std::shared_ptr<SharedTrace> shared = opening.share();
  std::optional<std::vector<Losses>> losses = opening.losses();
  std::vector<std::unique_ptr<FileReader>> readers;
  for (std::size_t i = 0; i < files.size(); ++i) {
    FileOptions file{.core = files[i].core, .several = true};
    if (losses) file.losses = std::move((*losses)[i]);
    const std::string name = files[i].input->name();
    readers.push_back(std::make_unique<FileReader>(name, std::move(files[i].input), options, shared,
                                                   std::move(file)));
  }
  return std::make_unique<CoreFilesReader>(shared, std::move(readers));
}

}  // namespace tracedeck::tband
