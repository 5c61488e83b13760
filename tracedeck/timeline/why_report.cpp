#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

using Piece = Evidence::Piece;
using render::Plain;
using render::say;

// A name where a person reads it.
std::string label_of(const Timeline& timeline, NameId id) {
  return visible(timeline.name(id).title());
}

std::string track_of(const Timeline& timeline, TrackId id) {
  return visible(timeline.track(id).name);
}

// Whose slice, wait or state it is: a track of states alone says no more than that.
std::string place_of(const Timeline& timeline, const FoundSlice& slice) {
  const Track& track = timeline.track(slice.track);
  const bool of_parent = track.kind == TrackKind::kState && track.parent != kNoTrack;
  return track_of(timeline, of_parent ? track.parent : slice.track);
}

std::string since(const Timeline& timeline, std::int64_t time) {
  return fmt::format("{:+.6f} s", static_cast<double>(time - timeline.begin()) / 1e9);
}

std::string duration_text(std::int64_t duration) {
  return short_duration(static_cast<double>(duration));
}

std::string stack_text(const Evidence::Sample& sample) {
  constexpr std::size_t kMostShown = 12;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < sample.stack.size(); ++i) {
    shown.push_back(visible(sample.stack[i]));
    if (i < sample.places.size() && !sample.places[i].empty())
      shown.back() += " (" + visible(sample.places[i]) + ')';
  }
  // Outer functions without a name say nothing.
  while (shown.size() > 1 && shown.back().starts_with("0x")) shown.pop_back();
  const std::size_t more = shown.size() - std::min(shown.size(), kMostShown);
  shown.resize(shown.size() - more);
  return fmt::format("{}{}", fmt::join(shown, " < "),
                     more == 0 ? "" : fmt::format(" < and {} more", more));
}

// Lines with one heading, which stands before the first.
class Section {
 public:
  Section(std::string& out, std::string_view heading) : out_(out), heading_(heading) {}

  void line(const std::string& text) {
    out_ += fmt::format("  {:<11}{}\n", heading_, text);
    heading_ = {};
  }

 private:
  std::string& out_;
  std::string_view heading_;
};

void append_samples(Section& section, const Evidence& evidence, TrackId track,
                    const Timeline& timeline) {
  constexpr std::size_t kMostLines = 3;
  std::vector<const Evidence::Sample*> samples;
  for (const Evidence::Sample& each : evidence.samples) {
    if (each.track == track && !each.stack.empty()) samples.push_back(&each);
  }
  std::ranges::stable_sort(samples,
                           [](const auto* a, const auto* b) { return a->count > b->count; });
  for (std::size_t i = 0; i < samples.size() && i < kMostLines; ++i) {
    section.line(say<"why/sample">(label_of(timeline, samples[i]->name), stack_text(*samples[i]),
                                   Plain(samples[i]->count)));
  }
}

// Whether it lasted as long as is known of it, or may have lasted longer, or shorter.
enum class Bound : std::uint8_t { kNone, kLeast, kMost };
Bound bound_of(const Piece& piece) {
  if ((piece.flags & (kBeganBefore | kOpenAtEnd)) != 0) return Bound::kLeast;
  return (piece.flags & kGone) != 0 ? Bound::kMost : Bound::kNone;
}

std::string piece_text(const Timeline& timeline, const Piece& piece) {
  const Bound bound = bound_of(piece);
  std::string text = fmt::format("{}, {}{} from {}", label_of(timeline, piece.name),
                                 duration_text(piece.end - piece.begin),
                                 bound == Bound::kLeast  ? " or more"
                                 : bound == Bound::kMost ? " or less"
                                                         : "",
                                 since(timeline, piece.begin));
  if (!piece.arguments.empty()) text += "  " + visible(piece.arguments);
  return text;
}

void append_members(JsonObject& object, const Piece& piece, const Timeline& timeline) {
  object.string("name", timeline.name(piece.name).label());
  object.string("track", timeline.track(piece.track).name);
  object.integer("begin", timeline.absolute(piece.begin));
  object.integer("duration", piece.end - piece.begin);
  if (const Bound bound = bound_of(piece); bound != Bound::kNone)
    object.string("bound", bound == Bound::kLeast ? "least" : "most");
  if (!piece.arguments.empty()) object.string("arguments", piece.arguments);
}

