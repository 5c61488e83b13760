#include "tracedeck/model/batch.hpp"

#include <algorithm>

namespace tracedeck {

void Batch::grow_tape(std::size_t slots) {
  tape_ = std::make_unique_for_overwrite<Slot[]>(slots);
  capacity_ = slots;
  position_ = tape_.get();
}

void Batch::grow_records(std::size_t records) {
  const std::size_t used = size();
  if (records > records_.size())
    records_.resize(
        std::max({reserved_ == 0 ? std::size_t{64} : records, records, records_.size() * 2}));
  next_ = records_.data() + used;
  end_ = records_.data() + records_.size();
  full_ = records_.data() + reserved_;
}

void Batch::clear() {
  next_ = records_.data();
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
