#include "tracedeck/timeline/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/model/symbols.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/rule_values.hpp"

namespace tracedeck::timeline {
namespace {

// The shortest on top; of equal ones the later, so that the first is kept.
bool longer(const FoundSlice& a, const FoundSlice& b) {
  return a.duration() != b.duration() ? a.duration() > b.duration() : a.begin < b.begin;
}

std::int64_t overlap(const Evidence::Piece& piece, const FoundSlice& slice) {
  return std::min(piece.end, slice.end) - std::max(piece.begin, slice.begin);
}

std::string arguments_of(const Mark& mark) {
  constexpr std::size_t kMost = 160;
  std::string text;
  visit_arguments(mark, [&](std::string_view name, const query::Value& value) {
    if (value.kind == query::Value::Kind::kCompound || text.size() > kMost) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value));
  });
  return text;
}

// Keeps the `most` that come first in an order, and returns how many were left out.
template <class Less>
std::uint64_t keep_most(std::vector<Evidence::Piece>& pieces, std::size_t most, const Less& less) {
  std::ranges::stable_sort(pieces, less);
  if (pieces.size() <= most) return 0;
  const std::uint64_t left = pieces.size() - most;
  pieces.resize(most);
  return left;
}

}  // namespace

Result<SliceFinder> SliceFinder::make(SliceQuestion question) {
  SliceFinder finder(std::move(question));
  const auto matcher = [](const std::string& glob) {
    return query::glob_matcher(glob.empty() ? "*" : glob);
  };
  auto names = matcher(finder.question_.name);
  if (!names) return std::unexpected(names.error());
  auto tracks = matcher(finder.question_.track);
  if (!tracks) return std::unexpected(tracks.error());
  finder.names_ = *std::move(names);
  finder.tracks_ = *std::move(tracks);
  finder.question_.rank = std::clamp<std::size_t>(finder.question_.rank, 1, kMostRank);
  return finder;
}

bool SliceFinder::is_meant(const Timeline& timeline, const Mark& mark) {
  if (mark.name >= meant_.size()) meant_.resize(mark.name + 1);
  signed char& name = meant_[mark.name];
  if (name == 0) {
    const MarkName& text = timeline.name(mark.name);
    name = names_->matches(text.label()) || names_->matches(text.category) ? 1 : -1;
  }
  if (mark.track >= meant_track_.size()) meant_track_.resize(mark.track + 1);
  signed char& track = meant_track_[mark.track];
  if (track == 0) track = tracks_->matches(timeline.track(mark.track).name) ? 1 : -1;
  return name > 0 && track > 0;
}

void SliceFinder::keep(const FoundSlice& slice) {
  // At a moment the innermost counts: the shortest that holds it.
  if (question_.at) {
    if (slice.begin > *question_.at || slice.end < *question_.at) return;
    if (longest_.empty() || slice.duration() < longest_.front().duration()) longest_ = {slice};
    return;
  }
  if (longest_.size() == question_.rank && !longer(slice, longest_.front())) return;
  longest_.push_back(slice);
  std::ranges::push_heap(longest_, longer);
  if (longest_.size() <= question_.rank) return;
  std::ranges::pop_heap(longest_, longer);
  longest_.pop_back();
}

Result<void> SliceFinder::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    const bool is_wait = mark.kind == MarkKind::kWait;
    if ((!is_wait && mark.kind != MarkKind::kSliceEnd) || !mark.has_duration()) continue;
    if (!is_meant(timeline, mark)) continue;
    durations_[{is_wait, mark.name}].add_unsigned(static_cast<std::uint64_t>(mark.duration()));
    keep({.is_wait = is_wait,
          .track = mark.track,
          .name = mark.name,
          .begin = mark.begin,
          .end = mark.time});
  }
  return {};
}

std::optional<FoundSlice> SliceFinder::found() const {
  if (longest_.empty() || (!question_.at && longest_.size() < question_.rank)) return std::nullopt;
  return longest_.front();
}

