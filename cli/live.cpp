#include "cli/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/observer.hpp"
#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::cli {
namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::string check_live_operand(const Options& options, const std::string& operand) {
  if (io::is_live_address(operand)) {
    const auto address = io::parse_live_address(operand);
    return address ? "" : address.error().message;
  }
  if (operand == "-") {
    return options.follow ? "option '--follow' needs names; standard input is read as it comes "
                            "without it"
                          : "";
  }
  if (is_directory(operand)) {
    return fmt::format("'{}' is a directory; only files and devices go with live TRACEs", operand);
  }
  return {};
}

Result<std::unique_ptr<io::InputSequence>> open_sequence(const Options& options,
                                                         const std::string& operand,
                                                         io::LiveNewsSink news,
                                                         std::stop_token stop) {
  const bool frames_span =
      options.format != nullptr && options.format->info().frames_span_datagrams;
  const io::LiveOptions live{.news = std::move(news), .datagrams_apart = !frames_span};
  if (io::is_live_address(operand)) {
    const auto address = io::parse_live_address(operand);
    if (!address) return std::unexpected(address.error());
    return io::open_live(*address, live, std::move(stop));
  }
  if (options.follow) return io::follow(operand, live, std::move(stop));
  return io::once(operand, std::move(stop));
}

// The events of all traces that come from one place.
class LiveSource final : public RecordSource {
 public:
  LiveSource(const flow::PipelineContext& context, LiveTraces& traces, LiveReport& report)
      : context_(context), traces_(traces), report_(report) {}

  Result<BatchPtr> next() override {
    while (source_ != nullptr || begin_next()) {
      auto batch = source_->next();
      if (batch && *batch != nullptr) return batch;
      if (!batch) tell(batch.error());
      source_.reset();
    }
    return nullptr;
  }

 private:
  // Waits for the next trace that can be read. False: there is none.
  bool begin_next() {
    for (;;) {
      auto found = traces_.next(context_.options.format);
      if (found && !*found) return false;
      if (!found) {
        tell(found.error());
        continue;
      }
      flow::TraceSource trace(context_, traces_.place(), {});
      if (auto opened = trace.try_open(*std::move(*found)); !opened) {
        tell(opened.error());
        continue;
      }
      source_ = std::move(trace.take_sources(false, true).front());
      return true;
    }
  }

  void tell(const Error& error) {
    if (context_.stop.stop_requested()) return;
    if (traces_.repeats()) return report_.refuse(error);
    report_.fail(error);
  }

  const flow::PipelineContext& context_;
  LiveTraces& traces_;
  LiveReport& report_;
  std::unique_ptr<RecordSource> source_;
};

// A live trace that was found, or why it was not.
Result<std::unique_ptr<flow::SingleTrace>> open_single(const flow::PipelineContext& context,
                                                       const flow::TracePlace& place,
                                                       Result<std::optional<FoundTrace>> found) {
  if (!found) return std::unexpected(std::move(found.error()));
  auto trace = std::make_unique<flow::TraceSource>(context, place, flow::TraceReading{});
  if (auto opened = trace->try_open(*std::move(*found)); !opened)
    return std::unexpected(std::move(opened.error()));
  return std::make_unique<flow::SingleTrace>(context, std::move(trace));
}

}  // namespace

std::string check_live(const Options& options) {
  const std::vector<std::string>& operands = options.operands;
  if (!options.follow && std::ranges::none_of(operands, io::is_live_address)) return {};
  for (const std::string& operand : operands) {
    if (std::string wrong = check_live_operand(options, operand); !wrong.empty()) return wrong;
  }
  if (options.format != nullptr && !options.format->info().directory_hint.empty()) {
    return fmt::format("a {} trace is a directory, which cannot come live",
                       options.format->info().name);
  }
  if (options.order_given && options.selection.order != flow::Order::kRecorded)
    return "option '--order' does not go with live TRACEs, whose events come in order of arrival";
  return {};
}

void LiveReport::news(io::LiveNews what, const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  switch (what) {
    case io::LiveNews::kListening:
    case io::LiveNews::kChange:
      return session_.diagnostics.note(sentence);
    case io::LiveNews::kPeer:
      return session_.diagnostics.detail(sentence);
    case io::LiveNews::kCut:
      outcome_.note(ExitCode::kDamage);
      return session_.diagnostics.error(sentence);
    case io::LiveNews::kDropped:
      if (options_.strict) outcome_.note(ExitCode::kDamage);
      return session_.diagnostics.note(sentence);
  }
}

