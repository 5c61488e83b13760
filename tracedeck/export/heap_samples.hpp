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

namespace tracedeck::exporting {

// One that was sampled, and how many allocations and bytes it stands for.
struct HeapSample {
  std::uint32_t stack = 0;  // whatever `HeapSamples` was given for it
  double count = 0;
  double bytes = 0;
};

class HeapSamples {
 public:
  // What becomes of a stack, which may be null.
  using FindStack = std::function<std::uint32_t(const Event& event, const Slot* stack)>;
  // Called for each allocation.
  using Visit = std::function<void(const HeapSample& sample)>;
  // Of what is held, beyond which nothing is known of what is in use.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  HeapSamples(FindStack find_stack, Visit visit)
      : find_stack_(std::move(find_stack)), visit_(std::move(visit)) {}

  void see(const Event& event);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Allocations whose rate is not known, so that each stands for itself.
  [[nodiscard]] std::uint64_t unscaled() const { return unscaled_; }
  // Whether it is known of all what frees them.
  [[nodiscard]] bool knows_frees() const { return untracked_ == 0 && not_held_ == 0; }
  // Beyond `kMost`.
  [[nodiscard]] std::uint64_t not_held() const { return not_held_; }
  [[nodiscard]] std::uint64_t untracked() const { return untracked_; }
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
  };

  void allocate(const ClassUse& use, const Event& event);
  void read_rate(const ClassUse& use, const Event& event);

  FindStack find_stack_;
  Visit visit_;
  ClassCache<ClassUse> classes_;
  std::map<std::uint64_t, double> rates_;                               // bytes, by trace
  std::map<std::pair<std::uint64_t, std::uint64_t>, HeapSample> live_;  // by trace and address
  std::uint64_t count_ = 0;
  std::uint64_t unscaled_ = 0;
  std::uint64_t untracked_ = 0;
  std::uint64_t not_held_ = 0;
};

}  // namespace tracedeck::exporting
