#include "tracedeck/dial9/append.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tracedeck/dial9/decoder.hpp"

namespace tracedeck::dial9 {
namespace {

// Lets the decoder establish its state and remembers the last damage.
class StateHandler : public FrameHandler {
 public:
  void problem(Finding finding) { last_ = std::move(finding); }

  [[nodiscard]] const Finding& last_problem() const { return last_; }

 private:
  Finding last_;
};

std::vector<EncoderState::PoolEntry> entries(const Pool& pool) {
  std::vector<EncoderState::PoolEntry> all;
  all.reserve(pool.size());
  pool.for_each([&](std::uint32_t id, Pool::Entry entry) {
    all.emplace_back(id, as_text({entry.data, entry.size}));
  });
  // Of several ids of one content the least is taken.
  std::ranges::sort(all);
  return all;
}

}  // namespace

Result<EncoderState> read_encoder_state(PaddedView trace) {
  Decoder decoder;
  StateHandler handler;
  std::size_t position = 0;
  const DecodeProgress progress = decoder.run({.bytes = trace, .last = true}, position, handler);
  if (progress.outcome == DecodeOutcome::kRejected) return std::unexpected(decoder.rejection());
  const Finding& damage = handler.last_problem();
  if (damage.rule != nullptr && damage.offset + damage.length == trace.size) {
    return fail(ErrorCode::kInvalidArgument, "the end of the trace is damaged: " + damage.text, {},
                damage.offset);
  }
  EncoderState state{.strings = entries(decoder.pools().strings),
                     .stacks = entries(decoder.pools().stacks),
                     .timestamp_base = decoder.timestamp_base()};
  for (const std::uint16_t id : decoder.types().ids()) {
    state.schemas.emplace_back(id, decoder.types().find(id)->read_schema());
  }
  return state;
}

Result<Encoder> append_to(PaddedView trace, EncoderOptions options, Sink sink) {
  const Result<EncoderState> state = read_encoder_state(trace);
  if (!state) return std::unexpected(state.error());
  return Encoder(*state, options, std::move(sink));
}

}  // namespace tracedeck::dial9
