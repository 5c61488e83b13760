#include "tracedeck/flow/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "tracedeck/flow/serve.hpp"
#include "tracedeck/flow/symbols.hpp"
#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::flow {
namespace {

Result<std::unique_ptr<io::InputSequence>> open_sequence(const PipelineContext& context,
                                                         const TracePlace& place) {
  const PipelineOptions& options = context.options;
  const bool frames_span =
      options.format != nullptr && options.format->info().frames_span_datagrams;
  PipelineObserver* const observer = &context.observer;
  const io::LiveOptions live{
      .news = [observer](io::LiveNews what,
                         const std::string& sentence) { observer->news(what, sentence); },
      .datagrams_apart = !frames_span,
      .stall_limit = options.stall_limit,
      .baud = options.baud};
  const std::string& operand =
      place.has_core_files() ? place.core_files.front().path : place.operand;
  if (io::is_live_address(operand)) {
    const auto address = io::parse_live_address(operand);
    if (!address) return std::unexpected(address.error());
    return io::open_live(*address, live, context.stop);
  }
  if (options.follow) return io::follow(operand, live, context.stop);
  return io::once(operand, context.stop);
}

// Why no data stream can be read with the metadata that are given, if so: nobody should have to
// connect to show it.
std::optional<Error> rejects_metadata(const PipelineOptions& options) {
  if (options.metadata == nullptr || options.format == nullptr) return std::nullopt;
  ReadOptions reading;
  reading.metadata = options.metadata;
  const auto reader = options.format->open(io::memory_input(options.metadata->name, {}), reading);
  if (!reader) return reader.error();
  for (;;) {
    const Result<BatchPtr> batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) return std::nullopt;
  }
}

// Hands on what several threads report, one call after the other.
class InTurnObserver final : public PipelineObserver {
 public:
  explicit InTurnObserver(PipelineObserver& to) : to_(to) {}

  void failed(const Error& error) override { call(&PipelineObserver::failed, error); }
  void refused(const Error& error) override { call(&PipelineObserver::refused, error); }
  void opened(const TraceDescription& trace) override { call(&PipelineObserver::opened, trace); }
  void progress(double part) override { call(&PipelineObserver::progress, part); }
  void note(const std::string& sentence) override { call(&PipelineObserver::note, sentence); }
  void selected_nothing(const NothingSelected& what) override {
    call(&PipelineObserver::selected_nothing, what);
  }
  void news(io::LiveNews what, const std::string& sentence) override {
    call(&PipelineObserver::news, what, sentence);
  }

 private:
  template <class Member, class... Arguments>
  void call(Member member, const Arguments&... arguments) {
    const std::lock_guard lock(mutex_);
    (to_.*member)(arguments...);
  }

  std::mutex mutex_;
  PipelineObserver& to_;
};

// The events of one trace that came.
class LiveSource final : public RecordSource {
 public:
  LiveSource(const PipelineContext& context, const LiveTraces& traces, Arrived arrived)
      : context_(context), traces_(traces), arrived_(std::move(arrived)) {}

  Result<BatchPtr> next() override {
    if (arrived_) begin(*std::exchange(arrived_, std::nullopt));
    if (source_ == nullptr) return nullptr;
    auto batch = source_->next();
    if (batch && *batch != nullptr) return batch;
    if (!batch) traces_.report_error(batch.error());
    source_.reset();
    return nullptr;
  }

 private:
  void begin(Arrived arrived) {
    auto trace = open_arrived(context_, traces_, std::move(arrived));
    if (!trace) return traces_.report_error(trace.error());
    if (*trace == nullptr) return;
    source_ = std::move((*trace)->take_sources(false, true).front());
  }

  const PipelineContext& context_;
  const LiveTraces& traces_;
  std::optional<Arrived> arrived_;
  RecordSourcePtr source_;
};

class LiveFeed final : public SourceFeed {
 public:
  LiveFeed(const PipelineContext& context, LiveTraces& traces)
      : context_(context), traces_(traces) {}

  std::unique_ptr<RecordSource> next() override {
    auto arrived = traces_.wait();
    if (!arrived) return nullptr;
    return std::make_unique<LiveSource>(context_, traces_, *std::move(arrived));
  }
  std::size_t at_once() const override { return traces_.at_once(); }
  void all_at_work() override { traces_.report_limit(); }

 private:
  const PipelineContext& context_;
  LiveTraces& traces_;
};

}  // namespace

bool are_live(const std::vector<TracePlace>& places) {
  return std::ranges::any_of(places, &TracePlace::live);
}

Result<void> check_live_operand(const std::string& operand, bool follow) {
  if (io::is_live_address(operand)) {
    const auto address = io::parse_live_address(operand);
    return address ? Result<void>() : std::unexpected(address.error());
  }
  std::error_code ignored;
  if (operand == "-") {
    if (!follow) return {};
    return fail(ErrorCode::kInvalidArgument,
                "what is followed needs a name; standard input is read as it comes without that");
  }
  if (!std::filesystem::is_directory(operand, ignored)) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("'{}' is a directory; only files and devices go with live traces", operand));
}