void append_piece(TextBuffer& out, const Piece& piece, const Timeline& timeline) {
  JsonObject object(out);
  append_members(object, piece, timeline);
  object.end();
}

void append_pieces(JsonObject& object, std::string_view key, std::span<const Piece> pieces,
                   const Timeline& timeline) {
  JsonArray array(object.key(key));
  for (const Piece& piece : pieces) append_piece(array.next(), piece, timeline);
  array.end();
}

// Slices, waits and states that nothing more is known of; nothing where there are none.
void append_slices(JsonObject& object, std::string_view key, std::span<const FoundSlice> slices,
                   const Timeline& timeline) {
  if (slices.empty()) return;
  JsonArray array(object.key(key));
  for (const FoundSlice& each : slices)
    append_piece(array.next(),
                 {.track = each.track, .name = each.name, .begin = each.begin, .end = each.end},
                 timeline);
  array.end();
}

// "cpu 1", as the table calls it.
std::string cpu_text(const Timeline& timeline, std::int32_t cpu) {
  const std::string number = fmt::format(" {}", cpu);
  for (TrackId id = 1; id <= timeline.track_count(); ++id) {
    if (timeline.track(id).kind == TrackKind::kCpu && timeline.track(id).name.ends_with(number))
      return track_of(timeline, id);
  }
  return "cpu" + number;
}

std::string spent_text(const Evidence::Spent& spent) {
  return duration_text(spent.time) + (spent.is_inferred ? " (inferred)" : "");
}

