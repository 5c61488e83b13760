#include "tracedeck/tband/decoder.hpp"

#include <fmt/format.h>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::tband {
namespace {

Finding damage(RuleId id, std::uint64_t offset, std::size_t length, std::string text) {
  return {.rule = &rule(id), .offset = offset, .length = length, .text = std::move(text)};
}

// The id in the first bytes of a frame, if they can have one.
std::optional<std::uint8_t> id_of(ByteSpan begin) {
  if (begin.size() < 2) return std::nullopt;
  return begin[0] == 1 ? std::uint8_t{0} : begin[1];
}

}  // namespace

Decoder::Payload Decoder::unstuff_long(ByteSpan frame) {
  const std::size_t need = frame.size() + kPayloadSlack;
  if (scratch_.size() < need) scratch_.resize(need);
  const std::optional<std::size_t> size = cobs_decode(frame, scratch_.data());
  if (!size) return {};
  std::fill_n(scratch_.data() + *size, kPayloadSlack, std::uint8_t{0});
  return {scratch_.data(), scratch_.data() + *size};
}

void Decoder::settle_text(EventView& view, const std::uint8_t* frame, std::size_t size) {
  if (size > kOneBlock) return;
  if (std::ranges::find(view.text, 0) != view.text.end()) return;
  view.text = {frame + (view.text.data() - scratch_.data()), view.text.size()};
  view.text_lasts = true;
}

std::optional<Finding> Decoder::damage_of_begin(ByteSpan begin, std::uint64_t offset) const {
  const auto text = [&](std::string_view why) {
    return fmt::format("{}; skipped up to the next zero byte", why);
  };
  const std::optional<std::uint8_t> id = id_of(begin);
  // First, since it is what the first bytes show in windows of any size.
  if (begin.size() >= kHopeless && id) {
    const EventLayout& layout = (*table_)[*id];
    if (layout.facts == nullptr) {
      return damage(RuleId::kEventId, offset, begin.size(),
                    text(fmt::format("no event has the id 0x{:02X}", *id)));
    }
    if (!layout.has_string) {
      return damage(RuleId::kSurplusBytes, offset, begin.size(),
                    text(fmt::format("bytes follow the last field of {}", layout.facts->name)));
    }
  }
  if (begin.size() < limit_) return std::nullopt;
  return damage(RuleId::kLimit, offset, begin.size(),
                text(fmt::format("a frame takes more than {} bytes", limit_ - 1)));
}

Finding Decoder::damage_of(ByteSpan frame, std::uint64_t offset) {
  // What would have been said had the input not reached to the delimiter yet.
  if (std::optional<Finding> early = damage_of_begin(frame, offset)) {
    early->length = frame.size() + 1;
    return *std::move(early);
  }
  const auto of = [&](RuleId id, std::string text) {
    return damage(id, offset, frame.size() + 1, std::move(text));
  };
  std::vector<std::uint8_t> payload(frame.size());
  const std::optional<std::size_t> size = cobs_decode(frame, payload.data());
  if (!size) return of(RuleId::kCobs, "a COBS code runs past the end of its frame");
  payload.resize(*size);
  const PayloadFinding found = examine_payload(*table_, payload);
  switch (found.fault) {
    case PayloadFault::kEmpty:
      return of(RuleId::kPayloadEmpty, "a frame holds no event");
    case PayloadFault::kId:
      return of(RuleId::kEventId, fmt::format("no event has the id 0x{:02X}", payload.front()));
    case PayloadFault::kMissing:
      return of(RuleId::kFieldMissing,
                fmt::format("field `{}` of {} is missing", found.field, found.facts->name));
    case PayloadFault::kInteger:
      return of(RuleId::kIntegerLength,
                fmt::format("field `{}` of {} is too long", found.field, found.facts->name));
    case PayloadFault::kSurplus:
      break;
  }
  return of(RuleId::kSurplusBytes,
            fmt::format("bytes follow the last field of {}", found.facts->name));
}

bool Decoder::begin_damage(ByteSpan begin, std::uint64_t offset) {
  std::optional<Finding> found = damage_of_begin(begin, offset);
  if (!found) return false;
  damage_ = *std::move(found);
  in_damage_ = true;
  return true;
}

Finding Decoder::end_damage(std::uint64_t offset) {
  damage_.length = offset - damage_.offset;
  in_damage_ = false;
  return std::move(damage_);
}

Finding Decoder::truncated(std::uint64_t offset, std::size_t size) {
  return damage(RuleId::kFrameTruncated, offset, size, "the input ends within a frame");
}

bool Decoder::is_utf8(const EventView& view) {
  return view.text.empty() || is_valid_utf8(view.text);
}

Finding Decoder::not_utf8(const EventView& view, std::uint64_t offset, std::size_t size) {
  const EventFacts& facts = view.facts();
  return damage(RuleId::kUtf8, offset, size,
                fmt::format("field `{}` of {} is not UTF-8",
                            facts.fields[facts.field_count() - 1].name, facts.name));
}

Finding Decoder::empty_frames(std::uint64_t offset, std::size_t count) {
  return damage(
      RuleId::kFrameEmpty, offset, count,
      count == 1 ? "an empty frame" : fmt::format("{} empty frames one after the other", count));
}

}  // namespace tracedeck::tband
