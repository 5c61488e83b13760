#include "tracedeck/heph/format.hpp"

#include "tracedeck/heph/reader.hpp"
#include "tracedeck/heph/rewrite.hpp"
#include "tracedeck/heph/rules.hpp"
#include "tracedeck/heph/wire.hpp"
#include "tracedeck/heph/writer.hpp"

namespace tracedeck::heph {
namespace {

class HephFormat final : public Format {
 public:
  [[nodiscard]] const FormatInfo& info() const override {
    static constexpr FormatInfo kInfo = {.name = "heph",
                                         .title = "Heph trace format",
                                         .versions = "0.1.0",
                                         .summary = "actor and task spans",
                                         .file_name_hint = "*.bin.log"};
    return kInfo;
  }
  [[nodiscard]] std::span<const Rule> rules() const override { return heph::rules(); }

  [[nodiscard]] std::span<const WriteTarget> targets() const override {
    static constexpr WriteTarget kTarget = {.name = "heph", .title = "Heph trace format 0.1.0"};
    return {&kTarget, 1};
  }

  // A magic constant with a size that a packet can have. The magic constants of CTF are these plus
  // 10: one byte tells them apart.
  [[nodiscard]] bool recognises(ByteSpan head, bool) const override {
    if (head.size() < kPrefixSize) return false;
    const std::size_t least = least_size(load_be<std::uint32_t>(head.data()));
    return least != 0 && load_be<std::uint32_t>(head.data() + kSizeOffset) >= least;
  }
  [[nodiscard]] std::size_t recognition_size() const override { return kPrefixSize; }

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
    return heph::rewrite(std::move(input), output, options, notices, stop);
  }
};

}  // namespace

const Format& format() {
  static const HephFormat kFormat;
  return kFormat;
}

}  // namespace tracedeck::heph
