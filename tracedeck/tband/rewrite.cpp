#include "tracedeck/tband/rewrite.hpp"

#include <algorithm>

#include "tracedeck/format/frame_copier.hpp"
#include "tracedeck/tband/decoder.hpp"
#include "tracedeck/tband/hex_input.hpp"

namespace tracedeck::tband {
namespace {

class Copier : public FrameCopier {
 public:
  using FrameCopier::FrameCopier;
  static bool event(const EventView&, std::uint64_t, std::uint32_t) { return true; }
};

}  // namespace

Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                     const ReadOptions& options, const Format::NoticeSink& notices,
                     const std::stop_token& stop) {
  return copy_frames<Copier>(decoded(std::move(input), options.hexadecimal),
                             Decoder(options.max_state), std::min(options.max_state, kMostMaxState),
                             1, output, notices, stop);
}

}  // namespace tracedeck::tband
