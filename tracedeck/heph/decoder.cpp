#include "tracedeck/heph/decoder.hpp"

#include <fmt/format.h>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::heph {
namespace {

// How many bytes may be walked in vain, in packets that turn out to be damaged, before scanning no
// longer looks inside what was walked: this, and a small multiple of the bytes behind us. It keeps
// hostile input, whose every few bytes begin another long packet, from costing quadratic time.
constexpr std::uint64_t kWalkAllowance = std::uint64_t{64} << 20;
constexpr std::uint64_t kWalkFactor = 4;

// Findings that are reported of one packet; the others are counted.
constexpr std::size_t kMostNotes = 100;

// Names and descriptions may take 64 KiB: sentences have their beginning.
constexpr std::size_t kQuotedSize = 60;

std::string quoted(std::string_view text) {
  if (text.size() <= kQuotedSize) return fmt::format("`{}`", text);
  return fmt::format("`{}...`", text.substr(0, kQuotedSize));
}

}  // namespace

void Decoder::note(RuleId rule_id, std::uint64_t offset, std::uint64_t length, std::string text) {
  if (notes_.size() >= kMostNotes) return;
  notes_.push_back(
      {.rule = &rule(rule_id), .offset = offset, .length = length, .text = std::move(text)});
}

void Decoder::note_event(const std::uint8_t* packet, std::size_t size, std::uint64_t offset) {
  const EventHead head = load_event_head(packet);
  AttributeWalk walk(packet, packet + size);
  const auto place = [&](const std::uint8_t* at) {
    return offset + static_cast<std::uint64_t>(at - packet);
  };
  const auto check_text = [&](std::string_view text, const std::string& what) {
    if (is_valid_utf8(text)) return;
    note(RuleId::kUtf8, place(as_bytes(text).data()), text.size(),
         fmt::format("{} is not UTF-8", what));
  };
  if (head.end < head.start) {
    note(RuleId::kTimeOrder, offset, size,
         fmt::format("an event {} ends {} ns before it starts", quoted(walk.description()),
                     head.start - head.end));
  }
  check_text(walk.description(), fmt::format("the description {}", quoted(walk.description())));
  AttributePlace attribute;
  while (walk.next(attribute)) {
    check_text(attribute.name, fmt::format("the name {} of an attribute of {}",
                                           quoted(attribute.name), quoted(walk.description())));
    if (attribute.value_type() != ValueType::kString) continue;
    const auto what = [&] {
      return fmt::format("attribute {} of {}", quoted(attribute.name), quoted(walk.description()));
    };
    if (!attribute.is_array()) {
      check_text(as_text({attribute.value, attribute.size}), what());
      continue;
    }
    StringArray strings(attribute.value, attribute.count);
    std::string_view text;
    for (std::uint32_t i = 0; strings.next(text); ++i) {
      if (!is_valid_utf8(text)) check_text(text, fmt::format("element {} of {}", i, what()));
    }
  }
}

void Decoder::note_option(const Option& option, std::uint64_t offset, std::uint64_t size) {
  if (!is_valid_utf8(option.name)) {
    note(RuleId::kUtf8, offset, size,
         fmt::format("the name {} of an option is not UTF-8", quoted(option.name)));
  }
}

void Decoder::note_overflow(std::uint64_t offset) {
  note(RuleId::kTypeLimit, offset, 0,
       fmt::format("there are more than {} event classes; from here on, events that none of them "
                   "describes share one",
                   types_.size()));
}

Decoder::Inspection Decoder::damage(const DecodeWindow& window, std::size_t position, Fault fault,
                                    std::optional<std::size_t> size) {
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::size_t left = window.bytes.size - position;
  const std::uint64_t offset = window.offset + position;
  const auto walked = static_cast<std::uint64_t>(fault.at - packet);
  const bool by_magic = fault.rule == RuleId::kMagic;
  if (size) {
    const Plausibility next = plausible(window, position + *size);
    const bool undecided = next.answer == Plausibility::Answer::kNeedMore;
    // The window may not become larger than that.
    if (undecided && *size + next.needed <= max_state_)
      return {.status = Inspection::Status::kNeedMore, .size = *size + next.needed};
    passed_ = next.answer == Plausibility::Answer::kYes;
  } else {
    passed_ = false;
  }
  fault_ = std::move(fault);
  damage_begin_ = offset;
  damaged_head_.reset();
  if (!by_magic && left >= kLeastEventSize && load_be<std::uint32_t>(packet) == kEventMagic)
    damaged_head_ = load_event_head(packet);
  if (passed_) return {.status = Inspection::Status::kPassed, .size = *size};
  scanning_ = true;
  count_vain_walk(walked);
  scan_from_ = offset + (by_magic ? 1 : kSizeOffset);
  if (!may_walk(offset)) scan_from_ = std::max(scan_from_, offset + walked);
  return {.status = Inspection::Status::kScanning};
}

