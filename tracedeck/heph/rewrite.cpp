#include "tracedeck/heph/rewrite.hpp"

#include "tracedeck/format/frame_copier.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/reader.hpp"

namespace tracedeck::heph {
namespace {

// Checks packets without storing values.
class Copier : public BasicPacketHandler<true>, public FrameCopier {
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
                             window_limit(options.max_state), 1, output, notices, stop);
}

}  // namespace tracedeck::heph
