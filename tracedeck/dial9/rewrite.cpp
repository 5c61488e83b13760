#include "tracedeck/dial9/rewrite.hpp"

#include <algorithm>

#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/format/frame_copier.hpp"

namespace tracedeck::dial9 {
namespace {

// Checks frames without storing values.
class Copier : public BasicFrameHandler<true>, public FrameCopier {
 public:
  using FrameCopier::finding;
  using FrameCopier::FrameCopier;
  using FrameCopier::problem;
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