// "blocked: take bus 35.8ms, running 160us"
std::string states_text(const Timeline& timeline, std::span<const Evidence::Spent> states) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> shown;
  for (const Evidence::Spent& each : states) {
    if (shown.size() < kMost && each.time > 0)
      shown.push_back(fmt::format("{} {}", label_of(timeline, each.name), spent_text(each)));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

void append_processors(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  constexpr std::size_t kMost = 3;
  Section section(out, "ran");
  std::vector<std::string> shown;
  for (const Evidence::Spent& each : evidence.ran) {
    if (shown.size() < kMost)
      shown.push_back(
          fmt::format("{} for {}", track_title(timeline, each.track), spent_text(each)));
  }
  if (evidence.ran.size() > kMost) shown.push_back(say<"why/more">(evidence.ran.size() - kMost));
  if (!shown.empty())
    section.line(say<"why/ran">(cpu_text(timeline, evidence.cpu),
                                fmt::format("{}", fmt::join(shown, ", "))));
  std::vector<std::string> idle;
  for (const TrackId each : evidence.idle) idle.push_back(track_of(timeline, each));
  if (!idle.empty()) section.line(say<"why/idle">(fmt::format("{}", fmt::join(idle, ", "))));
}

void append_levels(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  Section section(out, "counted");
  for (const Evidence::Level& each : evidence.levels) {
    const std::string counter = track_of(timeline, each.track);
    const std::string values = each.least == each.most
                                   ? std::to_string(each.most)
                                   : fmt::format("{} to {}", each.least, each.most);
    section.line(each.most == each.most_of_trace
                     ? say<"why/at-most">(counter, values)
                     : say<"why/below-most">(counter, values, std::to_string(each.most_of_trace)));
  }
}

void append_origins(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  Section section(out, "from");
  for (const Evidence::Origin& each : evidence.origins) {
    const std::string track = track_of(timeline, each.track);
    const std::string time = since(timeline, each.time);
    section.line(each.within == kNoName
                     ? say<"why/woken">(track, time)
                     : say<"why/woken-in">(track, label_of(timeline, each.within), time));
  }
}

void append_first(std::string& out, const FoundSlice& slice) {
  if (!slice.longest_later || *slice.longest_later > slice.duration() / 2) return;
  Section(out, "first").line(say<"why/first">(duration_text(*slice.longest_later)));
}

void append_inside(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  constexpr std::size_t kMost = 3;
  std::vector<Piece> inside = evidence.inside;
  std::ranges::stable_sort(
      inside, [](const Piece& a, const Piece& b) { return a.end - a.begin > b.end - b.begin; });
  const std::size_t shown = std::min(inside.size(), kMost);
  std::ranges::stable_sort(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(shown), {},
                           &Piece::begin);
  Section section(out, "inside");
  for (std::size_t i = 0; i < shown; ++i) section.line(piece_text(timeline, inside[i]));
  const std::uint64_t more = evidence.more_inside + (inside.size() - shown);
  if (more != 0) section.line(say<"why/more-inside">(Plain(more)));
}

void append_meanwhile(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  Section section(out, "meanwhile");
  for (const Evidence::Busy& each : evidence.meanwhile) {
    const Piece& longest = each.longest;
    const std::string track = track_of(timeline, longest.track);
    const std::string text = piece_text(timeline, longest);
    // What filled it is not the longest alone.
    const bool of_several =
        each.count > 1 && longest.end - longest.begin < each.time - each.time / 10;
    section.line(of_several
                     ? say<"why/busy">(track, Plain(each.count), duration_text(each.time), text)
                     : say<"why/busy-with-one">(track, text));
    if (each.inner.track != kNoTrack)
      section.line(say<"why/inside-it">(piece_text(timeline, each.inner)));
    append_samples(section, evidence, longest.track, timeline);
  }
  if (evidence.more_meanwhile != 0)
    section.line(say<"why/more-meanwhile">(Plain(evidence.more_meanwhile)));
}

void append_hurt(std::string& out, const Evidence& evidence, const Timeline& timeline) {
  constexpr std::size_t kMost = 3;
  Section section(out, "hurt");
  const std::size_t shown = std::min(evidence.hurt.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) section.line(piece_text(timeline, evidence.hurt[i]));
  const std::uint64_t more = evidence.more_hurt + (evidence.hurt.size() - shown);
  if (more != 0) section.line(say<"why/more">(more));
  if (evidence.unended_hurt != 0)
    section.line(shown == 0 ? say<"why/still-waiting">(evidence.unended_hurt)
                            : say<"why/more-still-waiting">(evidence.unended_hurt));
}

// "publish -> take, 45.4ms from +0.045775 s on sync_one_to_one"
std::string slice_text(const Timeline& timeline, const FoundSlice& slice) {
  return fmt::format("{}, {} from {} on {}", label_of(timeline, slice.name),
                     duration_text(slice.duration()), since(timeline, slice.begin),
                     place_of(timeline, slice));
}

void append_beside(std::string& out, const FoundBeside& beside, const Timeline& timeline) {
  constexpr std::size_t kMost = 3;
  Section alike(out, "alike");
  for (std::size_t i = 0; i < beside.alike.size() && i < kMost; ++i)
    alike.line(say<"why/alike">(label_of(timeline, beside.alike[i])));
  if (beside.alike.size() > kMost) alike.line(say<"why/more">(beside.alike.size() - kMost));
  Section there(out, "also then");
  for (std::size_t i = 0; i < beside.at_that_time.size() && i < kMost; ++i)
    there.line(slice_text(timeline, beside.at_that_time[i]));
  if (beside.at_that_time.size() > kMost)
    there.line(say<"why/more">(beside.at_that_time.size() - kMost));
  Section open(out, "unended");
  if (beside.longest_ended)
    open.line(say<"why/longest-ended">(slice_text(timeline, *beside.longest_ended)));
  if (beside.left_out == 0) return;
  const std::string oldest = since(timeline, beside.oldest_left_out);
  open.line(beside.are_waits ? say<"why/more-open-waits">(beside.left_out, oldest)
                             : say<"why/more-open-slices">(beside.left_out, oldest));
}

void append_heading(std::string& out, const Evidence& evidence, const Timeline& timeline,
                    const Histogram& durations) {
  const FoundSlice& slice = evidence.slice;
  std::string name = label_of(timeline, slice.name);
  if (!evidence.arguments.empty()) name += fmt::format(" ({})", visible(evidence.arguments));
  const std::string duration = duration_text(slice.duration());
  const std::string place = place_of(timeline, slice);
  const std::string begin = since(timeline, slice.begin);
  out += slice.is_wait ? say<"why/took">(name, duration, place, begin)
                       : say<"why/lasted">(name, duration, place, begin);
  if (slice.is_open) out += say<"why/open">();
  const Plain count(durations.count());
  if (count.number == 0) {
    out += say<"why/none-ended">();
  } else if (count.number == 1 && !slice.is_open) {
    out += say<"why/only-one">();
  } else {
    const std::string median = short_duration(durations.quantile(0.5));
    out += slice.is_open ? say<"why/median-of-ended">(count, median)
                         : say<"why/median">(count, median);
  }
  out += '\n';
}

void append_states(JsonObject& object, std::string_view key,
                   std::span<const Evidence::Spent> states, const Timeline& timeline) {
  JsonArray array(object.key(key));
  for (const Evidence::Spent& each : states) {
    JsonObject state(array.next());
    state.string("name", timeline.name(each.name).label());
    state.string("track", timeline.track(each.track).name);
    if (timeline.track(each.track).tid) state.integer("tid", *timeline.track(each.track).tid);
    if (each.cpu != kNoCpu) state.integer("cpu", std::int64_t{each.cpu});
    state.integer("time", each.time);
    if (each.is_inferred) state.boolean("inferred", true);
    state.end();
  }
  array.end();
}

void append_counters(JsonObject& object, const Evidence& evidence, const Timeline& timeline) {
  JsonArray array(object.key("counted"));
  for (const Evidence::Level& each : evidence.levels) {
    JsonObject level(array.next());
    level.string("track", timeline.track(each.track).name);
    level.integer("least", each.least);
    level.integer("most", each.most);
    level.integer("time_at_most", each.time_at_most);
    level.integer("most_of_trace", each.most_of_trace);
    level.end();
  }
  array.end();
}

void append_meanwhile(JsonObject& object, const Evidence& evidence, const Timeline& timeline) {
  JsonArray array(object.key("meanwhile"));
  for (const Evidence::Busy& each : evidence.meanwhile) {
    JsonObject busy(array.next());
    append_members(busy, each.longest, timeline);
    if (each.inner.track != kNoTrack) append_piece(busy.key("inner"), each.inner, timeline);
    busy.integer("count", each.count);
    busy.integer("time", each.time);
    busy.end();
  }
  array.end();
}

// The rest of `why_json`: what a scheduler, locks and counters say.
void append_causes(JsonObject& object, const Evidence& evidence, const Timeline& timeline) {
  if (evidence.slice.longest_later) object.integer("longest_later", *evidence.slice.longest_later);
  JsonArray origins(object.key("from"));
  for (const Evidence::Origin& each : evidence.origins) {
    JsonObject origin(origins.next());
    origin.string("track", timeline.track(each.track).name);
    origin.integer("time", timeline.absolute(each.time));
    if (each.within != kNoName) origin.string("within", timeline.name(each.within).label());
    origin.end();
  }
  origins.end();
  append_states(object, "states", evidence.states, timeline);
  append_pieces(object, "held", evidence.held, timeline);
  append_states(object, "holder", evidence.holder, timeline);
  append_states(object, "ran", evidence.ran, timeline);
  JsonArray idle(object.key("idle"));
  for (const TrackId each : evidence.idle)
    append_json_string(idle.next(), timeline.track(each).name);
  idle.end();
  append_counters(object, evidence, timeline);
}

}  // namespace