const Histogram& SliceFinder::durations() const {
  return durations_.at({longest_.front().is_wait, longest_.front().name});
}

Result<void> SliceWitness::take(const Timeline& timeline, std::span<const Mark> marks) {
  const FoundSlice& slice = evidence_.slice;
  for (const Mark& mark : marks) {
    if (mark.track > open_.size()) open_.resize(mark.track);
    switch (mark.kind) {
      case MarkKind::kSliceBegin: {
        const bool near = mark.time <= slice.end;
        open_[mark.track - 1].push_back(
            {.name = mark.name,
             .begin = mark.time,
             .arguments = near && mark.time >= slice.begin - slice.duration() ? arguments_of(mark)
                                                                              : std::string()});
        break;
      }
      case MarkKind::kSliceEnd:
        end_slice(timeline, mark);
        break;
      case MarkKind::kWait:
        wait(mark);
        break;
      case MarkKind::kInstant:
        if (mark.time >= slice.begin && mark.time <= slice.end) sample(timeline, mark);
        break;
      case MarkKind::kGap:
        if (overlaps(mark.begin, mark.time) && evidence_.gaps.size() < kMostPieces)
          evidence_.gaps.push_back(
              {.track = mark.track, .name = mark.name, .begin = mark.begin, .end = mark.time});
        break;
      default:
        break;
    }
  }
  return {};
}

void SliceWitness::end_slice(const Timeline& timeline, const Mark& mark) {
  if (mark.has(kUnplaced)) return;
  std::vector<Open>& open = open_[mark.track - 1];
  if (open.empty()) return;
  const Open ended = std::move(open.back());
  open.pop_back();
  const FoundSlice& slice = evidence_.slice;
  if (mark.has(kMoved) || !overlaps(mark.begin, mark.time)) return;
  const Evidence::Piece piece{.track = mark.track,
                              .name = mark.name,
                              .begin = mark.begin,
                              .end = mark.time,
                              .depth = open.size(),
                              .arguments = ended.arguments};
  if (mark.track == slice.track) {
    const bool is_it = !slice.is_wait && mark.begin == slice.begin && mark.time == slice.end &&
                       mark.name == slice.name;
    if (is_it) {
      evidence_.arguments = ended.arguments;
    } else if (mark.begin >= slice.begin && mark.time <= slice.end) {
      inside_.push_back(piece);
    } else if (mark.begin <= slice.begin && mark.time >= slice.end) {
      evidence_.around.insert(evidence_.around.begin(), piece);
    }
  } else if (open.empty() && timeline.track(mark.track).kind != TrackKind::kLanes) {
    meanwhile_.push_back(piece);
  }
  // What is kept is bounded.
  constexpr std::size_t kMostKept = 4096;
  const auto by_overlap = [&](const Evidence::Piece& a, const Evidence::Piece& b) {
    return overlap(a, slice) > overlap(b, slice);
  };
  if (inside_.size() > kMostKept)
    evidence_.more_inside += keep_most(inside_, kMostKept / 2, by_overlap);
  if (meanwhile_.size() > kMostKept) keep_most(meanwhile_, kMostKept / 2, by_overlap);
}

void SliceWitness::wait(const Mark& mark) {
  const FoundSlice& slice = evidence_.slice;
  const Evidence::Piece piece{.track = mark.track,
                              .name = mark.name,
                              .begin = mark.begin,
                              .end = mark.time,
                              .arguments = arguments_of(mark)};
  const bool is_it = slice.is_wait && mark.begin == slice.begin && mark.time == slice.end &&
                     mark.name == slice.name && mark.track == slice.track;
  if (is_it) {
    evidence_.arguments = piece.arguments;
    return;
  }
  // It was served by this slice.
  if (!slice.is_wait && mark.track == slice.track && mark.time == slice.begin) {
    evidence_.waited.push_back(piece);
    return;
  }
  if (!overlaps(mark.begin, mark.time) || overlap(piece, slice) * 2 < slice.duration()) return;
  hurt_.push_back(piece);
  constexpr std::size_t kMostKept = 4096;
  if (hurt_.size() > kMostKept) {
    evidence_.more_hurt += keep_most(hurt_, kMostKept / 2, [](const auto& a, const auto& b) {
      return a.end - a.begin > b.end - b.begin;
    });
  }
}

