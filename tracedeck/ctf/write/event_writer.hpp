// Writes event records into packets that are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/write/placed_role.hpp"
#include "tracedeck/ctf/write/stream_writer.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

// One thread at a time.
class EventWriter {
 public:
  // `trace` must outlive this.
  explicit EventWriter(TraceInProgress& trace) : trace_(trace) {}

  // Puts an event of class `target` where the open packet of its data stream ends. Returns whether
  // readers understand its time. Errors: kInvalidArgument for values that do not fit their classes;
  // then the packet is as it was before.
  [[nodiscard]] Result<bool> put(StreamWriter& stream, TargetEventClass& target, const Event& event,
                                 std::uint64_t time) {
    return trace_.classes.keeps_heads() ? put_as_it_was(stream, target, event, time)
                                        : put_behind_ours(stream, target, event, time);
  }

 private:
  [[nodiscard]] Result<bool> put_behind_ours(StreamWriter& stream, TargetEventClass& target,
                                             const Event& event, std::uint64_t time);
  [[nodiscard]] Result<bool> put_as_it_was(StreamWriter& stream, TargetEventClass& target,
                                           const Event& event, std::uint64_t time);
  [[nodiscard]] EncodeStatus encode_header(StreamWriter& stream, TargetEventClass& target,
                                           const Event& event);
  [[nodiscard]] EncodeStatus encode_header_at(StreamWriter& stream, TargetEventClass& target,
                                              const Event& event, std::uint64_t time);
  // Contexts and payload.
  [[nodiscard, gnu::always_inline]] EncodeStatus encode_values(StreamWriter& stream,
                                                               TargetEventClass& target,
                                                               const Event& event) {
    const std::span<const EncodeChild> members = target.plain_members;
    const std::span<const Slot> payload = event.payload();
    if (!members.empty() && payload.size() == members.size()) {
      BitWriter& bits = stream.packets().bits();
      const std::uint64_t begin = bits.position();
      if (put_plain(bits, members, payload.data()) == members.size()) return EncodeStatus::kOk;
      bits.rewind(begin);
    }
    return encode_roots(stream, target, event);
  }
  [[nodiscard]] EncodeStatus encode_roots(StreamWriter& stream, TargetEventClass& target,
                                          const Event& event);
  [[nodiscard]] std::optional<std::size_t> last_clock() const;
  // Whether the header at hand may have that time instead of its own.
  [[nodiscard]] bool can_say(const TargetEventClass& target, std::uint64_t time) const;
  [[nodiscard]] EncodeStatus put_class_id(BitWriter& bits, const TargetEventClass& target) const;

  TraceInProgress& trace_;
  std::vector<PlacedRole> roles_;  // of the header at hand
};

}  // namespace tracedeck::ctf
