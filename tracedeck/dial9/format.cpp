#include "tracedeck/dial9/format.hpp"

#include <algorithm>

#include "tracedeck/dial9/reader.hpp"
#include "tracedeck/dial9/rewrite.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/wire.hpp"
#include "tracedeck/dial9/writer.hpp"

namespace tracedeck::dial9 {
namespace {

class Dial9Format final : public Format {
 public:
  [[nodiscard]] const FormatInfo& info() const override {
    static constexpr FormatInfo kInfo = {.name = "dial9",
                                         .title = "dial9-trace-format",
                                         .versions = "0.3, 0.4 (wire version 1)",
                                         .summary = "async-runtime telemetry",
                                         .file_name_hint = "*.bin, *.bin.gz"};
    return kInfo;
  }
  [[nodiscard]] std::span<const Rule> rules() const override { return dial9::rules(); }

  [[nodiscard]] std::span<const WriteTarget> targets() const override {
    static constexpr WriteTarget kTarget = {.name = "dial9", .title = "dial9-trace-format"};
    return {&kTarget, 1};
  }

  // The magic alone: an unknown version is this format's to reject.
  [[nodiscard]] bool recognises(ByteSpan head, bool) const override {
    return head.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), head.begin());
  }
  [[nodiscard]] std::size_t recognition_size() const override { return kMagic.size(); }

  [[nodiscard]] Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input,
                                                     const ReadOptions& options) const override {
    return open_reader(std::move(input), options);
  }
  [[nodiscard]] Result<std::unique_ptr<Writer>> create(io::Output& output,
                                                       const WriteOptions& options) const override {
    return create_writer(output, options);
  }
  [[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                     const ReadOptions& options, const NoticeSink& notices,
                                     std::stop_token stop) const override {
    return dial9::rewrite(std::move(input), output, options, notices, stop);
  }
};

}  // namespace

const Format& format() {
  static const Dial9Format kFormat;
  return kFormat;
}

}  // namespace tracedeck::dial9
