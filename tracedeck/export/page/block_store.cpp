#include "tracedeck/export/page/block_store.hpp"

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::page {

Result<BlockStore::Place> BlockStore::put(std::string_view bytes) {
  if (held_.size() + bytes.size() > memory_ && !held_.empty()) {
    if (file_ == nullptr) {
      auto file = SpillFile::create(directory_);
      if (!file) return std::unexpected(std::move(file).error());
      file_ = std::move(*file);
    }
    if (auto done = file_->append(as_bytes(held_)); !done)
      return std::unexpected(std::move(done).error());
    spilled_ += held_.size();
    held_.clear();
  }
  const Place place{.offset = size(), .size = bytes.size()};
  held_.append(bytes);
  return place;
}

Result<void> BlockStore::get(const Place& place, std::string& into) const {
  if (place.offset >= spilled_) {
    into.assign(held_, static_cast<std::size_t>(place.offset - spilled_),
                static_cast<std::size_t>(place.size));
    return {};
  }
  into.resize(static_cast<std::size_t>(place.size));
  return file_->read(place.offset, {reinterpret_cast<std::uint8_t*>(into.data()), into.size()});
}

}  // namespace tracedeck::page
