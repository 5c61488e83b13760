// Packet contexts on babeltrace2's lines, made once per packet rather than once per event.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"
#include "tracedeck/render/babeltrace_value.hpp"

namespace tracedeck::render {

// The packet contexts of one data stream class. One thread at a time.
class BabeltracePackets {
 public:
  // `context` may be null.
  BabeltracePackets(FieldClassPtr context, BabeltracePalette palette, BabeltraceNames names = {});

  // Whether the lines of the class show a packet context.
  [[nodiscard]] bool shown() const { return shown_; }

  // The context of a packet: `{ cpu_id = 2 }`, with the name of the scope if that is to be shown.
  // Valid until the next call.
  [[nodiscard]] std::string_view text(const Packet& packet) {
    Remembered& place = remembered_[index_of(&packet)];
    if (place.packet == &packet && holds(place, packet)) [[likely]]
      return place.text;
    return make(place, packet);
  }

 private:
  struct Remembered {
    const Packet* packet = nullptr;
    std::vector<std::uint64_t> values = {};  // of the shown members
    std::string text = {};
  };
  static constexpr unsigned kBits = 6;

  static std::size_t index_of(const Packet* packet) {
    return reinterpret_cast<std::uintptr_t>(packet) * 0x9E3779B97F4A7C15U >> (64U - kBits);
  }
  // Whether the text is that of the packet, which may be another at the address.
  [[nodiscard]] bool holds(const Remembered& place, const Packet& packet) const {
    if (packet.context.size() != slots_) return false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (packet.context[members_[i]].bits != place.values[i]) return false;
    }
    return true;
  }
  std::string_view make(Remembered& place, const Packet& packet);

  FieldClassPtr context_;
  BabeltraceNotes notes_;
  BabeltraceValues values_;
  std::string scope_;  // what stands before each
  bool shown_ = false;
  // Of contexts that are numbers only, and so can be compared; else no text is remembered.
  std::size_t slots_ = ~std::size_t{0};  // how many members there are
  std::vector<std::size_t> members_;     // which ones are shown
  std::vector<Remembered> remembered_;
  std::vector<Slot> structure_;
  TextBuffer scratch_{nullptr, 1024};
};

}  // namespace tracedeck::render
