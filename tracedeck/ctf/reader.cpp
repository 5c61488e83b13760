#include "tracedeck/ctf/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/ctf/trace.hpp"

namespace tracedeck::ctf {
namespace {

// Windows and batches of all data streams that are merged at the same time may come to this much.
constexpr std::size_t kMergedMemory = std::size_t{24} << 20;

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

// The files of one data stream, one after the other.
class StreamSource final : public RecordSource {
 public:
  StreamSource(Trace& trace, std::vector<std::string> files, const StreamFileOptions& options,
               std::shared_ptr<Counts> counts)
      : trace_(trace), files_(std::move(files)), options_(options), counts_(std::move(counts)) {}

  Result<BatchPtr> next() override {
    while (next_ < files_.size() || file_ != nullptr) {
      if (file_ == nullptr) {
        counted_ = 0;
        file_ = std::make_unique<StreamFile>(trace_, files_[next_++], options_);
      }
      auto batch = file_->next();
      counts_->bytes += file_->bytes_read() - std::exchange(counted_, file_->bytes_read());
      if (!batch || *batch != nullptr) return batch;
      file_.reset();
      counts_->stored += size_of(files_[next_ - 1]);
    }
    return nullptr;
  }

 private:
  Trace& trace_;
  std::vector<std::string> files_;
  StreamFileOptions options_;
  std::shared_ptr<Counts> counts_;
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
    switch (trace_->metadata().dialect()) {
      case Dialect::kRc3:
        return "ctf2rc";
      case Dialect::kFinal:
        return "ctf2";
      case Dialect::kCtf1:
        return "ctf1";
    }
    return {};
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
  [[nodiscard]] std::shared_ptr<Batch> describe();
  [[nodiscard]] std::optional<Error> rejection(std::vector<FileFinding>& findings) const;
  void add_streams(bool merged);

  std::unique_ptr<Trace> trace_;
  ReadOptions options_;
  std::uint64_t metadata_size_ = 0;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
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

// The last fault of severity error, taken out of `findings`.
std::optional<Error> CtfReader::rejection(std::vector<FileFinding>& findings) const {
  const auto is_error = [](const FileFinding& each) {
    return each.finding.rule->severity == Severity::kError;
  };
  const auto last = std::find_if(findings.rbegin(), findings.rend(), is_error);
  if (last != findings.rend()) {
    Error error{.code = ErrorCode::kMustReject,
                .message = last->finding.text,
                .input = last->file,
                .offset = last->finding.offset,
                .rule = last->finding.rule};
    findings.erase(std::next(last).base());
    return error;
  }
  const auto& extensions = trace_->metadata().extensions;
  if (extensions.empty()) return {};
  std::string names;
  for (const std::string& each : extensions) names += (names.empty() ? "" : ", ") + each;
  return Error{.code = ErrorCode::kMustReject,
               .message = fmt::format("its metadata declares extensions that are not supported, "
                                      "{}, so that its data streams cannot be read",
                                      names),
               .input = trace_->metadata_files().front(),
               .rule = &metadata_rule(MetadataRule::kExtensions, trace_->metadata().dialect())};
}

std::shared_ptr<Batch> CtfReader::describe() {
  auto batch = std::make_shared<Batch>(std::size_t{0});
  const auto& classes = trace_->description()->event_classes();
  for (const EventClass& each : classes) batch->add(Record(&each));
  batch->pin(std::shared_ptr<const TraceDescription>(trace_->description()));
  return batch;
}

void CtfReader::begin(bool merged) {
  begun_ = true;
  auto batch = describe();
  std::vector<FileFinding> findings = trace_->take_findings();
  const auto error = rejection(findings);
  for (FileFinding& each : findings) {
    const bool is_error = each.finding.rule->severity == Severity::kError;
    if (is_error || options_.findings)
      batch->add_notice(RecordKind::kFinding, {std::move(each.file), std::move(each.finding)});
  }
  if (error) {
    sources_.push_back(std::make_unique<Rejected>(std::move(batch), *error));
    return;
  }
  if (!batch->empty()) sources_.push_back(std::make_unique<Once>(std::move(batch)));
  add_streams(merged);
}

void CtfReader::add_streams(bool merged) {
  struct Group {
    StreamState* state = nullptr;  // null: the first packet of its file cannot be decoded
    std::vector<std::pair<std::optional<std::uint64_t>, std::string>> files = {};
  };
  std::vector<Group> groups;
  std::map<const StreamState*, std::size_t> index;
  std::map<std::string, std::size_t> group_of;
  for (const std::string& path : trace_->files()) {
    const FirstPacket first = first_packet(*trace_, path);
    StreamState* const state = first.stream_class == nullptr
                                   ? nullptr
                                   : &trace_->stream(*first.stream_class, first.stream_id, path);
    const auto found = state == nullptr ? index.end() : index.find(state);
    if (found == index.end()) {
      if (state != nullptr) index.emplace(state, groups.size());
      group_of[path] = groups.size();
      groups.push_back({state, {{first.begin, path}}});
    } else {
      group_of[path] = found->second;
      groups[found->second].files.emplace_back(first.begin, path);
    }
    if (state != nullptr) ++state->open_files;
  }
  for (Group& group : groups)
    std::ranges::stable_sort(group.files, {},
                             [](const auto& each) { return each.first.value_or(0); });
  StreamFileOptions options{.read = options_};
  if (merged) {
    const std::size_t each = kMergedMemory / std::max<std::size_t>(1, groups.size());
    options.window_size =
        std::clamp<std::size_t>(each / 4, std::size_t{16} << 10, options.window_size);
    options.batch_slots = std::clamp<std::size_t>(each / 4 / sizeof(Slot), 256, Batch::kSlots);
    options.batch_records = std::clamp<std::size_t>(each / 4 / sizeof(Record), 32, Batch::kRecords);
    for (Group& group : groups) {
      std::vector<std::string> files;
      for (auto& [begin, path] : group.files) files.push_back(std::move(path));
      sources_.push_back(
          std::make_unique<StreamSource>(*trace_, std::move(files), options, counts_));
    }
    return;
  }
  for (const std::string& path : trace_->files())
    sources_.push_back(
        std::make_unique<StreamSource>(*trace_, std::vector{path}, options, counts_));
}

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(std::span<const std::string> directories,
                                            const ReadOptions& options, std::stop_token stop) {
  auto trace = Trace::open(directories, options.clock_shift, options.max_state, std::move(stop));
  if (!trace) return std::unexpected(std::move(trace.error()));
  return std::make_unique<CtfReader>(*std::move(trace), options);
}

}  // namespace tracedeck::ctf
