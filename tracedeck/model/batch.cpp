#include "tracedeck/model/batch.hpp"

namespace tracedeck {

void Batch::grow_tape(std::size_t slots) {
  tape_ = std::make_unique_for_overwrite<Slot[]>(slots);
  capacity_ = slots;
  position_ = tape_.get();
}

void Batch::clear() {
  records_.clear();
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
