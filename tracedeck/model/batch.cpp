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
    records_.resize(std::max({std::size_t{64}, records, records_.size() * 2}));
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
  if (capacity_ > 4 * kSlots) {
    grow_tape(kSlots);
  } else {
    position_ = tape_.get();
  }
}

}  // namespace tracedeck
