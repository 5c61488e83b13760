#include "tracedeck/timeline/span_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/nearest.hpp"
#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/parser.hpp"

namespace tracedeck::timeline {
namespace {

// Names of arguments that are kept for who misspelt one.
constexpr std::size_t kMostNames = 1'000;
// Units that are told apart.
constexpr std::size_t kMostUnits = 64;

}  // namespace

SpanArguments::SpanArguments(std::vector<std::string> wanted)
    : wanted_(std::move(wanted)),
      seen_(wanted_.size()),
      is_hexadecimal_(wanted_.size()),
      has_(wanted_.size()),
      unit_of_(wanted_.size()),
      cells_(wanted_.size()),
      values_(wanted_.size()) {}

void SpanArguments::begin(const Mark& mark) {
  if (mark.track > tracks_.size()) tracks_.resize(mark.track);
  std::vector<OpenSlice>& track = tracks_[mark.track - 1];
  if (mark.has(kMoved) && !moving_.empty()) {
    track.push_back(std::move(moving_.back()));
    moving_.pop_back();
    return;
  }
  OpenSlice& slice = track.emplace_back(OpenSlice{.name = mark.name});
  has_.assign(wanted_.size(), false);
  put_aside(slice.arguments, mark);
  held_ += slice.arguments.size();
  if (held_ <= kMostHeld) return;
  held_ -= slice.arguments.size();
  std::string().swap(slice.arguments);
  ++not_held_;
}

std::optional<SpanArguments::OpenSlice> SpanArguments::take_open(const Mark& mark) {
  if (mark.has(kUnplaced) || mark.track > tracks_.size()) return std::nullopt;
  std::vector<OpenSlice>& track = tracks_[mark.track - 1];
  if (track.empty() || track.back().name != mark.name) return std::nullopt;
  std::optional<OpenSlice> taken = std::move(track.back());
  track.pop_back();
  return taken;
}

std::span<const query::Value> SpanArguments::end(const Mark& mark) {
  both_.clear();
  has_.assign(wanted_.size(), false);
  if (mark.kind != MarkKind::kWait) {
    if (mark.has(kUnplaced)) ++without_lane_;
    std::optional<OpenSlice> open = take_open(mark);
    // Where no lane had room, nothing took those that were to move before.
    if (mark.has(kMoved) && !std::exchange(moves_, true)) {
      for (const OpenSlice& each : moving_) held_ -= each.arguments.size();
      moving_.clear();
    }
    if (mark.has(kMoved)) {
      if (open) moving_.push_back(*std::move(open));
      return values({});
    }
    moves_ = false;
    if (open) {
      held_ -= open->arguments.size();
      both_ = std::move(open->arguments);
      (void)values(both_);
      for (std::size_t i = 0; i < has_.size(); ++i) has_[i] = values_[i].known();
    }
  }
  put_aside(both_, mark);
  return values(both_);
}

void SpanArguments::put(std::string& into, std::string_view name, const query::Value& value) {
  const auto place = std::ranges::find(wanted_, name);
  if (place == wanted_.end()) {
    if (names_.size() < kMostNames && !names_.contains(name)) names_.emplace(name);
    return;
  }
  const auto index = static_cast<std::size_t>(place - wanted_.begin());
  seen_[index] = has_[index] = true;
  is_hexadecimal_[index] = value.is_hexadecimal;
  put_varint(into, index);
  put_varint(into, number_of_unit(value.unit));
  query::encode(into, value);
}

std::uint64_t SpanArguments::number_of_unit(std::string_view unit) {
  const auto known = std::ranges::find(units_, unit);
  const auto number = static_cast<std::uint64_t>(known - units_.begin());
  if (known != units_.end()) return number;
  if (units_.size() == kMostUnits) return 0;
  units_.emplace_back(unit);
  return number;
}

void SpanArguments::put_aside(std::string& into, const Mark& mark) {
  visit_arguments(
      mark, [&](std::string_view name, const query::Value& value) { put(into, name, value); });
  if (mark.event == nullptr || std::ranges::find(has_, false) == has_.end()) return;
  fields_of(*mark.event->event_class)
      .visit(*mark.event, [&](std::string_view name, const query::Value& value) {
        const auto place = std::ranges::find(wanted_, name) - wanted_.begin();
        if (!has_[static_cast<std::size_t>(place)]) put(into, name, value);
      });
}

const Arguments& SpanArguments::fields_of(const EventClass& event_class) {
  Fields& fields = fields_[event_class];
  if (fields.wanted != nullptr) return *fields.wanted;
  fields.wanted = std::make_unique<Arguments>();
  for (auto name = wanted_.begin(); name != wanted_.end(); ++name) {
    if (std::find(wanted_.begin(), name, *name) != name) continue;
    // `name` and the like are fields here, not what is said of events.
    const auto parsed = query::parse_expression("." + *name);
    if (parsed && (*parsed)->operation == query::Operator::kPath)
      fields.wanted->add(*name, (*parsed)->path, event_class);
  }
  note_names(event_class);
  return *fields.wanted;
}

void SpanArguments::note_names(const EventClass& event_class) {
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr) return;
  for (const Member& member : structure->members) {
    if (names_.size() < kMostNames) names_.emplace(member.name.view());
  }
}

// Of two values the later one holds.
std::span<const query::Value> SpanArguments::values(std::string_view aside) {
  std::ranges::fill(cells_, query::Cell());
  std::span<const std::uint8_t> bytes = as_bytes(aside);
  while (!bytes.empty()) {
    const auto index = take_varint(bytes);
    const auto unit = take_varint(bytes);
    if (!index || *index >= cells_.size() || !unit || *unit >= units_.size()) break;
    auto cell = query::decode_cell(bytes);
    if (!cell) break;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (wanted_[i] != wanted_[static_cast<std::size_t>(*index)]) continue;
      cells_[i] = *cell;
      unit_of_[i] = *unit;
    }
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    values_[i] = cells_[i].value();
    values_[i].is_hexadecimal = is_hexadecimal_[i];
    values_[i].unit = units_[static_cast<std::size_t>(unit_of_[i])];
  }
  return values_;
}

std::vector<std::string> SpanArguments::unknown(std::string_view span,
                                                std::span<const query::Column> columns) const {
  std::vector<std::string> sentences;
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const auto first = std::ranges::find(wanted_, wanted_[i]) - wanted_.begin();
    if (seen_[static_cast<std::size_t>(first)] || std::cmp_less(first, i)) continue;
    std::vector<std::string_view> words = known;
    for (const query::Column& column : columns) words.push_back(column.name);
    const std::string_view near = nearest(wanted_[i], words);
    std::string sentence = fmt::format("no {} has `{}`", span, wanted_[i]);
    if (!near.empty()) {
      sentence += fmt::format("; did you mean `{}`?", near);
    } else if (!known.empty()) {
      constexpr std::size_t kShown = 10;
      const auto shown = std::span(known).first(std::min(kShown, known.size()));
      sentence += fmt::format("; arguments that there are: {}{}", fmt::join(shown, ", "),
                              known.size() > kShown ? ", ..." : "");
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> SpanArguments::not_held() const {
  std::vector<std::string> sentences;
  const auto add = [&](std::uint64_t count, std::string_view why) {
    if (count != 0)
      sentences.push_back(
          fmt::format("arguments of the begin of {} slices are not known: {}", count, why));
  };
  add(not_held_, "more were open than memory holds");
  add(without_lane_, "more were open at a time on one track than it has lanes");
  return sentences;
}

}  // namespace tracedeck::timeline
