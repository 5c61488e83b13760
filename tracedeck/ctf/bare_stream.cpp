#include "tracedeck/ctf/bare_stream.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tracedeck/ctf/opening.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/ctf/task_pool.hpp"
#include "tracedeck/ctf/trace.hpp"

namespace tracedeck::ctf {
namespace {

class BareStreamReader final : public Reader {
 public:
  BareStreamReader(std::unique_ptr<Trace> trace, std::unique_ptr<io::Input> input,
                   const ReadOptions& options)
      : trace_(std::move(trace)),
        options_(options),
        unread_(std::move(input)),
        input_(*unread_),
        stored_size_(input_.stored_size()) {}

  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return trace_->description();
  }
  [[nodiscard]] std::string_view target() const override {
    return target_name(trace_->metadata().dialect());
  }
  [[nodiscard]] double progress() const override {
    if (stored_size_.value_or(0) == 0) return -1;
    return std::min(
        1.0, static_cast<double>(input_.stored_position()) / static_cast<double>(*stored_size_));
  }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const override { return stored_size_; }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const override {
    return stream_ == nullptr ? 0 : stream_->bytes_read();
  }

  [[nodiscard]] Result<BatchPtr> next() override {
    if (phase_ == Phase::kOpening) {
      opening_ = open_trace(*trace_, options_.findings || options_.metadata_findings);
      phase_ = Phase::kStream;
    }
    if (opening_.classes != nullptr) {
      auto batch = opening_.classes->next();
      if (!batch || *batch != nullptr) return batch;
      opening_.classes = nullptr;
    }
    if (const auto found = std::exchange(opening_.batch, nullptr); found && !found->empty())
      return BatchPtr(found);
    if (opening_.rejection) return std::unexpected(*opening_.rejection);
    if (phase_ == Phase::kEnded) return nullptr;
    if (stream_ == nullptr) begin();
    auto batch = stream_->next();
    if (!batch || *batch != nullptr) return batch;
    phase_ = Phase::kEnded;
    return end();
  }

 private:
  enum class Phase : std::uint8_t { kOpening, kStream, kEnded };

  void begin() {
    StreamFileOptions options{.read = options_};
    // Of what comes live no packet is there as a whole.
    if (options_.jobs > 1 && !input_.live()) {
      pool_ = std::make_unique<TaskPool>(options_.jobs);
      options.pool = pool_.get();
      options.packets_ahead = packets_ahead(options_, 1);
    }
    stream_ = std::make_unique<StreamFile>(*trace_, std::move(unread_), options);
  }

  // Only now it is known that none of the data streams goes on.
  [[nodiscard]] BatchPtr end() const {
    auto batch = std::make_shared<Batch>(std::size_t{0});
    for (const auto& stream : trace_->begun_streams())
      batch->add_stream(RecordKind::kStreamEnd, stream);
    if (batch->empty()) return nullptr;
    batch->pin(std::shared_ptr<const TraceDescription>(trace_->description()));
    return batch;
  }

  std::unique_ptr<Trace> trace_;
  ReadOptions options_;
  std::unique_ptr<io::Input> unread_;  // until the stream has it
  const io::Input& input_;
  std::optional<std::uint64_t> stored_size_;
  std::unique_ptr<TaskPool> pool_;
  std::unique_ptr<StreamFile> stream_;
  Phase phase_ = Phase::kOpening;
  Opening opening_;
};

}  // namespace

Result<std::unique_ptr<Reader>> open_bare_stream(std::unique_ptr<io::Input> input,
                                                 const ReadOptions& options) {
  if (options.metadata == nullptr) {
    return fail(ErrorCode::kUnsupported,
                "a CTF trace is a directory; name that instead of a file in it, or give the "
                "metadata of this data stream (--metadata FILE)",
                input->name());
  }
  auto trace =
      Trace::given(*options.metadata, input->name(), options.clock_shift, options.max_state);
  if (!trace) return std::unexpected(std::move(trace.error()));
  return std::make_unique<BareStreamReader>(*std::move(trace), std::move(input), options);
}

}  // namespace tracedeck::ctf
