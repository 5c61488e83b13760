#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tracedeck/render/json_object.hpp"
#include "tracedeck/render/visible.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

using Piece = Evidence::Piece;

// A name where a person reads it.
std::string label_of(const Timeline& timeline, NameId id) {
  return render::visible(timeline.name(id).label());
}

std::string track_of(const Timeline& timeline, TrackId id) {
  return render::visible(timeline.track(id).name);
}

std::string since(const Timeline& timeline, std::int64_t time) {
  return fmt::format("{:+.6f} s", static_cast<double>(time - timeline.begin()) / 1e9);
}

std::string duration_text(std::int64_t duration) {
  return short_duration(static_cast<double>(duration));
}

std::string stack_text(const Evidence::Sample& sample) {
  std::vector<std::string> shown;
  for (const std::string& frame : sample.stack) shown.push_back(render::visible(frame));
  return fmt::format("{}", fmt::join(shown, " < "));
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

// What is concluded, only where all of it was seen.
struct Pattern {
  std::string_view outer;  // a function in a stack of a sample
  std::string_view inner;  // and one that it calls, directly or not
  std::string_view sentence;
};
constexpr auto kPatterns = std::to_array<Pattern>({
    {"expand_fdtable", "synchronize_rcu",
     "the kernel enlarged the process's table of file descriptors and waited for an RCU grace "
     "period"},
});

std::string_view conclusion(const Evidence& evidence) {
  for (const Pattern& pattern : kPatterns) {
    for (const Evidence::Sample& sample : evidence.samples) {
      if (sample.track != evidence.slice.track) continue;
      const auto inner = std::ranges::find(sample.stack, pattern.inner);
      if (inner != sample.stack.end() &&
          std::find(inner, sample.stack.end(), pattern.outer) != sample.stack.end())
        return pattern.sentence;
    }
  }
  return {};
}

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
    section.line(fmt::format("{}: {}   ({} sample{})", label_of(timeline, samples[i]->name),
                             stack_text(*samples[i]), samples[i]->count,
                             samples[i]->count == 1 ? "" : "s"));
  }
}

std::string piece_text(const Timeline& timeline, const Piece& piece) {
  std::string text =
      fmt::format("{}, {} from {}", label_of(timeline, piece.name),
                  duration_text(piece.end - piece.begin), since(timeline, piece.begin));
  if (!piece.arguments.empty()) text += "  " + render::visible(piece.arguments);
  return text;
}

void append_piece(render::TextBuffer& out, const Piece& piece, const Timeline& timeline) {
  render::JsonObject object(out);
  object.string("name", timeline.name(piece.name).label());
  object.string("track", timeline.track(piece.track).name);
  object.integer("begin", piece.begin);
  object.integer("duration", piece.end - piece.begin);
  if (!piece.arguments.empty()) object.string("arguments", piece.arguments);
  object.end();
}

void append_pieces(render::JsonObject& object, std::string_view key, std::span<const Piece> pieces,
                   const Timeline& timeline) {
  render::JsonArray array(object.key(key));
  for (const Piece& piece : pieces) append_piece(array.next(), piece, timeline);
  array.end();
}

}  // namespace

std::string why_text(const Evidence& evidence, const Timeline& timeline,
                     const Histogram& durations) {
  const FoundSlice& slice = evidence.slice;
  std::string out = fmt::format(
      "{}{}{} {} on {} from {}; the median of {} such is {}\n", label_of(timeline, slice.name),
      evidence.arguments.empty() ? "" : " (" + render::visible(evidence.arguments) + ")",
      slice.is_wait ? " took" : " lasted", duration_text(slice.duration()),
      track_of(timeline, slice.track), since(timeline, slice.begin), durations.count(),
      short_duration(durations.quantile(0.5)));
  Section gaps(out, "not known");
  for (const Piece& piece : evidence.gaps) gaps.line(piece_text(timeline, piece));
  Section waited(out, "waited");
  for (const Piece& piece : evidence.waited) waited.line(piece_text(timeline, piece));
  Section around(out, "within");
  for (const Piece& piece : evidence.around) around.line(piece_text(timeline, piece));
  Section inside(out, "inside");
  for (const Piece& piece : evidence.inside) inside.line(piece_text(timeline, piece));
  if (evidence.more_inside != 0)
    inside.line(fmt::format("and {} shorter ones", evidence.more_inside));
  Section samples(out, "samples");
  append_samples(samples, evidence, slice.track, timeline);
  Section meanwhile(out, "meanwhile");
  for (const Piece& piece : evidence.meanwhile) {
    meanwhile.line(
        fmt::format("{}: {}", track_of(timeline, piece.track), piece_text(timeline, piece)));
    append_samples(meanwhile, evidence, piece.track, timeline);
  }
  Section hurt(out, "hurt");
  for (const Piece& piece : evidence.hurt) hurt.line(piece_text(timeline, piece));
  if (evidence.more_hurt != 0) hurt.line(fmt::format("and {} more", evidence.more_hurt));
  const std::string_view so = conclusion(evidence);
  if (!so.empty()) Section(out, "so").line(std::string(so));
  return out;
}

std::string why_json(const Evidence& evidence, const Timeline& timeline,
                     const Histogram& durations) {
  const FoundSlice& slice = evidence.slice;
  render::TextBuffer out;
  render::JsonObject object(out);
  object.string("kind", slice.is_wait ? "wait" : "slice");
  object.string("name", timeline.name(slice.name).label());
  object.string("track", timeline.track(slice.track).name);
  object.integer("begin", slice.begin);
  object.integer("duration", slice.duration());
  if (!evidence.arguments.empty()) object.string("arguments", evidence.arguments);
  object.integer("of", durations.count());
  object.integer("median", static_cast<std::uint64_t>(std::llround(durations.quantile(0.5))));
  append_pieces(object, "not_known", evidence.gaps, timeline);
  append_pieces(object, "waited", evidence.waited, timeline);
  append_pieces(object, "within", evidence.around, timeline);
  append_pieces(object, "inside", evidence.inside, timeline);
  object.integer("more_inside", evidence.more_inside);
  render::JsonArray samples(object.key("samples"));
  for (const Evidence::Sample& each : evidence.samples) {
    render::JsonObject sample(samples.next());
    sample.string("name", timeline.name(each.name).label());
    sample.string("track", timeline.track(each.track).name);
    sample.integer("count", each.count);
    sample.integer("first", each.first);
    render::JsonArray stack(sample.key("stack"));
    for (const std::string& frame : each.stack) render::append_json_string(stack.next(), frame);
    stack.end();
    sample.end();
  }
  samples.end();
  append_pieces(object, "meanwhile", evidence.meanwhile, timeline);
  append_pieces(object, "hurt", evidence.hurt, timeline);
  object.integer("more_hurt", evidence.more_hurt);
  const std::string_view so = conclusion(evidence);
  if (!so.empty()) object.string("so", so);
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::timeline
