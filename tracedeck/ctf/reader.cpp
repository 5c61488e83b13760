#include "tracedeck/ctf/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "tracedeck/ctf/first_packet.hpp"
#include "tracedeck/ctf/opening.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/ctf/twin_packets.hpp"
#include "tracedeck/format/reading_sizes.hpp"

namespace tracedeck::ctf {
namespace {

// Counts what all data stream files of a trace have come to.
struct Counts {
  std::uint64_t bytes = 0;
  std::uint64_t stored = 0;  // bytes of the files that were read to their end
  std::uint64_t stored_all = 0;
};

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// The files of a data stream `state` in the order of its packets. They are read in another one.
struct FilesInOrder {
  StreamState* state = nullptr;  // null: the first packet of the file cannot be decoded
  std::vector<std::string> files = {};
};

// Files of one data stream, one after the other. When they come out of order, the only one is
// `order->files[turn]`.
class StreamSource final : public RecordSource {
 public:
  StreamSource(Trace& trace, std::vector<std::string> files, const StreamFileOptions& options,
               std::shared_ptr<Counts> counts, std::shared_ptr<const FilesInOrder> order,
               std::size_t turn)
      : trace_(trace),
        files_(std::move(files)),
        options_(options),
        counts_(std::move(counts)),
        order_(std::move(order)),
        turn_(turn) {}

  Result<BatchPtr> next() override {
    while (next_ < files_.size() || file_ != nullptr) {
      if (file_ == nullptr) {
        if (next_ == 0 && state() != nullptr && state()->last_file != file_before()) look_back();
        counted_ = 0;
        file_ = std::make_unique<StreamFile>(trace_, files_[next_++], options_);
      }
      auto batch = file_->next();
      counts_->bytes += file_->bytes_read() - std::exchange(counted_, file_->bytes_read());
      if (!batch || *batch != nullptr) return batch;
      file_.reset();
      if (state() != nullptr) state()->last_file = files_[next_ - 1];
      counts_->stored += size_of(files_[next_ - 1]);
    }
    return nullptr;
  }

 private:
  [[nodiscard]] StreamState* state() const { return order_ == nullptr ? nullptr : order_->state; }

  [[nodiscard]] std::string file_before() const {
    return turn_ == 0 ? std::string() : order_->files[turn_ - 1];
  }

  // Losses are counted from the last packet before, so the file that holds it is walked through.
  void look_back() {
    state()->progress = {};
    StreamFileOptions options = options_;
    options.heads_only = true;
    for (std::size_t i = turn_; i > 0 && !state()->progress.losses.has_packets(); --i) {
      StreamFile file(trace_, order_->files[i - 1], options);
      for (auto batch = file.next(); batch && *batch != nullptr; batch = file.next()) continue;
    }
  }

  Trace& trace_;
  std::vector<std::string> files_;
  StreamFileOptions options_;
  std::shared_ptr<Counts> counts_;
  std::shared_ptr<const FilesInOrder> order_;  // null: the files are read in it
  std::size_t turn_;
  std::size_t next_ = 0;
  std::uint64_t counted_ = 0;
  std::unique_ptr<StreamFile> file_;
};

// Faults of the metadata, then the error that it is rejected with.
class Rejected final : public RecordSource {
 public:
  Rejected(std::shared_ptr<Batch> before, Error error)
      : before_(std::move(before)), error_(std::move(error)) {}

  Result<BatchPtr> next() override {
    if (before_ != nullptr && !before_->empty()) return BatchPtr(std::exchange(before_, nullptr));
    return std::unexpected(error_);
  }