bool Decoder::may_walk(std::uint64_t offset) const {
  return walked_in_vain_ <= kWalkAllowance + kWalkFactor * offset;
}

Decoder::Inspection Decoder::inspect(const DecodeWindow& window, std::size_t position) {
  notes_.clear();
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::size_t left = window.bytes.size - position;
  if (left < kPrefixSize) {
    if (!window.last) return {.status = Inspection::Status::kNeedMore, .size = kPrefixSize};
    return damage(window, position,
                  {RuleId::kPacketTruncated, packet,
                   fmt::format("the input ends after {} bytes of a packet", left)});
  }
  const auto magic = load_be<std::uint32_t>(packet);
  const std::size_t size = load_be<std::uint32_t>(packet + kSizeOffset);
  const std::size_t least = least_size(magic);
  if (least == 0) {
    return damage(window, position,
                  {RuleId::kMagic, packet, fmt::format("0x{:08X} begins no packet", magic)});
  }
  if (size < least) {
    return damage(
        window, position,
        {RuleId::kPacketSize, packet + kSizeOffset,
         fmt::format("a packet claims a size of {} bytes and has at least {}", size, least)});
  }
  if (size > max_state_) {
    return damage(window, position,
                  {RuleId::kLimit, packet + kSizeOffset,
                   fmt::format("a packet of {} bytes exceeds --max-state", size)});
  }
  if (size > left) return inspect_part(window, position, size);
  return magic == kEventMagic ? inspect_event(window, position, size)
                              : inspect_option(window, position, size);
}

// Where the size of a packet was damaged, the next one stands where an attribute should.
bool Decoder::packet_inside(const DecodeWindow& window, Fault& fault) const {
  const auto left = static_cast<std::size_t>(window.bytes.data + window.bytes.size - fault.at);
  if (fault.rule != RuleId::kAttributeName || left < kPrefixSize) return false;
  const std::size_t least = least_size(load_be<std::uint32_t>(fault.at));
  const std::size_t size = load_be<std::uint32_t>(fault.at + kSizeOffset);
  if (least == 0 || size < least || size > max_state_) return false;
  fault.rule = RuleId::kPacketSize;
  fault.text = "a packet's size reaches over the beginning of another";
  return true;
}

bool Decoder::certainly_faulty(const DecodeWindow& window, std::size_t position, std::size_t size,
                               Fault& fault) {
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::size_t left = window.bytes.size - position;
  if (load_be<std::uint32_t>(packet) == kEventMagic) {
    AttributeWalk walk(packet, packet + left);
    AttributePlace attribute;
    while (walk.next(attribute)) {
    }
    if (!walk.faulty()) return false;
    fault = walk.fault();
    return walk.certain() || packet_inside(window, fault);
  }
  if (left < kLeastMetadataSize) return false;
  const std::size_t length = load_be<std::uint16_t>(packet + kOptionNameOffset);
  Option option;
  const bool name_is_here = length <= left - kLeastMetadataSize;
  const bool name_is_too_long = length > size - kLeastMetadataSize;
  return (name_is_here || name_is_too_long) && !read_option(packet, size, option, fault);
}

Decoder::Inspection Decoder::inspect_part(const DecodeWindow& window, std::size_t position,
                                          std::size_t size) {
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::size_t left = window.bytes.size - position;
  Fault fault;
  if (size > kTrustedSize && certainly_faulty(window, position, size, fault))
    return damage(window, position, std::move(fault));
  if (!window.last) return {.status = Inspection::Status::kNeedMore, .size = size};
  return damage(window, position,
                {RuleId::kPacketTruncated, packet + left,
                 fmt::format("the input ends after {} of the {} bytes of a packet", left, size)});
}

