#include "tracedeck/tband/payload.hpp"

namespace tracedeck::tband {
namespace {

// Bytes of the integer at the beginning: 0 when it is not complete, more than `limit` when it is
// too long or has bits that its type does not.
std::size_t integer_size(ByteSpan bytes, std::size_t limit, std::uint8_t last) {
  for (std::size_t i = 0; i < bytes.size() && i < limit; ++i) {
    if (i + 1 == limit && bytes[i] > last) return limit + 1;
    if (bytes[i] < 0x80) return i + 1;
  }
  return 0;
}

struct Taken {
  std::size_t size = 0;
  std::size_t limit = 1;
};

Taken take(FieldType type, ByteSpan bytes) {
  switch (type) {
    case FieldType::kU8:
      return {bytes.empty() ? std::size_t{0} : 1, 1};
    case FieldType::kU32:
      return {integer_size(bytes, kMaxU32Size, kMaxU32LastByte), kMaxU32Size};
    case FieldType::kU64:
    case FieldType::kS64:
      return {integer_size(bytes, kMaxU64Size, kMaxU64LastByte), kMaxU64Size};
    case FieldType::kString:
      return {bytes.size(), bytes.size()};
  }
  return {};
}

}  // namespace

PayloadFinding examine_payload(const EventTable& table, ByteSpan payload) {
  if (payload.empty()) return {PayloadFault::kEmpty};
  const EventLayout& layout = table[payload.front()];
  const EventFacts* const facts = layout.facts;
  if (facts == nullptr) return {PayloadFault::kId};
  ByteSpan rest = payload.subspan(1);
  const auto field = [&](FieldType type, std::string_view name) -> std::optional<PayloadFinding> {
    const Taken taken = take(type, rest);
    if (taken.size > taken.limit) return PayloadFinding{PayloadFault::kInteger, facts, name};
    if (taken.size == 0 && type != FieldType::kString)
      return PayloadFinding{PayloadFault::kMissing, facts, name};
    rest = rest.subspan(taken.size);
    return std::nullopt;
  };
  if (layout.timed) {
    if (const auto wrong = field(FieldType::kU64, "ts")) return *wrong;
  }
  for (const FieldFacts& each : facts->used_fields()) {
    if (each.optional && rest.empty()) break;
    if (const auto wrong = field(each.type, each.name)) return *wrong;
  }
  return {PayloadFault::kSurplus, facts};
}

}  // namespace tracedeck::tband
