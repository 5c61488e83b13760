#include "tracedeck/query/query_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::query {
namespace {

// All that is a number.
constexpr std::array kCounts = {&QueryCounts::read,
                                &QueryCounts::selected,
                                &QueryCounts::without_time,
                                &QueryCounts::lost,
                                &QueryCounts::damaged_bytes,
                                &QueryCounts::losses_of_unknown_size,
                                &QueryCounts::partial_answers,
                                &QueryCounts::late,
                                &QueryCounts::doubtful_times};
constexpr std::array kPairCounts = {
    &PairCounts::pairs,        &PairCounts::replaced,    &PairCounts::without_end,
    &PairCounts::void_by_loss, &PairCounts::too_long,    &PairCounts::without_begin,
    &PairCounts::not_held,     &PairCounts::without_key, &PairCounts::across_step};

constexpr std::array kSpanCounts = {&SpanCounts::whole,       &SpanCounts::left_out,
                                    &SpanCounts::open,        &SpanCounts::began_before,
                                    &SpanCounts::across_loss, &SpanCounts::unmatched_ends,
                                    &SpanCounts::not_held,    &SpanCounts::ended_early};

constexpr std::array kAllocationCounts = {
    &AllocationCounts::allocations, &AllocationCounts::live,
    &AllocationCounts::untracked,   &AllocationCounts::not_held,
    &AllocationCounts::unscaled,    &AllocationCounts::unmatched_frees};

constexpr std::array kSampleCounts = {&SampleCounts::samples, &SampleCounts::doubtful,
                                      &SampleCounts::perhaps_inside};

// Which of the counts that not all answers have follow the others.
constexpr std::uint64_t kHasPairs = 1;
constexpr std::uint64_t kHasSpans = 2;
constexpr std::uint64_t kHasAllocations = 4;
constexpr std::uint64_t kHasSamples = 8;
constexpr std::uint64_t kHasAll = kHasPairs | kHasSpans | kHasAllocations | kHasSamples;

bool take_into(std::uint64_t& count, ByteSpan& bytes) {
  const auto taken = take_varint(bytes);
  count = taken.value_or(0);
  return taken.has_value();
}

template <class Counts, class Members>
void add_optional(std::optional<Counts>& counts, const std::optional<Counts>& others,
                  const Members& members) {
  if (!others) return;
  if (!counts) counts.emplace();
  for (const auto member : members) (*counts).*member += (*others).*member;
}

template <class Counts, class Members>
void encode_optional(std::string& into, const std::optional<Counts>& counts,
                     const Members& members) {
  if (!counts) return;
  for (const auto member : members) put_varint(into, (*counts).*member);
}

template <class Counts, class Members>
bool take_optional(std::optional<Counts>& counts, bool there, ByteSpan& bytes,
                   const Members& members) {
  if (!there) return true;
  counts.emplace();
  return std::ranges::all_of(members,
                             [&](auto member) { return take_into((*counts).*member, bytes); });
}

}  // namespace

void add_counts(QueryCounts& counts, const QueryCounts& others) {
  for (const auto member : kCounts) counts.*member += others.*member;
  add_optional(counts.pairs, others.pairs, kPairCounts);
  add_optional(counts.spans, others.spans, kSpanCounts);
  add_optional(counts.allocations, others.allocations, kAllocationCounts);
  add_optional(counts.samples, others.samples, kSampleCounts);
}

void encode(std::string& into, const QueryCounts& counts) {
  for (const auto member : kCounts) put_varint(into, counts.*member);
  put_varint(into, (counts.pairs ? kHasPairs : 0) | (counts.spans ? kHasSpans : 0) |
                       (counts.allocations ? kHasAllocations : 0) |
                       (counts.samples ? kHasSamples : 0));
  encode_optional(into, counts.pairs, kPairCounts);
  encode_optional(into, counts.spans, kSpanCounts);
  encode_optional(into, counts.allocations, kAllocationCounts);
  encode_optional(into, counts.samples, kSampleCounts);
}

std::optional<QueryCounts> decode_counts(ByteSpan& bytes) {
  QueryCounts counts;
  for (const auto member : kCounts) {
    if (!take_into(counts.*member, bytes)) return std::nullopt;
  }
  const auto there = take_varint(bytes);
  if (!there || *there > kHasAll) return std::nullopt;
  const auto take = [&](auto& of, std::uint64_t flag, const auto& members) {
    return take_optional(of, (*there & flag) != 0, bytes, members);
  };
  const bool taken = take(counts.pairs, kHasPairs, kPairCounts) &&
                     take(counts.spans, kHasSpans, kSpanCounts) &&
                     take(counts.allocations, kHasAllocations, kAllocationCounts) &&
                     take(counts.samples, kHasSamples, kSampleCounts);
  return taken ? std::optional(std::move(counts)) : std::nullopt;
}

}  // namespace tracedeck::query