void SliceWitness::sample(const Timeline&, const Mark& mark) {
  if (mark.event == nullptr || mark.arguments == nullptr) return;
  Evidence::Sample seen{.track = mark.track, .name = mark.name, .count = 1, .first = mark.time};
  const DataStreamClass* const stream_class = mark.event->event_class->stream_class;
  const Symbols* const symbols = stream_class == nullptr || stream_class->trace == nullptr
                                     ? nullptr
                                     : stream_class->trace->symbols();
  visit_arguments(mark, [&](std::string_view, const query::Value& value) {
    if (value.kind != query::Value::Kind::kCompound || value.slot == nullptr ||
        value.slot->kind != SlotKind::kPackedArray)
      return;
    const std::size_t count = packed_count(*value.slot);
    for (std::size_t i = 0; i < count && seen.stack.size() < kMostFrames; ++i) {
      const std::uint64_t address = packed_element(*value.slot, i).bits;
      const std::string_view name =
          symbols == nullptr ? std::string_view() : symbols->name_of(address);
      // The scheduler's own frames say only that it was switched out.
      if (seen.stack.empty() && (name == "__schedule" || name == "schedule")) continue;
      seen.stack.push_back(name.empty() ? fmt::format("{:#x}", address) : std::string(name));
    }
  });
  const auto same = std::ranges::find_if(evidence_.samples, [&](const Evidence::Sample& each) {
    return each.track == seen.track && each.name == seen.name && each.stack == seen.stack;
  });
  if (same != evidence_.samples.end()) {
    ++same->count;
  } else if (evidence_.samples.size() < 256) {
    evidence_.samples.push_back(std::move(seen));
  }
}

Result<void> SliceWitness::finish(const Timeline&) {
  const FoundSlice& slice = evidence_.slice;
  const auto by_overlap = [&](const Evidence::Piece& a, const Evidence::Piece& b) {
    return overlap(a, slice) > overlap(b, slice);
  };
  const auto by_length = [](const Evidence::Piece& a, const Evidence::Piece& b) {
    return a.end - a.begin > b.end - b.begin;
  };
  evidence_.more_inside += keep_most(inside_, kMostPieces, by_overlap);
  // Of each other track what overlaps longest, if that is a tenth at least.
  std::ranges::stable_sort(meanwhile_, by_overlap);
  std::vector<Evidence::Piece> longest;
  for (Evidence::Piece& each : meanwhile_) {
    const bool known =
        std::ranges::find(longest, each.track, &Evidence::Piece::track) != longest.end();
    if (!known && overlap(each, slice) * 10 >= slice.duration()) longest.push_back(std::move(each));
  }
  meanwhile_ = std::move(longest);
  keep_most(meanwhile_, kMostPieces, by_overlap);
  evidence_.more_hurt += keep_most(hurt_, kMostPieces, by_length);
  std::ranges::stable_sort(inside_, {}, &Evidence::Piece::begin);
  evidence_.inside = std::move(inside_);
  evidence_.meanwhile = std::move(meanwhile_);
  evidence_.hurt = std::move(hurt_);
  std::erase_if(evidence_.samples, [&](const Evidence::Sample& each) {
    return each.track != slice.track &&
           std::ranges::find(evidence_.meanwhile, each.track, &Evidence::Piece::track) ==
               evidence_.meanwhile.end();
  });
  return {};
}

}  // namespace tracedeck::timeline
