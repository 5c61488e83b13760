#include "tracedeck/query/query_counts.hpp"

#include <array>

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
constexpr std::array kPairCounts = {&PairCounts::pairs,       &PairCounts::replaced,
                                    &PairCounts::without_end, &PairCounts::void_by_loss,
                                    &PairCounts::too_long,    &PairCounts::without_begin,
                                    &PairCounts::not_held,    &PairCounts::without_key};

bool take_into(std::uint64_t& count, ByteSpan& bytes) {
  const auto taken = take_varint(bytes);
  count = taken.value_or(0);
  return taken.has_value();
}

}  // namespace

void add_counts(QueryCounts& counts, const QueryCounts& others) {
  for (const auto member : kCounts) counts.*member += others.*member;
  counts.in_order = counts.in_order && others.in_order;
  if (!others.pairs) return;
  if (!counts.pairs) counts.pairs.emplace();
  for (const auto member : kPairCounts) (*counts.pairs).*member += (*others.pairs).*member;
}

void encode(std::string& into, const QueryCounts& counts) {
  for (const auto member : kCounts) put_varint(into, counts.*member);
  put_varint(into, counts.pairs ? 1 : 0);
  if (!counts.pairs) return;
  for (const auto member : kPairCounts) put_varint(into, (*counts.pairs).*member);
}

std::optional<QueryCounts> decode_counts(ByteSpan& bytes) {
  QueryCounts counts;
  for (const auto member : kCounts) {
    if (!take_into(counts.*member, bytes)) return std::nullopt;
  }
  const auto pairs = take_varint(bytes);
  if (!pairs || *pairs > 1) return std::nullopt;
  if (*pairs == 0) return counts;
  counts.pairs.emplace();
  for (const auto member : kPairCounts) {
    if (!take_into((*counts.pairs).*member, bytes)) return std::nullopt;
  }
  return counts;
}

}  // namespace tracedeck::query
