#include "tracedeck/ctf/write/trace_files.hpp"

#include <utility>

namespace tracedeck::ctf {

// Packets go out behind the metadata that they need.
class TraceFiles::StreamOutput final : public io::Output {
 public:
  StreamOutput(TraceFiles& files, std::unique_ptr<io::Output> output)
      : files_(files), output_(std::move(output)) {}

  [[nodiscard]] const std::string& name() const override { return output_->name(); }
  Result<void> write(ByteSpan bytes) override {
    if (auto flushed = files_.flush_metadata(); !flushed) return flushed;
    return output_->write(bytes);
  }
  Result<void> flush() override { return output_->flush(); }
  Result<void> finish() override { return output_->finish(); }
  void discard() override { output_->discard(); }

 private:
  TraceFiles& files_;
  std::unique_ptr<io::Output> output_;
};

TraceFiles::TraceFiles(io::OutputDirectory& output, Dialect dialect)
    : output_(output), writer_(metadata_writer(dialect, [this](std::string_view text) {
        return write_metadata(text);
      })) {}

Result<std::unique_ptr<io::Output>> TraceFiles::create_stream(const std::string& file) {
  Result<std::unique_ptr<io::Output>> created = output_.create_file(file);
  if (!created) return created;
  return std::make_unique<StreamOutput>(*this, *std::move(created));
}

// The output passes on whole texts: the file ends inside a declaration only when the declaration
// comes in several texts.
Result<void> TraceFiles::write_metadata(std::string_view text) {
  if (text.empty()) return {};
  if (metadata_ == nullptr) {
    auto file = output_.create_file("metadata");
    if (!file) return std::unexpected(file.error());
    metadata_ = *std::move(file);
  }
  is_flushed_ = false;
  return metadata_->write(text);
}

Result<void> TraceFiles::flush_metadata() {
  if (auto handed_on = writer_->hand_on(); !handed_on) return handed_on;
  if (std::exchange(is_flushed_, true)) return {};
  return metadata_->flush();
}

Result<void> TraceFiles::finish_metadata() {
  if (auto handed_on = writer_->hand_on(); !handed_on) return handed_on;
  return metadata_->finish();
}

}  // namespace tracedeck::ctf
