#include "tracedeck/heph/stream_counter.hpp"

#include <algorithm>

namespace tracedeck::heph {

void DamageLedger::add(const DamagedEvents& events) {
  if (!events.first && events.most == 0) return;
  if (ranges_.size() == kMostRanges) ranges_.pop_front();
  ranges_.push_back(events);
}

DamageLedger::Explanation DamageLedger::explain(std::uint32_t stream, std::uint32_t first,
                                                std::uint64_t missing, std::uint64_t since) {
  Explanation explanation;
  // A packet whose head could be read explains its own counter alone.
  for (DamagedEvents& range : ranges_) {
    if (range.offset < since || !range.first || range.first->stream != stream) continue;
    const std::uint32_t behind = range.first->counter - first;
    if (behind >= missing) continue;
    range.first.reset();
    explanation.counters.push_back(behind);
  }
  std::ranges::sort(explanation.counters);
  const auto twice = std::ranges::unique(explanation.counters);
  explanation.counters.erase(twice.begin(), twice.end());
  for (DamagedEvents& range : ranges_) {
    if (range.offset < since) continue;
    const std::uint64_t unexplained = missing - explanation.counters.size() - explanation.others;
    const std::uint64_t part = std::min(range.most, unexplained);
    range.most -= part;
    explanation.others += part;
  }
  std::erase_if(ranges_,
                [](const DamagedEvents& range) { return !range.first && range.most == 0; });
  return explanation;
}

StreamCounter::Step StreamCounter::see(std::uint32_t counter, std::uint64_t offset,
                                       std::uint64_t end, DamageLedger& damage, std::uint64_t hold,
                                       std::uint64_t deadline) {
  const std::uint32_t ahead = counter - expected_;
  ++events_;
  const std::uint64_t since = last_offset_;
  last_offset_ = std::max(last_offset_, offset);
  constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
  if (ahead >= kHalf) return see_late(highest_ + 1 - std::uint64_t{expected_ - counter});
  const std::uint64_t counted = highest_ + 1 + ahead;
  const bool gap = ahead != 0 && open_gap({.first = highest_ + 1,
                                           .last = counted - 1,
                                           .begin = last_end_,
                                           .end = end,
                                           .held_until = events_ + hold,
                                           .deadline = deadline},
                                          damage, since);
  highest_ = counted;
  expected_ = counter + 1;
  last_end_ = end;
  return {.verdict = gap ? Verdict::kGap : Verdict::kInOrder};
}

bool StreamCounter::open_gap(Gap gap, DamageLedger& damage, std::uint64_t since) {
  DamageLedger::Explanation explanation;
  if (!damage.empty()) explanation = damage.explain(stream_, expected_, gap.missing(), since);
  const std::size_t held = held_;
  const auto add_part = [&](std::uint64_t first, std::uint64_t last) {
    if (first > last) return;
    const std::uint64_t others = std::min(explanation.others, last - first + 1);
    explanation.others -= others;
    Gap part = gap;
    part.first = first + others;
    part.last = last;
    if (part.first <= part.last) add_gap(part);
  };
  std::uint64_t first = gap.first;
  for (const std::uint32_t behind : explanation.counters) {
    add_part(first, gap.first + behind - 1);
    first = gap.first + behind + 1;
  }
  add_part(first, gap.last);
  return held_ != held;
}

void StreamCounter::add_gap(Gap gap) {
  forget_gaps();
  gaps_.push_back(gap);
  ++held_;
}

void StreamCounter::forget_gaps() {
  while (gaps_.size() >= kMostGaps && gaps_.front().reported) {
    forgotten_ = gaps_.front().last + 1;
    gaps_.pop_front();
  }
}

StreamCounter::Step StreamCounter::see_late(std::uint64_t counter) {
  if (counter < first_) return {.verdict = Verdict::kReordered};
  const auto gap = std::ranges::find_if(
      gaps_, [&](const Gap& each) { return each.first <= counter && counter <= each.last; });
  if (gap == gaps_.end()) {
    return {.verdict = counter < forgotten_ ? Verdict::kReordered : Verdict::kDuplicate};
  }
  const Step step{.verdict = Verdict::kReordered, .was_reported = gap->reported};
  if (gap->first == gap->last) {
    if (!gap->reported) --held_;
    gaps_.erase(gap);
  } else if (counter == gap->first) {
    ++gap->first;
  } else if (counter == gap->last) {
    --gap->last;
  } else {
    Gap rest = *gap;
    rest.first = counter + 1;
    gap->last = counter - 1;
    if (!rest.reported) ++held_;
    gaps_.insert(gap + 1, rest);
  }
  return step;
}

std::vector<StreamCounter::Gap> StreamCounter::take_gaps(std::uint64_t now) {
  std::vector<Gap> taken;
  for (Gap& gap : gaps_) {
    if (gap.reported || (events_ < gap.held_until && now < gap.deadline)) continue;
    gap.reported = true;
    --held_;
    taken.push_back(gap);
  }
  forget_gaps();
  return taken;
}

std::uint64_t StreamCounter::deadline() const {
  for (const Gap& gap : gaps_) {
    if (!gap.reported) return gap.deadline;
  }
  return kAll;
}

}  // namespace tracedeck::heph
