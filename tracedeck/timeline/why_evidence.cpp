// What of all that was seen around a slice is evidence.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

using Spent = Evidence::Spent;

std::int64_t shared_time(const Evidence::Piece& piece, const FoundSlice& slice) {
  return std::min(piece.end, slice.end) - std::max(piece.begin, slice.begin);
}

template <class Element>
void keep_first(std::vector<Element>& pieces, std::uint64_t& more) {
  if (pieces.size() <= SliceWitness::kMostPieces) return;
  more += pieces.size() - SliceWitness::kMostPieces;
  pieces.resize(SliceWitness::kMostPieces);
}

void longest_first(std::vector<Spent>& spent) {
  std::ranges::stable_sort(spent, [](const Spent& a, const Spent& b) { return a.time > b.time; });
  if (spent.size() > SliceWitness::kMostPieces) spent.resize(SliceWitness::kMostPieces);
}

void add_spent(std::vector<Spent>& to, const Spent& spent) {
  const auto same = std::ranges::find_if(
      to, [&](const Spent& each) { return each.track == spent.track && each.name == spent.name; });
  if (same == to.end()) {
    to.push_back(spent);
  } else {
    same->time += spent.time;
    same->begin = std::min(same->begin, spent.begin);
    same->is_inferred = same->is_inferred || spent.is_inferred;
  }
}

bool is_of(const std::vector<TrackId>& tracks, TrackId track) {
  return std::ranges::find(tracks, track) != tracks.end();
}

// Whether no other track of states of its own is called so: else nothing says which one is meant.
bool is_only_state(const Timeline& timeline, std::string_view name) {
  int count = 0;
  for (TrackId id = 1; id <= timeline.track_count(); ++id) {
    const Track& track = timeline.track(id);
    count += track.kind == TrackKind::kState && track.parent == kNoTrack && track.name == name;
  }
  return count == 1;
}

bool are_same_process(const Track& a, const Track& b) {
  return !a.pid || !b.pid || *a.pid == *b.pid;
}

}  // namespace

Result<void> SliceWitness::finish(const Timeline& timeline) {
  const FoundSlice& slice = evidence_.slice;
  // What goes on does so to the trace's end.
  const std::int64_t end = std::max(slice.end, timeline.end());
  for (std::size_t i = 0; i < states_.size(); ++i)
    leave(static_cast<TrackId>(i + 1), states_[i], end);
  for (Count& each : counts_) {
    if (each.any) leave(each, end);
  }
  const auto by_overlap = [&](const Evidence::Piece& a, const Evidence::Piece& b) {
    return shared_time(a, slice) > shared_time(b, slice);
  };
  std::ranges::stable_sort(inside_, by_overlap);
  find_origins();
  find_tasks(timeline);
  find_states();
  find_held(timeline);
  find_ran(timeline);
  find_levels(timeline);
  find_meanwhile(timeline);
  keep_first(inside_, evidence_.more_inside);
  std::ranges::stable_sort(inside_, {}, &Evidence::Piece::begin);
  evidence_.inside = std::move(inside_);
  find_hurt(timeline);
  find_samples();
  return {};
}

