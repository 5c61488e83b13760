#include "tracedeck/dial9/rewrite.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/still_written.hpp"
#include "tracedeck/format/frame_copier.hpp"
#include "tracedeck/format/input_rule.hpp"

namespace tracedeck::dial9 {
namespace {

// Checks frames without storing values.
class Copier : public BasicFrameHandler<true>, public FrameCopier {
 public:
  using FrameCopier::finding;
  using FrameCopier::FrameCopier;

  void problem(Finding finding) {
    if (std::optional<Finding> unwritten = still_written(finding, source()))
      return leave_out(RecordKind::kFinding, *std::move(unwritten));
    FrameCopier::problem(std::move(finding));
  }
  void failed(std::uint64_t offset, const Error& why) {
    problem(input_notice({}, offset, why).finding);
  }
};

}  // namespace

Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                     const ReadOptions& options, const Format::NoticeSink& notices,
                     const std::stop_token& stop) {
  return copy_frames<Copier>(std::move(input), Decoder(options.max_state),
                             std::min(options.max_state, kMostMaxState), kHeaderSize, output,
                             notices, stop);
}

}  // namespace tracedeck::dial9