std::string why_text(const Evidence& evidence, const Timeline& timeline, const Histogram& durations,
                     const FoundBeside& beside) {
  const FoundSlice& slice = evidence.slice;
  std::string out;
  append_heading(out, evidence, timeline, durations);
  append_beside(out, beside, timeline);
  Section gaps(out, "not known");
  for (const Piece& piece : evidence.gaps) gaps.line(piece_text(timeline, piece));
  append_first(out, slice);
  if (!slice.is_state && !evidence.states.empty())
    Section(out, "state").line(states_text(timeline, evidence.states));
  Section held(out, "held");
  for (const Piece& piece : evidence.held)
    held.line(fmt::format("{}: {}", track_of(timeline, piece.track), piece_text(timeline, piece)));
  if (!evidence.holder.empty())
    held.line(fmt::format("{}: {}", track_of(timeline, evidence.holder.front().track),
                          states_text(timeline, evidence.holder)));
  append_processors(out, evidence, timeline);
  append_levels(out, evidence, timeline);
  Section waited(out, "waited");
  for (const Piece& piece : evidence.waited) waited.line(piece_text(timeline, piece));
  append_origins(out, evidence, timeline);
  Section around(out, "within");
  for (const Piece& piece : evidence.around) around.line(piece_text(timeline, piece));
  append_inside(out, evidence, timeline);
  Section samples(out, "samples");
  // Those of a wait's track are of what was on it.
  if (!slice.is_wait) append_samples(samples, evidence, slice.track, timeline);
  append_meanwhile(out, evidence, timeline);
  append_hurt(out, evidence, timeline);
  const std::string so = conclusion(evidence, timeline, durations);
  if (!so.empty()) {
    Section(out, "so").line(visible(so));
    return out;
  }
  out += fmt::format("  {}\n", not_concluded_text(why_not_concluded(evidence, durations)));
  return out;
}

