// Which data streams of two traces belong together, and what waits in them for its partner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"

namespace tracedeck::comparison {

enum class Side : std::uint8_t { kLeft, kRight };
[[nodiscard]] constexpr Side other(Side side) {
  return side == Side::kLeft ? Side::kRight : Side::kLeft;
}

// What waits, first come, first served. Takes no memory of its own while it is empty and new.
template <class T>
class WaitingQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == all_.size(); }
  [[nodiscard]] std::size_t size() const { return all_.size() - first_; }
  [[nodiscard]] const T& front() const { return all_[first_]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return all_[first_ + index]; }

  void push_back(T waiting) { all_.push_back(std::move(waiting)); }
  T take_first() {
    T first = std::move(all_[first_++]);
    // What was taken is forgotten when it is as much as what waits.
    if (2 * first_ >= all_.size()) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return first;
  }
  void clear() {
    all_ = {};
    first_ = 0;
  }

 private:
  std::vector<T> all_;
  std::size_t first_ = 0;
};

// An event that waits, and what keeps it alive.
struct WaitingEvent {
  BatchPtr batch;
  const Event* event = nullptr;
};

// A data stream of each side, or of one as long as its partner is not known.
struct StreamPair {
  struct Half {
    bool exists = false;
    const DataStreamClass* stream_class = nullptr;
    std::string keys = {};  // as words
    WaitingQueue<WaitingEvent> events = {};
    WaitingQueue<Loss> losses = {};
    std::uint64_t event_count = 0;  // all that came
  };
  std::array<Half, 2> halves = {};
  bool given_up = false;
  bool undecided = false;  // which of the first events stand for one another

  [[nodiscard]] Half& half(Side side) { return halves[std::to_underlying(side)]; }
  [[nodiscard]] bool paired() const { return halves[0].exists && halves[1].exists; }
};

class StreamPairs {
 public:
  // The pair that a data stream, which may be null, belongs to. It keeps its address.
  [[nodiscard]] StreamPair& find(Side side, const DataStream* stream);
  // It ends: without events it is the partner of another one without, rather than of one with some.
  void end(Side side, const DataStream* stream);

  // Pairs what has no partner by class, then by order.
  void pair_the_rest();

  [[nodiscard]] std::deque<StreamPair>& all() { return pairs_; }

 private:
  struct Numbered {
    std::string identity;
    std::size_t ordinal;
    friend auto operator<=>(const Numbered&, const Numbered&) = default;
  };
  struct Known {
    std::unordered_map<EntityId, StreamPair*, EntityIdHash> streams;
    std::map<std::string, std::size_t, std::less<>> of_identity;  // how many came
    EntityId last = EntityId::none();
    StreamPair* last_pair = nullptr;
  };

  StreamPair& find(Side side, const DataStream* stream, std::string_view kind);
  StreamPair& add(Known& known, Side side, const DataStream* stream, std::string_view kind);
  template <class Same>
  void pair_alike(Same same);

  std::deque<StreamPair> pairs_;
  std::map<Numbered, StreamPair*> by_identity_;
  std::array<Known, 2> known_;
};

}  // namespace tracedeck::comparison
