#include "tracedeck/ctf/metadata/json_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::ctf {
void JsonSequence::read(ByteSpan bytes, bool last) {
  while (!bytes.empty()) {
    const auto separator = std::ranges::find(bytes, kRecordSeparator);
    const auto length = static_cast<std::size_t>(separator - bytes.begin());
    take(bytes.first(length));
    bytes = bytes.subspan(length);
    if (bytes.empty()) break;
    if (in_text_) finish_text(false);
    advance(bytes.first(1));
    bytes = bytes.subspan(1);
    pending_.clear();
    pending_offset_ = offset_;
    pending_line_ = line_;
    judged_ = 0;
    in_text_ = true;
    in_stray_ = false;
  }
  if (last && in_text_) finish_text(true);
}

void JsonSequence::take(ByteSpan bytes) {
  if (in_text_) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  } else if (!in_stray_) {
    const auto stray = std::ranges::find_if_not(bytes, is_json_space);
    if (stray != bytes.end()) {
      in_stray_ = true;
      fault(MetadataRule::kSequence, offset_ + static_cast<std::uint64_t>(stray - bytes.begin()),
            bytes, line_,
            fmt::format("found byte {:02X}, expected a record separator, 1E", *stray));
    }
  }
  advance(bytes);
}

void JsonSequence::advance(ByteSpan bytes) {
  line_ = line_at(bytes, offset_, line_, offset_ + bytes.size());
  offset_ += bytes.size();
}

void JsonSequence::finish_text(bool last) {
  if (std::ranges::all_of(pending_, is_json_space)) return;
  if (judged_ == pending_.size()) {
    if (!last) ++count_;
    return;
  }
  PaddedBytes bytes(std::move(pending_));
  pending_ = {};
  auto text = parser_.parse(bytes, pending_offset_, count_ + 1, pending_line_);
  if (text) {
    ++count_;
    in_text_ = false;
    handler_(*text);
    return;
  }
  pending_ = bytes.take();
  judged_ = pending_.size();
  const JsonFault& why = text.error();
  switch (why.kind) {
    case JsonFault::Kind::kInvalid: {
      const bool cut = last && pending_.back() != '\n';
      fault(cut ? MetadataRule::kTruncated : MetadataRule::kText, why.offset, pending_,
            pending_line_,
            fmt::format("found {}{}, expected one JSON object", why.text,
                        cut ? ", and the end of the stream in it" : ""));
      break;
    }
    case JsonFault::Kind::kNesting:
    case JsonFault::Kind::kTooLarge:
      fault(MetadataRule::kLimit, why.offset, pending_, pending_line_,
            fmt::format("found {}", why.text));
  }
  if (!last) ++count_;
}

void JsonSequence::fault(MetadataRule rule, std::uint64_t offset, ByteSpan bytes, JsonLine line,
                         std::string_view text) {
  has_faults_ = true;
  const std::uint64_t begin = in_text_ ? pending_offset_ : offset_;
  findings_.report(rule, offset, 0,
                   fmt::format("{} {}: {} ({})", findings_.noun(), count_ + 1, text,
                               place_words(line_at(bytes, begin, line, offset), offset)));
}

}  // namespace tracedeck::ctf
