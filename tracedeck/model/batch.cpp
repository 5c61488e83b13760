#include "tracedeck/model/batch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tracedeck {

void Batch::grow_tape(std::size_t slots) {
  tape_ = std::make_unique_for_overwrite<Slot[]>(slots);
  capacity_ = slots;
  position_ = tape_.get();
}

void Batch::grow_records(std::size_t records) {
  const std::size_t used = size();
  const auto capacity = static_cast<std::size_t>(end_ - records_);
  if (records > capacity) {
    const std::size_t grown =
        std::max({reserved_ == 0 ? std::size_t{64} : records, records, capacity * 2});
    auto room = std::make_unique_for_overwrite<std::byte[]>(grown * sizeof(Record));
    if (used != 0) std::memcpy(room.get(), room_.get(), used * sizeof(Record));
    room_ = std::move(room);
    records_ = reinterpret_cast<Record*>(room_.get());
    next_ = records_ + used;
    end_ = records_ + grown;
  }
  full_ = records_ + reserved_;
}

void Batch::clear() {
  next_ = records_;
  others_.clear();
  losses_.clear();
  notices_.clear();
  pins_.clear();
  lasting_pins_.clear();
  // One event of a few hundred slots is nothing unusual, however small the batch.
  if (capacity_ > 4 * std::max(usual_slots_, kSlots / 16)) {
    grow_tape(usual_slots_);
  } else {
    position_ = tape_.get();
  }
}

}  // namespace tracedeck