void SliceWitness::find_hurt(const Timeline& timeline) {
  const auto is_elsewhere = [&](const Evidence::Piece& each) {
    return !are_of_one_machine(timeline, each.track, evidence_.slice.track);
  };
  std::erase_if(open_waits_, is_elsewhere);
  std::erase_if(hurt_, is_elsewhere);
  for (Unended& each : unended_) each.settle(timeline);
  for (Evidence::Piece& each : open_waits_) {
    if (unended_[each.name - 1].is_awaited(each.begin))
      hurt(std::move(each));
    else
      ++evidence_.unended_hurt;
  }
  std::ranges::stable_sort(hurt_, [](const Evidence::Piece& a, const Evidence::Piece& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  keep_first(hurt_, evidence_.more_hurt);
  evidence_.hurt = std::move(hurt_);
}

// What a wait began in has mostly ended before the wait has.
void SliceWitness::find_origins() {
  for (Evidence::Origin& each : evidence_.origins) {
    const auto open = at_begin_.find(each.track);
    if (each.within == kNoName && each.time == evidence_.slice.begin && open != at_begin_.end())
      each.within = open->second;
  }
}

// Tracks of the scheduler's states of who it is about: its own, that of the thread of its track,
// and that of who waited, which begins to run where the wait ends.
void SliceWitness::find_tasks(const Timeline& timeline) {
  const FoundSlice& slice = evidence_.slice;
  const Track& own = timeline.track(slice.track);
  std::vector<TrackId>& tasks = evidence_.tasks;
  if (own.kind == TrackKind::kTask) tasks.push_back(slice.track);
  for (TrackId id = 1; own.tid && tasks.empty() && id <= timeline.track_count(); ++id) {
    const Track& track = timeline.track(id);
    if (track.kind == TrackKind::kTask && track.tid == own.tid && are_same_process(track, own) &&
        are_of_one_machine(timeline, id, slice.track))
      tasks.push_back(id);
  }
  for (const auto& [task, cpu] : put_there_) {
    if (!slice.is_wait) break;
    if (!are_of_one_machine(timeline, task, slice.track)) continue;
    const bool is_named =
        std::ranges::find(numbers_, timeline.track(task).tid.value_or(-1)) != numbers_.end();
    if (is_of(tasks, task) || (tasks.empty() && (put_there_.size() == 1 || is_named))) {
      tasks = {task};
      evidence_.cpu = cpu;
    }
  }
  if (evidence_.cpu == kNoCpu && !tasks.empty() && tasks.front() <= last_cpu_.size())
    evidence_.cpu = last_cpu_[tasks.front() - 1];
}

void SliceWitness::find_states() {
  for (const auto& [key, spent] : spent_) {
    if (is_of(evidence_.tasks, spent.track)) add_spent(evidence_.states, spent);
  }
  longest_first(evidence_.states);
}

// Whether it waits for something called so.
bool SliceWitness::is_awaited(std::string_view name) const {
  return !name.empty() && std::ranges::any_of(awaited_, [&](std::string_view each) {
    return each.ends_with(name) &&
           (each.size() == name.size() || each[each.size() - name.size() - 1] == ' ');
  });
}

void SliceWitness::find_held(const Timeline& timeline) {
  const FoundSlice& slice = evidence_.slice;
  awaited_.push_back(timeline.name(slice.name).text);
  for (const Evidence::Piece& each : inside_) {
    if (shared_time(each, slice) >= slice.duration() / 2)
      awaited_.push_back(timeline.name(each.name).text);
  }
  for (const Spent& each : evidence_.states) {
    if (each.time >= slice.duration() / 10) awaited_.push_back(timeline.name(each.name).text);
  }
  const Track& own = timeline.track(slice.track);
  for (const Evidence::Piece& each : lanes_) {
    const Track& track = timeline.track(each.track);
    if (each.track != slice.track && shared_time(each, slice) >= slice.duration() / 10 &&
        is_awaited(name_on_host(timeline, each.track)) && are_same_process(track, own) &&
        are_of_one_machine(timeline, each.track, slice.track))
      evidence_.held.push_back(each);
  }
  for (const auto& [key, spent] : spent_) {
    const Track& track = timeline.track(spent.track);
    if (track.kind != TrackKind::kState || track.parent != kNoTrack || spent.track == slice.track ||
        spent.longest < slice.duration() / 10 || !is_awaited(name_on_host(timeline, spent.track)) ||
        !are_of_one_machine(timeline, spent.track, slice.track) ||
        !is_only_state(timeline, track.name))
      continue;
    evidence_.held.push_back({.track = spent.track,
                              .name = spent.name,
                              .begin = spent.longest_begin,
                              .end = spent.longest_begin + spent.longest});
  }
  std::ranges::stable_sort(evidence_.held, [&](const auto& a, const auto& b) {
    return shared_time(a, slice) > shared_time(b, slice);
  });
  if (evidence_.held.size() > kMostPieces) evidence_.held.resize(kMostPieces);
  if (evidence_.held.empty()) return;
  // Who holds it is a task too, where its number or its name says so.
  const Evidence::Piece& held = evidence_.held.front();
  const std::string& says = timeline.name(held.name).text;
  for (const auto& [key, spent] : spent_) {
    const Track& track = timeline.track(spent.track);
    if (track.kind != TrackKind::kTask || is_of(evidence_.tasks, spent.track) ||
        !are_of_one_machine(timeline, spent.track, slice.track))
      continue;
    const std::string name(name_on_host(timeline, spent.track));
    if ((!held.values.empty() && track.tid &&
         held.values == name + ' ' + std::to_string(*track.tid)) ||
        says.ends_with(" by " + name))
      add_spent(evidence_.holder, spent);
  }
  longest_first(evidence_.holder);
  if (!evidence_.holder.empty()) find_holder_cpu(timeline, evidence_.holder.front().track);
}

// The processor of who held it, if that is the one where it ran before, and where it ran and was
// ready to all the while.
void SliceWitness::find_holder_cpu(const Timeline& timeline, TrackId holder) {
  std::int32_t cpu = holder <= cpu_before_.size() ? cpu_before_[holder - 1] : kNoCpu;
  for (const auto& [key, spent] : spent_) {
    const bool is_there = spent.name == running_ || timeline.name(spent.name).text == "runnable";
    if (spent.track != holder || !is_there || spent.cpu == kNoCpu) continue;
    if (cpu != kNoCpu && cpu != spent.cpu) return;
    cpu = spent.cpu;
  }
  evidence_.holder_cpu = cpu;
}

// Its processor: the one on whose queue it was longest, where the trace says how it came from there
// to where it ran.
void SliceWitness::find_queue(const Timeline& timeline) {
  const Spent* longest = nullptr;
  bool any_where_it_ran = false;
  for (const auto& [key, spent] : spent_) {
    if (!is_of(evidence_.tasks, spent.track) || spent.cpu == kNoCpu ||
        timeline.name(spent.name).text != "runnable")
      continue;
    any_where_it_ran = any_where_it_ran || spent.cpu == evidence_.cpu;
    if (longest == nullptr || spent.time > longest->time) longest = &spent;
  }
  if (any_where_it_ran) evidence_.cpu = longest->cpu;
}

// Tasks on its processor, where it was ready to run there; else on that of who held what it waited
// for.
void SliceWitness::find_ran(const Timeline& timeline) {
  const FoundSlice& slice = evidence_.slice;
  const bool was_ready = std::ranges::any_of(evidence_.states, [&](const Spent& each) {
    return timeline.name(each.name).text == "runnable" && each.time >= slice.duration() / 10;
  });
  const bool is_own = was_ready || slice.is_wait;
  if (is_own) find_queue(timeline);
  const std::int32_t cpu = is_own ? evidence_.cpu : evidence_.holder_cpu;
  if (evidence_.tasks.empty() || cpu == kNoCpu) return;
  for (const auto& [key, spent] : spent_) {
    if (is_of(evidence_.tasks, spent.track) && spent.cpu != kNoCpu && spent.cpu != evidence_.cpu &&
        timeline.name(spent.name).text == "runnable")
      evidence_.ready_elsewhere += spent.time;
  }
  for (const auto& [key, spent] : spent_) {
    if (!are_of_one_machine(timeline, spent.track, slice.track)) continue;
    const Track& track = timeline.track(spent.track);
    if (track.kind == TrackKind::kTask && spent.name == running_ && spent.cpu == cpu &&
        spent.time >= slice.duration() / 100 && !is_of(evidence_.tasks, spent.track))
      add_spent(evidence_.ran, spent);
    if (track.kind == TrackKind::kState && track.parent != kNoTrack &&
        timeline.track(track.parent).kind == TrackKind::kCpu &&
        timeline.name(spent.name).text == "idle" &&
        spent.time >= slice.duration() - slice.duration() / 10)
      evidence_.idle.push_back(track.parent);
  }
  longest_first(evidence_.ran);
  evidence_.ran_while_ready = ran_while_ready(timeline, evidence_.tasks);
  if (!evidence_.holder.empty())
    evidence_.ran_while_holder_ready =
        ran_while_ready(timeline, std::span(&evidence_.holder.front().track, 1));
  if (evidence_.idle.size() > kMostPieces) evidence_.idle.resize(kMostPieces);
}

// How long the first of `evidence_.ran` ran while one of `tasks` was ready to. Where not all
// stretches are known, what both last longer than the slice does.
std::int64_t SliceWitness::ran_while_ready(const Timeline& timeline,
                                           std::span<const TrackId> tasks) const {
  if (evidence_.ran.empty()) return 0;
  const Evidence::Spent& ran = evidence_.ran.front();
  const auto is_ready = [&](TrackId track, NameId name) {
    return std::ranges::find(tasks, track) != tasks.end() && timeline.name(name).text == "runnable";
  };
  if (!has_all_stretches_) {
    std::int64_t ready = 0;
    for (const auto& [key, spent] : spent_) {
      if (is_ready(spent.track, spent.name)) ready += spent.time;
    }
    return std::max<std::int64_t>(ran.time + ready - evidence_.slice.duration(), 0);
  }
  std::vector<Stretch> runs;
  std::vector<Stretch> ready;
  for (const Stretch& each : stretches_) {
    if (each.track == ran.track && each.name == running_ && each.cpu == ran.cpu)
      runs.push_back(each);
    else if (is_ready(each.track, each.name))
      ready.push_back(each);
  }
  std::int64_t shared = 0;
  auto first = runs.begin();
  for (const Stretch& each : ready) {
    while (first != runs.end() && first->end <= each.begin) ++first;
    for (auto run = first; run != runs.end() && run->begin < each.end; ++run)
      shared += std::min(run->end, each.end) - std::max(run->begin, each.begin);
  }
  return shared;
}

// Counters of what it waits for, and of a wait those that are at their most and rarely are.
void SliceWitness::find_levels(const Timeline& timeline) {
  constexpr std::size_t kMostLevels = 3;
  constexpr std::int64_t kRare = 4;  // times the mean
  for (const Count& each : counts_) {
    if (!each.any_within) continue;
    const Track& track = timeline.track(each.level.track);
    if (track.name.ends_with(kPriority)) {
      evidence_.priorities.push_back(each.level);
      continue;
    }
    if (evidence_.levels.size() == kMostLevels) continue;
    const std::string_view all = name_on_host(timeline, each.level.track);
    const std::string_view name = all.substr(0, all.find(':'));
    const bool is_rare = evidence_.slice.is_wait && each.level.most == each.level.most_of_trace &&
                         each.level.most >= 2 && each.level.most / kRare >= each.sum / each.values;
    if (is_rare || (evidence_.held.empty() && name.size() < all.size() && is_awaited(name)))
      evidence_.levels.push_back(each.level);
  }
}

// Of other tracks, and of that of a wait, those that were busy for a tenth of it at least. Those
// that did nothing all the while are named by their state.
void SliceWitness::find_meanwhile(const Timeline& timeline) {
  const FoundSlice& slice = evidence_.slice;
  std::vector<Evidence::Busy>& busy = evidence_.meanwhile;
  for (auto& [track, each] : meanwhile_) {
    if (each.count != 0 && each.time >= slice.duration() / 10) busy.push_back(std::move(each));
  }
  for (const auto& [key, spent] : spent_) {
    const Track& track = timeline.track(spent.track);
    if (track.kind != TrackKind::kState || track.parent == kNoTrack ||
        track.parent == slice.track || spent.track == slice.track ||
        spent.time < slice.duration() - slice.duration() / 10 ||
        timeline.track(track.parent).kind != TrackKind::kThread ||
        meanwhile_.contains(track.parent))
      continue;
    busy.push_back({.longest = {.track = track.parent,
                                .name = spent.name,
                                .begin = spent.begin,
                                .end = std::max(spent.begin, slice.begin) + spent.time},
                    .time = spent.time});
  }
  // What lies within it on lanes was done for it; what is called as what it did itself is the same.
  for (const Evidence::Piece& each : lanes_) {
    const bool is_same = std::ranges::any_of(inside_, [&](const Evidence::Piece& inner) {
      return timeline.name(inner.name).text == timeline.name(each.name).text;
    });
    if (!slice.is_wait && !is_same && each.begin >= slice.begin && each.end <= slice.end &&
        shared_time(each, slice) >= slice.duration() / 2)
      busy.push_back({.longest = each, .count = 1, .time = shared_time(each, slice)});
  }
  std::ranges::stable_sort(busy, [&](const Evidence::Busy& a, const Evidence::Busy& b) {
    const bool a_own = a.longest.track == slice.track;
    const bool b_own = b.longest.track == slice.track;
    return a_own != b_own ? a_own : a.time > b.time;
  });
  keep_first(busy, evidence_.more_meanwhile);
}

// Those of its track, and on others of what overlaps it longest, also from before it began.
void SliceWitness::find_samples() {
  const FoundSlice& slice = evidence_.slice;
  const auto counts = [&](TrackId track, std::int64_t time) {
    if (track == slice.track && !slice.is_wait) return time >= slice.begin;
    return std::ranges::any_of(evidence_.meanwhile, [&](const Evidence::Busy& each) {
      return each.longest.track == track && time >= each.longest.begin && time <= each.longest.end;
    });
  };
  for (const auto& [kind, time] : taken_) {
    Evidence::Sample& sample = samples_[kind];
    if (!counts(sample.track, time)) continue;
    if (sample.count++ == 0) sample.first = time;
  }
  std::erase_if(samples_, [](const Evidence::Sample& each) { return each.count == 0; });
  evidence_.samples = std::move(samples_);
}

}  // namespace tracedeck::timeline
