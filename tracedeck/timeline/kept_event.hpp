// An event that outlives its batch, with all that arguments of marks may be of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::timeline {

// A copy of its values and of its packet's context, without a header.
class KeptEvent {
 public:
  // While the batch of `event` lives. `stream`: its data stream, which must outlive this; null: it
  // belongs to none.
  explicit KeptEvent(const Event& event, const DataStream* stream = nullptr);
  KeptEvent(const KeptEvent&) = delete;
  KeptEvent& operator=(const KeptEvent&) = delete;

  [[nodiscard]] const Event& event() const { return event_; }
  // Bytes of memory.
  [[nodiscard]] std::size_t memory() const {
    return sizeof *this + slots_.size() * sizeof(Slot) + bytes_.size();
  }

 private:
  Event event_;
  std::vector<Slot> slots_;
  Packet packet_;
  std::vector<std::uint8_t> bytes_;
  std::shared_ptr<const TraceDescription> description_;  // has the class
};

}  // namespace tracedeck::timeline
