// Places that inputs come from while they are read: each peer of a listener, each file that had a
// followed name, each time a device was there. Every one of them is a trace of its own, so that
// what one leaves incomplete costs the others nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

class InputSequence {
 public:
  virtual ~InputSequence() = default;

  // How the user named the place.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Whether there can be more than one input, so that one that is no use is no reason to end.
  [[nodiscard]] virtual bool repeats() const { return true; }
  // Inputs that may be read at the same time, each on a thread of its own.
  [[nodiscard]] virtual std::size_t at_once() const { return 1; }
  // Whether all that comes is of datagrams, which anybody can send: what cannot be read of them is
  // counted, and they are not compressed.
  [[nodiscard]] virtual bool has_datagrams() const { return false; }

  // Waits for the next input; null: there are no more, which after a stop request means: none that
  // has brought bytes. Fewer than `at_once()` of those before may still be there. One thread at a
  // time. Errors, which end the sequence: kCannotOpen.
  [[nodiscard]] virtual Result<std::unique_ptr<Input>> next() = 0;
};

// What happens at such a place, reported on a thread that reads it.
enum class LiveNews : std::uint8_t {
  kListening,  // "listening on tcp-listen://127.0.0.1:4000"
  kPeer,       // one came
  kChange,     // a file was replaced, a device hung up, peers have to wait
  kCut,        // bytes were cut off, and will be missed
  kDropped,    // bytes came and were not read
};
// The news as a sentence without a final full stop.
using LiveNewsSink = std::function<void(LiveNews, const std::string& sentence)>;

inline constexpr std::chrono::milliseconds kStallLimit{60'000};

struct LiveOptions {
  LiveNewsSink news = [](LiveNews, const std::string&) {};
  // Whether each datagram is a part of its own (`Input::next_part`), or only their bytes matter.
  bool datagrams_apart = true;
  // Longer datagrams are cut. No UDP datagram is longer than the default.
  std::size_t largest_datagram = std::size_t{64} << 10;
  // Peers of a listener that are served at the same time; others wait.
  std::size_t most_peers = 64;
  // A peer that sends nothing for so long inside a frame is let go of; 0: never.
  std::chrono::milliseconds stall_limit = kStallLimit;
  // Bits a second of a serial line; 0: as it is set.
  unsigned baud = 0;
};

// An input as a sequence of one.
[[nodiscard]] std::unique_ptr<InputSequence> single_input(std::unique_ptr<Input> input);

}  // namespace tracedeck::io
