// States of what shares the track of all others, because there are too many tracks: one state each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

struct StreamState;

class OtherStates {
 public:
  // Their keys fill a table of 65,536 places half.
  static constexpr std::size_t kMost = 32'000;

  struct State {
    std::int64_t begin = 0;         // of the state, not before that of any before
    std::uint64_t number = 0;       // of the last event that said it
    StreamState* stream = nullptr;  // of that event
    std::uint64_t changed = 0;      // the event until which the state was `before`
    NameId before = kNoName;
    NameId name = kNoName;
    OriginId origin = 0;  // as of `Track`
    std::uint32_t serial = 0;
    std::uint32_t next_unused = 0;
    bool of_stream = false;   // as of `Marking::add_track`
    bool has_traces = false;  // events of several traces said states
  };

  // One of them; of none its `number` is 0.
  struct Id {
    std::uint32_t number = 0;
    std::uint32_t serial = 0;  // which of those that had the number
  };

  // From now on `chosen` is what has that key among those that are no tracks of `tracks`.
  void choose(const KeyTable& tracks, const std::uint64_t* key, OriginId origin, bool of_stream) {
    tracks_ = &tracks;
    std::copy_n(key, tracks.words(), key_.begin());
    origin_ = origin;
    of_stream_ = of_stream;
    is_known_ = false;
  }
  void choose(Id id) {
    chosen_ = id;
    is_known_ = true;
  }
  [[nodiscard]] Id chosen_id() {
    if (!std::exchange(is_known_, true)) chosen_ = find_or_add();
    return chosen_;
  }
  // Null: there is no room for it, or it has ended.
  [[nodiscard]] State* chosen() {
    const Id id = chosen_id();
    if (id.number == 0 || all_[id.number - 1].serial != id.serial) return nullptr;
    return &all_[id.number - 1];
  }
  // What has the key that was chosen last has ended: another one may have its room.
  void forget_chosen() {
    const std::uint32_t number = keys().find(key_.data());
    if (number == 0) return;
    keys().erase(key_.data());
    all_[number - 1] = {.next_unused = unused_};
    unused_ = number;
    is_known_ = false;
  }

  [[nodiscard]] std::deque<State>& all() { return all_; }
  // Those that there have been.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] Id find_or_add() {
    std::uint64_t& place = keys().place(key_.data());
    if (place == 0) {
      place = unused_ != 0 ? unused_ : all_.size() < kMost ? all_.size() + 1 : 0;
      if (place == 0) {
        keys().give_up_place();
        return {};
      }
      if (place > all_.size()) all_.emplace_back();
      State& made = all_[place - 1];
      unused_ = made.next_unused;
      made = {.origin = origin_,
              .serial = static_cast<std::uint32_t>(++count_),
              .of_stream = of_stream_};
    }
    return {.number = static_cast<std::uint32_t>(place), .serial = all_[place - 1].serial};
  }
  [[nodiscard]] KeyTable& keys() {
    return keys_.try_emplace(tracks_, tracks_->words()).first->second;
  }

  const KeyTable* tracks_ = nullptr;
  std::array<std::uint64_t, KeyTable::kMostWords> key_ = {};
  OriginId origin_ = 0;
  bool of_stream_ = false;
  bool is_known_ = false;  // `chosen_` is what was chosen
  Id chosen_ = {};
  std::unordered_map<const KeyTable*, KeyTable> keys_;  // numbers in `all_`, from 1 on
  std::deque<State> all_;
  std::uint32_t unused_ = 0;  // the first number
  std::uint64_t count_ = 0;
};

}  // namespace tracedeck::timeline
