#include "tracedeck/export/page/row.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/export/page/elapsed.hpp"
#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck::page {
Result<void> Row::add(const Slice& slice, BlockStore& store) {
  const bool waits = kind_ == RowKind::kWaits;
  if (names_.empty()) {
    open_.first = waits ? slice.end : slice.begin;
    open_.last = open_.first;
    open_.earliest = slice.begin;
  }
  if (waits) {
    if (names_.empty()) before_ = slice.end;
    put_varint(gaps_, signed_step(before_, slice.end));
    before_ = slice.end;
  } else {
    put_varint(gaps_, elapsed(open_.last, slice.begin));
  }
  put_varint(durations_, elapsed(slice.begin, slice.end));
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back(slice.name);
  if (slice.flags != 0) flags_.push_back({index, slice.flags, slice.earlier});
  add_rare(index, slice);
  open_.last = std::max(open_.last, slice.end);
  open_.earliest = std::min(open_.earliest, slice.begin);
  end_ = open_.last;
  ++count_;
  const bool complete = names_.size() == kBlock || arguments_.size() >= kMostArguments;
  return complete ? seal(store) : Result<void>{};
}

void Row::give_back_memory() {
  for (std::string* column : {&gaps_, &durations_, &cpus_, &spent_, &arguments_})
    std::string().swap(*column);
  std::vector<timeline::NameId>().swap(names_);
  std::vector<Flags>().swap(flags_);
}

// A column of what few slices have begins with the first that has it.
void Row::add_rare(std::uint32_t index, const Slice& slice) {
  const bool has_cpu = slice.cpu != timeline::kNoCpu;
  if (has_cpu && cpus_.empty()) cpus_.assign(index, '\0');
  if (has_cpu || !cpus_.empty()) put_varint(cpus_, static_cast<std::uint32_t>(slice.cpu) + 1U);
  if (slice.spent != 0 && spent_.empty()) spent_.assign(index, '\0');
  if (slice.spent != 0 || !spent_.empty()) put_varint(spent_, zigzag(slice.spent));
  if (!slice.arguments.empty() && arguments_.empty()) arguments_.assign(index, '\0');
  if (!slice.arguments.empty() || !arguments_.empty()) put_text(arguments_, slice.arguments);
}

Result<void> Row::add(const Point& point, BlockStore& store) {
  if (open_.count != 0 && point.is_real != reals_) {
    if (auto done = seal(store); !done) return done;
  }
  if (open_.count == 0) {
    open_.first = open_.last = open_.earliest = point.time;
    reals_ = point.is_real;
    value_ = 0;
  }
  put_varint(gaps_, elapsed(open_.last, point.time));
  if (point.is_real) {
    put_real(durations_, point.real);
  } else {
    put_varint(durations_, signed_step(value_, point.value));
    value_ = point.value;
  }
  open_.last = end_ = point.time;
  ++count_;
  return ++open_.count == kBlock ? seal(store) : Result<void>{};
}

void Row::put_columns(std::string& into) const {
  std::unordered_map<timeline::NameId, std::uint32_t> places;
  std::vector<timeline::NameId> used;
  std::vector<std::uint32_t> local(names_.size());
  timeline::NameId last = timeline::kNoName;
  std::uint32_t last_place = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (used.empty() || names_[i] != last) {
      last = names_[i];
      const auto [at, is_new] = places.try_emplace(last, static_cast<std::uint32_t>(used.size()));
      if (is_new) used.push_back(last);
      last_place = at->second;
    }
    local[i] = last_place;
  }
  constexpr std::size_t kNarrow = 256;
  const bool wide = used.size() > kNarrow;
  const auto columns =
      static_cast<unsigned>((wide ? kWideNames : 0) | (cpus_.empty() ? 0 : kCpus) |
                            (spent_.empty() ? 0 : kSpent) | (arguments_.empty() ? 0 : kArguments));
  put_varint(into, columns);
  put_varint(into, used.size());
  for (const timeline::NameId name : used) put_varint(into, name);
  put_text(into, gaps_);
  put_text(into, durations_);
  for (const std::uint32_t place : local) {
    into.push_back(static_cast<char>(place & 0xFF));
    if (wide) into.push_back(static_cast<char>(place >> 8));
  }
}

Result<void> Row::seal(BlockStore& store) {
  const bool points = kind_ == RowKind::kCounter;
  if (!points) open_.count = static_cast<std::uint32_t>(names_.size());
  if (open_.count == 0) return {};
  std::string bytes;
  put_varint(bytes, open_.count);
  if (points) {
    put_varint(bytes, reals_ ? 1 : 0);
    put_text(bytes, gaps_);
    put_text(bytes, durations_);
  } else {
    put_columns(bytes);
    put_varint(bytes, flags_.size());
    std::uint32_t before = 0;
    for (const Flags& flags : flags_) {
      put_varint(bytes, flags.index - std::exchange(before, flags.index));
      put_varint(bytes, flags.flags);
      if ((flags.flags & kContinued) != 0) put_varint(bytes, flags.earlier);
    }
    bytes.append(cpus_).append(spent_).append(arguments_);
  }
  auto place = store.put(bytes);
  if (!place) return std::unexpected(std::move(place).error());
  open_.place = *place;
  blocks_.push_back(open_);
  open_ = {};
  for (std::string* column : {&gaps_, &durations_, &cpus_, &spent_, &arguments_}) column->clear();
  names_.clear();
  flags_.clear();
  return {};
}

SliceBlock::SliceBlock(std::string_view bytes) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  count_ = static_cast<std::uint32_t>(take_varint(at));
  wide_ = (take_varint(at) & kWideNames) != 0;
  names_.resize(static_cast<std::size_t>(take_varint(at)));
  for (timeline::NameId& name : names_) name = static_cast<timeline::NameId>(take_varint(at));
  const auto sized = [&at] {
    const std::uint64_t size = take_varint(at);
    return std::exchange(at, at + size);
  };
  gaps_ = sized();
  durations_ = sized();
  local_ = at;
}

}  // namespace tracedeck::page
