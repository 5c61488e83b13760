#include "tracedeck/tband/format.hpp"

#include <utility>

#include "tracedeck/tband/reader.hpp"
#include "tracedeck/tband/recognise.hpp"
#include "tracedeck/tband/rewrite.hpp"
#include "tracedeck/tband/rules.hpp"
#include "tracedeck/tband/writer.hpp"

namespace tracedeck::tband {
namespace {

// Titles are in ASCII: the man page and the completions have them.
class TbandFormat final : public Format {
 public:
  [[nodiscard]] const FormatInfo& info() const override {
    static constexpr FormatInfo kInfo = {.name = "tband",
                                         .title = "Tonbandgeraet binary trace format",
                                         .versions = "unversioned",
                                         .summary = "tracer of embedded systems and FreeRTOS",
                                         .file_name_hint = "*.bin, FILE@CORE",
                                         // Each frame ends with a delimiter, wherever that stands.
                                         .frames_span_datagrams = true};
    return kInfo;
  }
  [[nodiscard]] std::span<const Rule> rules() const override { return tband::rules(); }

  [[nodiscard]] std::span<const WriteTarget> targets() const override {
    static constexpr WriteTarget kTarget = {.name = "tband",
                                            .title = "Tonbandgeraet binary trace format"};
    return {&kTarget, 1};
  }

  [[nodiscard]] bool recognises(ByteSpan head, bool whole) const override {
    return tband::recognises(head, whole);
  }
  [[nodiscard]] std::size_t recognition_size() const override { return kRecognitionSize; }
  [[nodiscard]] bool recognises_live() const override { return false; }

  [[nodiscard]] Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input,
                                                     const ReadOptions& options) const override {
    return open_reader(std::move(input), options);
  }
  [[nodiscard]] bool has_core_files() const override { return true; }
  [[nodiscard]] Result<std::unique_ptr<Reader>> open_cores(
      std::vector<CoreInput> files, const ReadOptions& options) const override {
    return open_reader(std::move(files), options);
  }
  [[nodiscard]] Result<std::unique_ptr<Writer>> create(io::Output& output,
                                                       const WriteOptions&) const override {
    return create_writer(output);
  }
  [[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                     const ReadOptions& options, const NoticeSink& notices,
                                     std::stop_token stop) const override {
    return tband::rewrite(std::move(input), output, options, notices, stop);
  }
};

}  // namespace

const Format& format() {
  static const TbandFormat kFormat;
  return kFormat;
}

}  // namespace tracedeck::tband