 private:
  std::shared_ptr<Batch> before_;
  Error error_;
};

class CtfReader final : public Reader {
 public:
  CtfReader(std::unique_ptr<Trace> trace, const ReadOptions& options)
      : trace_(std::move(trace)), options_(options) {
    for (const std::string& path : trace_->metadata_files()) metadata_size_ += size_of(path);
    for (const std::string& path : trace_->files()) counts_->stored_all += size_of(path);
  }

  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return trace_->description();
  }
  [[nodiscard]] std::string_view target() const override {
    return target_name(trace_->metadata().dialect());
  }
  [[nodiscard]] double progress() const override {
    if (counts_->stored_all == 0) return -1;
    return std::min(1.0, static_cast<double>(std::max(counts_->stored, counts_->bytes)) /
                             static_cast<double>(counts_->stored_all));
  }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const override {
    return metadata_size_ + counts_->stored_all;
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const override {
    return metadata_size_ + counts_->bytes;
  }

  [[nodiscard]] Result<BatchPtr> next() override {
    if (!begun_) begin(false);
    while (turn_ < sources_.size()) {
      auto batch = sources_[turn_]->next();
      if (!batch || *batch != nullptr) return batch;
      sources_[turn_++].reset();
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<std::unique_ptr<RecordSource>> take_streams() override {
    begin(true);
    return std::exchange(sources_, {});
  }

 private:
  void begin(bool merged);

  // The files of one data stream and when each begins.
  struct Group {
    StreamState* state = nullptr;  // null: the first packet of its file cannot be decoded
    std::vector<std::pair<std::uint64_t, std::string>> files = {};
  };
  [[nodiscard]] std::vector<Group> group_files();
  [[nodiscard]] StreamFileOptions file_options(std::size_t at_once);
  void add_merged(const std::vector<Group>& groups);
  void add_files(const std::vector<Group>& groups);

  std::unique_ptr<Trace> trace_;
  ReadOptions options_;
  std::shared_ptr<TwinPackets> twins_ = std::make_shared<TwinPackets>();
  std::uint64_t metadata_size_ = 0;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  std::unique_ptr<TaskPool> pool_;  // made when first needed
  std::shared_ptr<BatchPool> batches_ = std::make_shared<BatchPool>(Batch::kSlots, Batch::kRecords);
  bool begun_ = false;
  std::vector<std::unique_ptr<RecordSource>> sources_;
  std::size_t turn_ = 0;
};

// One batch, then nothing.
class Once final : public RecordSource {
 public:
  explicit Once(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}
  Result<BatchPtr> next() override { return BatchPtr(std::exchange(batch_, nullptr)); }

 private:
  std::shared_ptr<Batch> batch_;
};

void CtfReader::begin(bool merged) {
  begun_ = true;
  Opening opening = open_trace(*trace_, options_.findings || options_.metadata_findings);
  if (opening.classes != nullptr) sources_.push_back(std::move(opening.classes));
  if (opening.rejection) {
    sources_.push_back(
        std::make_unique<Rejected>(std::move(opening.batch), *std::move(opening.rejection)));
    return;
  }
  if (!opening.batch->empty()) sources_.push_back(std::make_unique<Once>(std::move(opening.batch)));
  twins_->look_for(*trace_);
  if (options_.notice) {
    for (const std::string& sentence : joining_notices(*trace_, *twins_)) options_.notice(sentence);
  }
  const std::vector<Group> groups = group_files();
  if (merged) {
    add_merged(groups);
  } else {
    add_files(groups);
  }
}

// The files of each data stream by begin time, the data streams in the order of their first files.
std::vector<CtfReader::Group> CtfReader::group_files() {
  std::vector<Group> groups;
  std::map<const StreamState*, std::size_t> index;
  for (const std::string& path : trace_->files()) {
    const FirstPacket first = first_packet(*trace_, path);
    StreamState* const state = first.stream_class == nullptr
                                   ? nullptr
                                   : &trace_->stream(*first.stream_class, first.stream_id, path);
    std::size_t at = groups.size();
    if (state != nullptr) {
      at = index.try_emplace(state, at).first->second;
      ++state->open_files;
    }
    if (at == groups.size()) groups.push_back({state, {}});
    groups[at].files.emplace_back(first.begin.value_or(0), path);
  }
  for (Group& group : groups) {
    std::stable_sort(group.files.begin(), group.files.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
  }
  return groups;
}

// How to read data stream files of which `at_once` are open at the same time.
StreamFileOptions CtfReader::file_options(std::size_t at_once) {
  StreamFileOptions options{.read = options_, .batches = batches_};
  if (options_.jobs > 1 && pool_ == nullptr) pool_ = std::make_unique<TaskPool>(options_.jobs);
  options.pool = pool_.get();
  options.packets_ahead = packets_ahead(options_, at_once);
  if (twins_->count() != 0) options.pass_over = twins_->pass_over();
  return options;
}

void CtfReader::add_merged(const std::vector<Group>& groups) {
  StreamFileOptions options = file_options(groups.size());
  const ReadingSizes sizes = reading_sizes(groups.size() * options_.side_by_side);
  options.window_size = sizes.window;
  options.batches = std::make_shared<BatchPool>(sizes.slots, sizes.records);
  for (const Group& group : groups) {
    std::vector<std::string> files;
    for (const auto& [begin, path] : group.files) files.push_back(path);
    sources_.push_back(
        std::make_unique<StreamSource>(*trace_, std::move(files), options, counts_, nullptr, 0));
  }
}

void CtfReader::add_files(const std::vector<Group>& groups) {
  struct Place {
    std::shared_ptr<const FilesInOrder> order = nullptr;
    std::size_t turn = 0;
  };
  std::map<std::string, Place> places;
  for (const Group& group : groups) {
    auto order = std::make_shared<FilesInOrder>(FilesInOrder{.state = group.state});
    for (const auto& [begin, path] : group.files) {
      places[path] = {order, order->files.size()};
      order->files.push_back(path);
    }
  }
  for (const std::string& path : trace_->files()) {
    const Place& place = places[path];
    sources_.push_back(std::make_unique<StreamSource>(*trace_, std::vector{path}, file_options(1),
                                                      counts_, place.order, place.turn));
  }
}

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(std::span<const std::string> directories,
                                            const ReadOptions& options, std::stop_token stop) {
  auto trace = Trace::open(directories, options.clock_shift, options.max_state, std::move(stop));
  if (!trace) return std::unexpected(std::move(trace.error()));
  return std::make_unique<CtfReader>(*std::move(trace), options);
}

}  // namespace tracedeck::ctf
