// Stacks of samples as callstacks of Perfetto: functions, frames and stacks that packets refer to
// by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::exporting::perfetto {

class Callstacks {
 public:
  static constexpr std::size_t kMostStacks = 65'536;
  static constexpr std::size_t kMostFrames = 65'536;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20U;  // of the keys of stacks

  explicit Callstacks(Packets& packets) : packets_(packets) {}

  // Of the mark whose arguments come next; null: addresses have no names.
  void begin(const TraceDescription* trace) { trace_ = trace; }
  // Adds a stack to the event that is open. False where there are too many.
  [[nodiscard]] bool put(const query::Value& stack);

 private:
  struct AddressHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
      return hash(key.first, key.second);
    }
    KeyedHash hash;
  };

  // Frames of an address have consecutive numbers, the innermost first.
  struct Frames {
    std::uint32_t first = 0;  // 0: there are too many
    std::uint32_t count = 0;
  };
  [[nodiscard]] Frames frames_of(std::uint64_t address);
  void add_frame(std::uint64_t address, const Function* function);
  // The number of a text among those of `field`.
  [[nodiscard]] std::uint32_t number_of(std::string_view text, TextMap<std::uint32_t>& known,
                                        std::uint32_t field);

  Packets& packets_;
  const TraceDescription* trace_ = nullptr;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, Frames, AddressHash>
      frames_;  // by trace and address
  std::uint32_t frame_count_ = 0;
  TextMap<std::uint32_t> functions_;
  TextMap<std::uint32_t> files_;
  TextMap<std::uint32_t> stacks_;  // by their frames
  std::size_t stack_bytes_ = 0;
  std::vector<std::uint32_t> stack_;  // of the one at hand, outermost first
};

}  // namespace tracedeck::exporting::perfetto
