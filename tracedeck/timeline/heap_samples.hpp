// Sampled allocations and what frees them, as recorders of memory write them.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::timeline {

// One that was sampled, and how many allocations and bytes it stands for.
struct HeapSample {
  std::uint32_t tag = 0;  // whatever `HeapSamples` was given for it
  double count = 0;
  double bytes = 0;
  std::uint64_t time = 0;   // clock value
  bool is_tracked = false;  // what frees it will be known
};

class HeapSamples {
 public:
  // What is kept of an allocation, whose stack may be null: that of its stack, or whatever else.
  using TagOf = std::function<std::uint32_t(const Event& event, const Slot* stack)>;
  // Called for each allocation.
  using Visit = std::function<void(const HeapSample& sample)>;
  // Called for each that is in use no more by that event. `is_free`: it was freed by it, and not at
  // an unknown time before.
  using Ended = std::function<void(const HeapSample& sample, const Event& event, bool is_free)>;
  // Of what is held, beyond which nothing is known of what is in use.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  // `ended` may be empty.
  HeapSamples(TagOf tag_of, Visit visit, Ended ended = {})
      : tag_of_(std::move(tag_of)), visit_(std::move(visit)), ended_(std::move(ended)) {}

  void see(const Event& event);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Allocations whose rate is not known, so that each stands for itself.
  [[nodiscard]] std::uint64_t unscaled() const { return unscaled_; }
  // Whether it is known of all what frees them.
  [[nodiscard]] bool knows_frees() const { return untracked_ == 0 && not_held_ == 0; }
  // Beyond `kMost`.
  [[nodiscard]] std::uint64_t not_held() const { return not_held_; }
  [[nodiscard]] std::uint64_t untracked() const { return untracked_; }
  // Frees of what is not known to be in use.
  [[nodiscard]] std::uint64_t unmatched_frees() const { return unmatched_frees_; }
  // Those that were not freed.
  template <class Take>
  void for_each_live(const Take& take) const {
    for (const auto& [key, sample] : live_) take(sample);
  }

 private:
  enum class Kind : std::uint8_t { kOther, kAllocation, kFree, kMetadata };
  struct ClassUse {
    explicit ClassUse(const EventClass& event_class);
    Kind kind = Kind::kOther;
    std::size_t address = 0;  // numbers of members
    std::size_t size = 0;
    std::size_t stack = 0;
    std::size_t allocated_at = 0;
  };

  using HeapKey = std::pair<std::uint64_t, std::uint64_t>;  // trace and address

  void allocate(const ClassUse& use, const Event& event);
  void free(const ClassUse& use, const Event& event);
  void read_rate(const ClassUse& use, const Event& event);

  TagOf tag_of_;
  Visit visit_;
  Ended ended_;
  ClassCache<ClassUse> classes_;
  std::map<std::uint64_t, double> rates_;  // bytes, by trace
  std::map<HeapKey, HeapSample> live_;
  std::uint64_t count_ = 0;
  std::uint64_t unscaled_ = 0;
  std::uint64_t untracked_ = 0;
  std::uint64_t not_held_ = 0;
  std::uint64_t unmatched_frees_ = 0;
};

}  // namespace tracedeck::timeline
