// Where a bare data stream goes on behind damage.
//
// A file on disk is read on where the size of a damaged packet says. What comes over a wire may
// lack bytes, or begin in the middle of a packet. There a size is believed when what is behind it
// bears it out; else the next packet magic number is looked for, if packets begin with one.
#pragma once

#include <cstdint>
#include <functional>

#include "tracedeck/ctf/packet_cursor.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

class PacketSearch {
 public:
  // `trace`: with its trace class.
  explicit PacketSearch(const TraceDescription& trace);

  // Whether packets begin with the magic number, and so can be looked for.
  [[nodiscard]] bool possible() const { return possible_; }

  // First bytes of what may be a packet that show whether it is none, and whether they do.
  [[nodiscard]] std::uint64_t telling_size() const;
  [[nodiscard]] bool is_no_packet(PaddedView bytes) const;

  // Whether the packet at hand takes `size` bytes: behind them another one begins, or the input or
  // its part ends there. Waits for these bytes; the size of a packet too large to be held is not
  // confirmed. `from`: bytes of the packet that are no longer needed.
  [[nodiscard]] bool confirms(PacketCursor& cursor, std::uint64_t from, std::uint64_t size) const;

  // Moves the cursor on to the next magic number behind offset `damage`, up to which reading went
  // well. `walked`: bytes from there on that were looked at in vain. False: there is none; the
  // cursor stands at the end. `waits`: see `PacketCursor::move_to_magic`.
  [[nodiscard]] bool find(PacketCursor& cursor, std::uint64_t damage, std::uint64_t walked,
                          const std::function<void()>& waits);

 private:
  bool possible_;
  std::uint64_t walked_in_vain_ = 0;
};

}  // namespace tracedeck::ctf