Result<std::unique_ptr<LiveTraces>> LiveTraces::open(const PipelineContext& context,
                                                     TracePlace place) {
  if (place.failure) return std::unexpected(*place.failure);
  if (auto checked = check_live_operand(place.operand, context.options.follow); !checked)
    return std::unexpected(std::move(checked.error()));
  auto sequence = open_sequence(context, place);
  if (!sequence) return std::unexpected(std::move(sequence.error()));
  place.symbols = symbols_of(place, std::make_shared<const PipelineContext>(context));
  return std::unique_ptr<LiveTraces>(
      new LiveTraces(context, std::move(place), *std::move(sequence)));
}

std::optional<Arrived> LiveTraces::wait() {
  if (put_back_) return Arrived{.found = std::exchange(put_back_, std::nullopt)};
  if (ended_) return std::nullopt;
  Result<std::unique_ptr<io::Input>> input = sequence_->next();
  ended_ = !input || *input == nullptr;
  if (!input) context_.observer.failed(input.error());
  if (ended_) return std::nullopt;
  return Arrived{.input = std::move(*input)};
}

LiveTraces::~LiveTraces() {
  if (unread_datagrams_ < 2) return;
  context_.observer.news(
      io::LiveNews::kDropped,
      fmt::format("{}: {} datagrams in all could not be read", place_.operand, unread_datagrams_));
}

void LiveTraces::serve(const std::function<void(Arrived)>& work) {
  const auto next = [&]() -> Job {
    auto arrived = wait();
    if (!arrived) return {};
    return
        [&work, each = std::make_shared<Arrived>(*std::move(arrived))] { work(std::move(*each)); };
  };
  flow::serve({.next = next, .all_at_work = [this] { report_limit(); }}, at_once());
}

Result<std::optional<FoundTrace>> LiveTraces::recognise(Arrived arrived,
                                                        const Format* format) const {
  if (arrived.found) return std::move(arrived.found);
  std::unique_ptr<io::Input> input = std::move(arrived.input);
  // Wait for its first byte, to see whether there is any.
  std::vector<std::uint8_t> head(1);
  const Result<std::size_t> got = input->read(head.data(), head.size());
  if (!got && sequence_->repeats()) return std::unexpected(got.error());
  head.resize(got.value_or(0));
  input->set_midway(true);
  if (head.empty() && (sequence_->repeats() || input->stopped())) return std::nullopt;
  input = io::prefix_input(std::move(head), std::move(input));
  if (!sequence_->has_datagrams()) {
    auto seen = io::see_through_compression(std::move(input));
    if (!seen) return std::unexpected(std::move(seen.error()));
    input = std::move(*seen);
  }
  auto found = find_trace(std::move(input), place_.format != nullptr ? place_.format : format);
  if (!found) return std::unexpected(std::move(found.error()));
  if (place_.has_core_files()) found->core = place_.core_files.front().core;
  return std::move(*found);
}

void LiveTraces::report_error(const Error& error) const {
  if (context_.stop.stop_requested()) {
    context_.observer.news(io::LiveNews::kDropped,
                           "stopped before it could be read: " + error.to_string());
  } else if (sequence_->has_datagrams()) {
    // Anybody can send them, and many.
    if (unread_datagrams_++ != 0) return;
    context_.observer.refused(error);
  } else if (sequence_->repeats()) {
    context_.observer.refused(error);
  } else {
    context_.observer.failed(error);
  }
}

void LiveTraces::report_limit() const {
  // Nobody waits for what ends anyway, nor where one follows the other.
  if (at_once() == 1 || context_.stop.stop_requested() || reported_limit_.exchange(true)) return;
  context_.observer.news(
      io::LiveNews::kChange,
      fmt::format("{}: {} peers are served; further ones wait until one of them disconnects",
                  place_.operand, at_once()));
}

Result<std::unique_ptr<TraceSource>> open_arrived(const PipelineContext& context,
                                                  const LiveTraces& traces, Arrived arrived) {
  auto found = traces.recognise(std::move(arrived), context.options.format);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return nullptr;
  auto trace = std::make_unique<TraceSource>(context, traces.place(), TraceReading{});
  if (auto opened = trace->try_open(*std::move(*found)); !opened)
    return std::unexpected(std::move(opened.error()));
  return trace;
}

Live::Live(PipelineOptions options, PipelineObserver& observer, std::stop_token stop,
           std::vector<TracePlace> places)
    : observer_(std::make_unique<InTurnObserver>(observer)),
      forward_(std::move(stop), Forward{stop_}),
      context_{std::move(options), *observer_, stop_.get_token()} {
  if (const auto wrong = rejects_metadata(context_.options)) {
    observer_->failed(*wrong);
    return;
  }
  for (TracePlace& place : places) {
    auto traces = LiveTraces::open(context_, std::move(place));
    if (traces) {
      traces_.push_back(*std::move(traces));
    } else if (!context_.stop.stop_requested()) {
      observer_->failed(traces.error());
    }
  }
}

bool Live::several() const {
  const auto listens = [](const auto& traces) {
    const auto address = io::parse_live_address(traces->place().operand);
    return address && address->kind == io::LiveKind::kTcpListen;
  };
  return traces_.size() > 1 || std::ranges::any_of(traces_, listens);
}

std::vector<std::unique_ptr<SourceFeed>> Live::feeds() {
  std::vector<std::unique_ptr<SourceFeed>> feeds;
  for (const auto& traces : traces_) feeds.push_back(std::make_unique<LiveFeed>(context_, *traces));
  return feeds;
}

}  // namespace tracedeck::flow
