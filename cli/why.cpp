#include "tracedeck/timeline/why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/places.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/timeline/mark_tee.hpp"
#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck::cli {
namespace {

// The page of a slice: what was before it and behind it for as long as it took, and the answer.
class PageOfSlice {
 public:
  using Answer = std::function<std::string(const timeline::Timeline&)>;

  PageOfSlice(io::Output& output, const Options& options, const timeline::FoundSlice& slice,
              Answer answer)
      : page_(page::make_page(output, settings(options, slice, std::move(answer)))),
        window_(*page_) {
    window_.begin_at(begin_of(slice));
    window_.end_at(end_of(slice));
  }

  [[nodiscard]] timeline::MarkSink& sink() { return window_; }

 private:
  // Around a slice that took no time there is some to see too.
  static constexpr std::int64_t kLeastRoom = 10'000;

  static std::int64_t room(const timeline::FoundSlice& slice) {
    return std::max(slice.duration(), kLeastRoom);
  }
  static std::int64_t begin_of(const timeline::FoundSlice& slice) {
    std::int64_t begin = 0;
    return __builtin_sub_overflow(slice.begin, room(slice), &begin) ? slice.begin : begin;
  }
  static std::int64_t end_of(const timeline::FoundSlice& slice) {
    std::int64_t end = 0;
    return __builtin_add_overflow(slice.end, room(slice), &end) ? slice.end : end;
  }

  static page::PageOptions settings(const Options& options, const timeline::FoundSlice& slice,
                                    Answer answer) {
    return {.title = fmt::format("{}", fmt::join(options.operands, ", ")),
            .notice = "a part of the trace: what goes on before or behind it is cut",
            .begin = begin_of(slice),
            .end = end_of(slice),
            .answer = std::move(answer),
            .chosen = page::ChosenSlice{.is_wait = slice.is_wait,
                                        .track = slice.track,
                                        .name = slice.name,
                                        .begin = slice.begin,
                                        .end = slice.end}};
  }

  std::unique_ptr<timeline::MarkSink> page_;
  timeline::MarkWindow window_;
};

// Where the page goes, if one is wanted.
struct PageFile {
  std::unique_ptr<io::Output> file = {};
  std::optional<PageOfSlice> page = {};

  void discard() {
    if (file != nullptr) file->discard();
  }
};

}  // namespace

std::string check_why(Options& options) {
  if (options.why_longest.empty() && options.why_slice.empty() && !options.why_at)
    return "needs one of --longest NAME, --slice NAME (with --rank N), and --at T";
  if (!options.why_slice.empty() && (!options.why_longest.empty() || options.why_at))
    return "takes --slice alone: --longest NAME is the first of them, and goes with --at T too";
  if (options.why_rank != 1 && options.why_slice.empty())
    return "option '--rank' goes with --slice";
  if (std::string wrong = check_read_again(options, "'why'"); !wrong.empty()) return wrong;
  if (options.out.empty()) return {};
  const OutputKind* const kind = output_of_name(options.out);
  if (kind == nullptr || kind->name != "html")
    return "option '-o' writes a page: a name that ends in .html is wanted";
  options.to = kind->name;
  return check_places(options);
}

void run_why(const Options& options, Session& session) {
  auto finder = timeline::SliceFinder::make(
      {.name = options.why_slice.empty() ? options.why_longest : options.why_slice,
       .rank = options.why_rank,
       .track = options.why_track});
  if (!finder) return session.report(finder.error());
  // Times are resolved as those of --begin are.
  Options first = options;
  first.tables = timeline::with_priorities(options.tables);
  if (options.why_at) first.selection.begin = options.why_at;
  const Interpreted found =
      interpret(first, session, [&](const MarksAhead& ahead) -> timeline::MarkSink& {
        if (options.why_at) finder->look_at(ahead.begin);
        return *finder;
      });
  if (found.cut_short) return report_no_answer(session);
  if (found.interpreter == nullptr) return;
  const auto slice = finder->found();
  if (!slice) {
    const std::string reason = finder->nothing(found.interpreter->timeline());
    session.diagnostics.note(reason);
    // A moment alone is a selection, and what has no such name is the answer.
    if (!options.why_at || !options.why_longest.empty()) session.outcome.note(ExitCode::kNegative);
    if (options.json) print(session, timeline::why_nothing_json(reason));
    return;
  }
  timeline::SliceWitness witness(*slice);
  const auto text = [&](const timeline::Timeline& line) {
    return timeline::why_text(witness.evidence(), line, finder->durations(), finder->beside());
  };
  PageFile page;
  if (!options.out.empty()) {
    page.file = create_output_file(options.out, session);
    if (page.file == nullptr) return;
    page.page.emplace(*page.file, options, *slice, text);
  }
  std::optional<timeline::MarkTee> both;
  if (page.page) both.emplace(witness, page.page->sink());
  Options again = options;
  again.tables = first.tables;
  again.again = true;
  const Interpreted seen = interpret(
      again, session,
      [&](const MarksAhead&) -> timeline::MarkSink& {
        if (both) return *both;
        return witness;
      },
      flow::Needs::Symbols::kAll);
  if (seen.cut_short) report_no_answer(session);
  if (seen.interpreter == nullptr || seen.cut_short) return page.discard();
  const timeline::Timeline& timeline = seen.interpreter->timeline();
  print(session, options.json ? timeline::why_json(witness.evidence(), timeline,
                                                   finder->durations(), finder->beside())
                              : text(timeline));
  if (page.file != nullptr) session.delivered(page.file->finish());
}

}  // namespace tracedeck::cli
