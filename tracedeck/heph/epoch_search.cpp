#include "tracedeck/heph/epoch_search.hpp"

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/format/window_source.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/reader.hpp"
#include "tracedeck/io/hold_back.hpp"

namespace tracedeck::heph {
namespace {

// Pauses at the first epoch.
struct EpochFinder : BasicPacketHandler<false> {
  std::optional<std::uint64_t> epoch = {};

  bool option(const Option& option, std::uint64_t, std::uint64_t) {
    if (option.is_epoch()) epoch = option.epoch();
    return !epoch;
  }
};

// Decodes what a live input has delivered so far.
class HeldBackDecoder {
 public:
  explicit HeldBackDecoder(std::uint64_t max_state) : decoder_(max_state) {}

  [[nodiscard]] bool enough(ByteSpan bytes, bool whole) {
    const bool waits = bytes.size() < position_ + needed_ && !whole;
    if (waits || finder_.epoch) return finder_.epoch.has_value();
    const PaddedBytes rest(bytes.subspan(position_));
    std::size_t position = 0;
    const DecodeProgress progress =
        decoder_.run({.bytes = rest.view(), .offset = position_, .last = whole}, position, finder_);
    position_ += position;
    needed_ = progress.outcome == DecodeOutcome::kNeedMore ? progress.needed : 1;
    return finder_.epoch.has_value();
  }
  [[nodiscard]] const std::optional<std::uint64_t>& epoch() const { return finder_.epoch; }

 private:
  Decoder decoder_;
  EpochFinder finder_;
  std::size_t position_ = 0;
  std::uint64_t needed_ = 1;  // bytes from the position on
};

}  // namespace

Result<EpochSearch> find_epoch(std::unique_ptr<io::Input> input, const ReadOptions& options) {
  EpochSearch search;
  if (input->live() || !input->seekable()) {
    HeldBackDecoder decoder(options.max_state);
    const io::HoldLimits limits{.bytes = kMostHeldBack};
    io::HeldBack held = io::hold_back(std::move(input), limits, [&](ByteSpan bytes, bool whole) {
      return decoder.enough(bytes, whole);
    });
    search.epoch = decoder.epoch();
    if (held.took_too_long && options.notice) {
      options.notice(held.input->name() +
                     ": no epoch within 2 seconds; events are shown without waiting for one");
    }
    search.input = std::move(held.input);
    return search;
  }
  WindowSource source(std::move(input), window_limit(options.max_state), 1);
  Decoder decoder(options.max_state);
  EpochFinder finder;
  while (!source.ended() && !finder.epoch) {
    static_cast<void>(source.run(decoder, finder));
  }
  search.epoch = finder.epoch;
  search.input = source.take_input();
  if (Result<void> rewound = search.input->rewind(); !rewound)
    return std::unexpected(std::move(rewound.error()));
  return search;
}

}  // namespace tracedeck::heph