void LiveReport::refuse(const Error& error) {
  const std::lock_guard lock(mutex_);
  outcome_.note(ExitCode::kDamage);
  // Somebody who keeps sending what is no trace shall not fill a log.
  constexpr std::uint64_t kToldSingly = 16;
  if (++refused_ <= kToldSingly) return session_.diagnostics.error(error);
  if (!std::has_single_bit(refused_)) return;
  session_.diagnostics.error(fmt::format(
      "{}: {} inputs so far could not be read; not each is told any more", error.input, refused_));
}

void LiveReport::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  session_.diagnostics.error(error);
  outcome_.note(exit_code_of(error));
}

void LiveReport::opened(const TraceDescription& description) {
  const std::lock_guard lock(mutex_);
  session_.diagnostics.detail(fmt::format("{}: {}, version {}", description.input(),
                                          description.format(), description.version()));
}

void LiveReport::conclude() { session_.outcome.note(outcome_.code()); }

Result<std::optional<FoundTrace>> LiveTraces::next(const Format* format) {
  if (put_back_) return std::exchange(put_back_, std::nullopt);
  while (!ended_ && !stop_.stop_requested()) {
    Result<std::unique_ptr<io::Input>> input = sequence_->next();
    ended_ = !input || *input == nullptr;
    if (!input) return std::unexpected(std::move(input.error()));
    if (*input == nullptr) break;
    auto found = find(std::move(*input), format);
    if (stop_.stop_requested() && !found) break;
    if (!found || *found) return found;
  }
  return std::nullopt;
}

Result<std::optional<FoundTrace>> LiveTraces::find(std::unique_ptr<io::Input> input,
                                                   const Format* format) const {
  // Wait for its first byte, to see whether there is any.
  std::vector<std::uint8_t> head(1);
  const Result<std::size_t> got = input->read(head.data(), head.size());
  if (!got && sequence_->repeats()) return std::unexpected(got.error());
  head.resize(got.value_or(0));
  if (head.empty() && (sequence_->repeats() || input->stopped())) return std::nullopt;
  input = io::prefix_input(std::move(head), std::move(input));
  if (sequence_->may_be_compressed()) {
    auto seen = io::see_through_compression(std::move(input));
    if (!seen) return std::unexpected(std::move(seen.error()));
    input = std::move(*seen);
  }
  auto found = find_trace(std::move(input), format);
  if (!found) return std::unexpected(std::move(found.error()));
  return std::move(*found);
}

Live::Live(const Options& options, Session& session, flow::Needs needs,
           const std::vector<flow::TracePlace>& places)
    : report_(options, session),
      forward_(session.stop, Forward{stop_}),
      context_{pipeline_options(options, needs), report_, token()} {
  for (const flow::TracePlace& place : places) {
    if (place.failure) {
      report_.fail(*place.failure);
      continue;
    }
    const auto news = [this](io::LiveNews what, const std::string& sentence) {
      report_.news(what, sentence);
    };
    auto sequence = open_sequence(options, place.operand, news, token());
    if (sequence) {
      traces_.push_back(std::make_unique<LiveTraces>(place, std::move(*sequence), token()));
    } else if (!session.stop.stop_requested()) {
      report_.fail(sequence.error());
    }
  }
}

Live::~Live() {
  traces_.clear();
  report_.conclude();
}

bool Live::several() const {
  const auto listens = [](const auto& traces) {
    const auto address = io::parse_live_address(traces->place().operand);
    return address && address->kind == io::LiveKind::kTcpListen;
  };
  return traces_.size() > 1 || std::ranges::any_of(traces_, listens);
}

std::vector<std::unique_ptr<RecordSource>> Live::sources() {
  std::vector<std::unique_ptr<RecordSource>> sources;
  for (const auto& traces : traces_) {
    sources.push_back(std::make_unique<LiveSource>(context_, *traces, report_));
  }
  return sources;
}

void for_each_live_trace(Live& live, const Options& options, Session& session, flow::Needs needs,
                         const LookAtTrace& look) {
  SessionObserver observer(session);
  const flow::PipelineContext context{pipeline_options(options, needs), observer, session.stop};
  for (const auto& traces : live.traces()) {
    for (;;) {
      auto found = traces->next(options.format);
      if (found && !*found) break;
      auto trace = open_single(context, traces->place(), std::move(found));
      // What a stop cut off is no trace that is wrong.
      if (!trace && session.stop.stop_requested()) break;
      if (!look(traces->place(), std::move(trace))) return;
    }
  }
}

}  // namespace tracedeck::cli