Decoder::Inspection Decoder::inspect_event(const DecodeWindow& window, std::size_t position,
                                           std::size_t size) {
  const std::uint8_t* const packet = window.bytes.data + position;
  AttributeWalk walk(packet, packet + size);
  AttributePlace attribute;
  while (walk.next(attribute)) {
  }
  if (walk.faulty()) return damage(window, position, walk.fault(), size);
  bool is_new = false;
  const EventType& type = types_.find(packet, size, is_new);
  Inspection inspection{.status = Inspection::Status::kEvent, .size = size};
  if (is_new) inspection.new_type = &type;
  if (type.is_overflow) {
    inspection.status = Inspection::Status::kOverflow;
    if (!overflow_reported_) {
      inspection.new_type = &type;
      note_overflow(window.offset + position);
    }
    overflow_reported_ = true;
  } else {
    types_.guess(packet) = &type;
  }
  return inspection;
}

Decoder::Inspection Decoder::inspect_option(const DecodeWindow& window, std::size_t position,
                                            std::size_t size) {
  const std::uint8_t* const packet = window.bytes.data + position;
  Inspection inspection{.status = Inspection::Status::kOption, .size = size};
  Fault fault;
  if (!read_option(packet, size, inspection.option, fault))
    return damage(window, position, std::move(fault), size);
  return inspection;
}

Decoder::Plausibility Decoder::plausible(const DecodeWindow& window, std::size_t position) {
  using Answer = Plausibility::Answer;
  const std::size_t left = window.bytes.size - position;
  if (left == 0 && window.last) return {Answer::kYes};
  const std::uint8_t* const packet = window.bytes.data + position;
  const std::size_t least =
      left < sizeof kEventMagic ? 0 : least_size(load_be<std::uint32_t>(packet));
  if (left >= sizeof kEventMagic && least == 0) return {Answer::kNo};
  if (left < kPrefixSize) {
    if (window.last) return {Answer::kNo};
    return {Answer::kNeedMore, kPrefixSize};
  }
  const std::size_t size = load_be<std::uint32_t>(packet + kSizeOffset);
  if (size < least || size > max_state_) return {Answer::kNo};
  if (size <= left) return {Answer::kYes};
  if (window.last) return {Answer::kNo};
  if (size > kTrustedSize) {
    const std::uint64_t offset = window.offset + position;
    if (!may_walk(offset)) return {Answer::kNo};
    Fault fault;
    if (certainly_faulty(window, position, size, fault)) {
      count_vain_walk(static_cast<std::uint64_t>(fault.at - packet));
      return {Answer::kNo};
    }
  }
  return {Answer::kNeedMore, size};
}

std::uint64_t Decoder::scan(const DecodeWindow& window, std::size_t& position) {
  constexpr auto kEventByte = static_cast<std::uint8_t>(kEventMagic >> 24U);
  constexpr auto kMetadataByte = static_cast<std::uint8_t>(kMetadataMagic >> 24U);
  const std::uint8_t* const bytes = window.bytes.data;
  const std::size_t size = window.bytes.size;
  std::size_t at =
      std::max<std::size_t>(position, scan_from_ > window.offset ? scan_from_ - window.offset : 0);
  for (; at < size; ++at) {
    if (bytes[at] != kEventByte && bytes[at] != kMetadataByte) continue;
    const Plausibility packet = plausible(window, at);
    if (packet.answer == Plausibility::Answer::kNo) continue;
    position = at;
    scan_from_ = window.offset + at;
    return packet.answer == Plausibility::Answer::kYes ? 0 : packet.needed;
  }
  scan_from_ = window.offset + at;
  position = size;
  if (window.last) return 0;
  return at - size + 1;
}

Finding Decoder::finish_damage(std::uint64_t end_offset, bool at_end) {
  std::string_view what_was_done = "reading resumes at the next packet";
  if (at_end) what_was_done = "nothing after it could be read";
  if (passed_) what_was_done = "the packet is left out";
  scanning_ = false;
  return {.rule = &rule(fault_.rule),
          .offset = damage_begin_,
          .length = end_offset - damage_begin_,
          .text = fmt::format("{}; {}", fault_.text, what_was_done)};
}

DamagedEvents Decoder::damaged_events(std::uint64_t end_offset) const {
  DamagedEvents events{.offset = damage_begin_, .first = damaged_head_};
  const std::uint64_t length = end_offset - damage_begin_;
  if (!passed_) {
    events.most = std::max<std::uint64_t>(1, length / kLeastEventSize);
    if (events.first) --events.most;
  }
  return events;
}

}  // namespace tracedeck::heph
