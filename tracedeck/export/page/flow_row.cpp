#include "tracedeck/export/page/flow_row.hpp"

#include <algorithm>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/export/page/elapsed.hpp"

namespace tracedeck::page {
void FlowRow::leave(std::uint64_t flow, timeline::TrackId track, std::int64_t time) {
  if (left_.insert_or_assign(flow, Left{track, time}).second) in_order_.push_back(flow);
  if (in_order_.size() > kMostOpen) {
    left_.erase(in_order_.front());
    in_order_.pop_front();
  }
}

Result<void> FlowRow::arrive(std::uint64_t flow, timeline::TrackId track, std::int64_t time,
                             BlockStore& store) {
  const auto from = left_.find(flow);
  if (from == left_.end()) {
    ++unmatched_;
    return {};
  }
  const Left& left = from->second;
  const std::int64_t earliest = std::min(left.time, time);
  if (open_.count == 0) {
    open_ = {.place = {}, .first = time, .last = time, .earliest = earliest};
    before_ = time;
  }
  put_varint(bytes_, signed_step(before_, time));
  put_varint(bytes_, signed_step(left.time, time));
  put_varint(bytes_, left.track);
  put_varint(bytes_, track);
  before_ = time;
  open_.earliest = std::min(open_.earliest, earliest);
  open_.last = std::max({open_.last, time, left.time});
  return ++open_.count == Row::kBlock ? seal(store) : Result<void>{};
}

Result<void> FlowRow::seal(BlockStore& store) {
  if (open_.count == 0) return {};
  std::string block;
  put_varint(block, open_.count);
  block += bytes_;
  auto place = store.put(block);
  if (!place) return std::unexpected(std::move(place).error());
  open_.place = *place;
  blocks_.push_back(open_);
  open_ = {};
  bytes_.clear();
  return {};
}

}  // namespace tracedeck::page