std::string why_json(const Evidence& evidence, const Timeline& timeline, const Histogram& durations,
                     const FoundBeside& beside) {
  const FoundSlice& slice = evidence.slice;
  TextBuffer out;
  JsonObject object(out);
  object.boolean("found", true);
  object.string("kind", slice.is_state ? "state" : slice.is_wait ? "wait" : "slice");
  object.string("name", timeline.name(slice.name).label());
  object.string("track", timeline.track(slice.track).name);
  object.integer("begin", timeline.absolute(slice.begin));
  object.integer("duration", slice.duration());
  if (slice.is_open) object.boolean("open_at_end", true);
  if (!evidence.arguments.empty()) object.string("arguments", evidence.arguments);
  object.integer("of", durations.count());
  if (durations.count() != 0)
    object.integer("median", static_cast<std::uint64_t>(std::llround(durations.quantile(0.5))));
  if (!beside.alike.empty()) {
    JsonArray alike(object.key("alike"));
    for (const NameId each : beside.alike)
      append_json_string(alike.next(), timeline.name(each).label());
    alike.end();
  }
  if (beside.left_out != 0) {
    object.integer("left_out", beside.left_out);
    object.integer("oldest_left_out", timeline.absolute(beside.oldest_left_out));
  }
  if (beside.longest_ended)
    append_slices(object, "longest_ended", std::span(&*beside.longest_ended, 1), timeline);
  append_slices(object, "at_that_time", beside.at_that_time, timeline);
  append_pieces(object, "not_known", evidence.gaps, timeline);
  append_pieces(object, "waited", evidence.waited, timeline);
  append_pieces(object, "within", evidence.around, timeline);
  append_pieces(object, "inside", evidence.inside, timeline);
  object.integer("more_inside", evidence.more_inside);
  object.integer("more_meanwhile", evidence.more_meanwhile);
  JsonArray samples(object.key("samples"));
  for (const Evidence::Sample& each : evidence.samples) {
    JsonObject sample(samples.next());
    sample.string("name", timeline.name(each.name).label());
    sample.string("track", timeline.track(each.track).name);
    sample.integer("count", each.count);
    sample.integer("first", timeline.absolute(each.first));
    JsonArray stack(sample.key("stack"));
    for (const std::string& frame : each.stack) append_json_string(stack.next(), frame);
    stack.end();
    if (std::ranges::any_of(each.places, [](const std::string& place) { return !place.empty(); })) {
      JsonArray places(sample.key("places"));
      for (const std::string& place : each.places) append_json_string(places.next(), place);
      places.end();
    }
    sample.end();
  }
  samples.end();
  append_meanwhile(object, evidence, timeline);
  append_pieces(object, "hurt", evidence.hurt, timeline);
  object.integer("more_hurt", evidence.more_hurt);
  if (evidence.unended_hurt != 0) object.integer("unended_hurt", evidence.unended_hurt);
  append_causes(object, evidence, timeline);
  if (evidence.on_processor != 0) object.integer("on_processor", evidence.on_processor);
  if (evidence.off_processor != 0) object.integer("off_processor", evidence.off_processor);
  const std::string so = conclusion(evidence, timeline, durations);
  if (so.empty())
    object.string("not_concluded", not_concluded_word(why_not_concluded(evidence, durations)));
  else
    object.string("so", so);
  object.end();
  out.append('\n');
  return std::string(out.view());
}

std::string why_nothing_json(std::string_view reason) {
  TextBuffer out;
  JsonObject object(out);
  object.boolean("found", false);
  object.string("reason", reason);
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::timeline
