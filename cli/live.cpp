#include "cli/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/observer.hpp"
#include "tracedeck/flow/serve.hpp"
#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::cli {
namespace {

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
  if (std::error_code ignored; std::filesystem::is_directory(operand, ignored)) {
    return fmt::format("'{}' is a directory; only files and devices go with live TRACEs", operand);
  }
  return {};
}

Result<std::unique_ptr<io::InputSequence>> open_sequence(const Options& options,
                                                         const flow::TracePlace& place,
                                                         io::LiveNewsSink news,
                                                         std::stop_token stop) {
  const bool frames_span =
      options.format != nullptr && options.format->info().frames_span_datagrams;
  const io::LiveOptions live{
      .news = std::move(news), .datagrams_apart = !frames_span, .baud = options.baud};
  const std::string& operand =
      place.has_core_files() ? place.core_files.front().path : place.operand;
  if (io::is_live_address(operand)) {
    const auto address = io::parse_live_address(operand);
    if (!address) return std::unexpected(address.error());
    return io::open_live(*address, live, std::move(stop));
  }
  if (options.follow) return io::follow(operand, live, std::move(stop));
  return io::once(operand, std::move(stop));
}

// Why no data stream can be read with the metadata that are given, if so: nobody should have to
// connect to show it.
std::optional<Error> rejects_metadata(const Options& options) {
  if (options.given_metadata == nullptr) return std::nullopt;
  ReadOptions reading;
  reading.metadata = options.given_metadata;
  const auto reader =
      options.format->open(io::memory_input(options.given_metadata->name, {}), reading);
  if (!reader) return reader.error();
  for (;;) {
    const Result<BatchPtr> batch = (*reader)->next();
    if (!batch) return batch.error();
    if (*batch == nullptr) return std::nullopt;
  }
}

// What the sources of one place share.
struct LivePlace {
  const flow::PipelineContext& context;
  Live& live;
  LiveTraces& traces;
};

// Opens what came. Null: it brought no byte. Errors: those of recognising and opening it.
Result<std::unique_ptr<flow::TraceSource>> open_arrived(const flow::PipelineContext& context,
                                                        const LiveTraces& traces, Arrived arrived) {
  auto found = traces.recognise(std::move(arrived), context.options.format);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return nullptr;
  auto trace = std::make_unique<flow::TraceSource>(context, traces.place(), flow::TraceReading{});
  if (auto opened = trace->try_open(*std::move(*found)); !opened)
    return std::unexpected(std::move(opened.error()));
  return trace;
}

// The events of one trace that came.
class LiveSource final : public RecordSource {
 public:
  LiveSource(const LivePlace& place, Arrived arrived)
      : place_(place), arrived_(std::move(arrived)) {}

  Result<BatchPtr> next() override {
    if (arrived_) begin(*std::exchange(arrived_, std::nullopt));
    if (source_ == nullptr) return nullptr;
    auto batch = source_->next();
    if (batch && *batch != nullptr) return batch;
    if (!batch) place_.live.report_error(place_.traces, batch.error());
    source_.reset();
    return nullptr;
  }

 private:
  void begin(Arrived arrived) {
    auto trace = open_arrived(place_.context, place_.traces, std::move(arrived));
    if (!trace) return place_.live.report_error(place_.traces, trace.error());
    if (*trace == nullptr) return;
    source_ = std::move((*trace)->take_sources(false, true).front());
  }

  LivePlace place_;
  std::optional<Arrived> arrived_;
  std::unique_ptr<RecordSource> source_;
};

class LiveFeed final : public flow::SourceFeed {
 public:
  LiveFeed(const flow::PipelineContext& context, Live& live, LiveTraces& traces)
      : place_{context, live, traces} {}

  std::unique_ptr<RecordSource> next() override {
    auto arrived = place_.traces.wait();
    if (!arrived) place_.live.report().fail(arrived.error());
    if (!arrived || !*arrived) return nullptr;
    return std::make_unique<LiveSource>(place_, *std::move(*arrived));
  }
  std::size_t at_once() const override { return place_.traces.at_once(); }
  void all_at_work() override { place_.live.report_limit(place_.traces); }

 private:
  LivePlace place_;
};

// What several threads do in turns.
class Turn {
 public:
  void take() {
    mutex_.lock();
    holder_ = std::this_thread::get_id();
  }
  void give() {
    holder_ = std::thread::id();
    mutex_.unlock();
  }
  [[nodiscard]] bool mine() const { return holder_ == std::this_thread::get_id(); }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
};

// An input whose reader lets others have their turn while it waits.
class YieldingInput final : public io::Input {
  template <class Wait>
  auto yielding(Wait wait) {
    const bool mine = turn_.mine();
    if (mine) turn_.give();
    auto result = wait();
    if (mine) turn_.take();
    return result;
  }

 public:
  YieldingInput(std::unique_ptr<io::Input> input, Turn& turn)
      : input_(std::move(input)), turn_(turn) {}

  const std::string& name() const override { return input_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    return yielding([&] { return input_->read(into, size); });
  }
  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    return yielding([&] { return input_->skip(bytes); });
  }
  bool seekable() const override { return input_->seekable(); }
  bool live() const override { return input_->live(); }
  bool ready(std::chrono::milliseconds patience) override {
    return yielding([&] { return input_->ready(patience); });
  }
  Result<void> rewind() override { return input_->rewind(); }
  std::optional<std::uint64_t> size() const override { return input_->size(); }
  std::optional<std::uint64_t> stored_size() const override { return input_->stored_size(); }
  std::uint64_t stored_position() const override { return input_->stored_position(); }
  bool next_part() override { return input_->next_part(); }
  bool stopped() const override { return input_->stopped(); }

 private:
  std::unique_ptr<io::Input> input_;
  Turn& turn_;
};

// Traces are opened by several threads, and looked at in turns.
class LookObserver final : public flow::PipelineObserver {
 public:
  LookObserver(LiveReport& report, Session& session) : report_(report), in_turn_(session) {}

  void failed(const Error& error) override { report_.failed(error); }
  void opened(const TraceDescription& description) override { report_.opened(description); }
  void note(const std::string& sentence) override { report_.note(sentence); }
  void selected_nothing(const flow::NothingSelected& what) override {
    in_turn_.selected_nothing(what);
  }

 private:
  LiveReport& report_;
  SessionObserver in_turn_;
};

// Looks at what one place brings.
class LiveLook {
 public:
  LiveLook(const flow::PipelineContext& context, Live& live, LiveTraces& traces,
           const LookAtTrace& look)
      : context_(context), live_(live), traces_(traces), look_(look) {}

  // Returns whether to go on with other places.
  bool run() {
    flow::serve(
        {.next = [this] { return next(); }, .all_at_work = [this] { live_.report_limit(traces_); }},
        traces_.at_once());
    return goes_on_;
  }

 private:
  flow::Job next() {
    auto arrived = traces_.wait();
    if (!arrived) live_.report().fail(arrived.error());
    if (!arrived || !*arrived) return {};
    return [this, each = std::make_shared<Arrived>(*std::move(*arrived))] {
      look_at(std::move(*each));
    };
  }

  void look_at(Arrived arrived) {
    arrived.input = std::make_unique<YieldingInput>(std::move(arrived.input), turn_);
    auto trace = open_arrived(context_, traces_, std::move(arrived));
    if (trace && *trace == nullptr) return;
    // What a stop cut off is no trace that is wrong.
    if (!trace && live_.token().stop_requested()) return live_.report_error(traces_, trace.error());
    turn_.take();
    if (goes_on_) {
      goes_on_ = trace ? look_(traces_.place(),
                               std::make_unique<flow::SingleTrace>(context_, std::move(*trace)))
                       : look_(traces_.place(), std::unexpected(std::move(trace.error())));
      if (!goes_on_) live_.stop();
    }
    turn_.give();
  }

  const flow::PipelineContext& context_;
  Live& live_;
  LiveTraces& traces_;
  const LookAtTrace& look_;
  Turn turn_;
  bool goes_on_ = true;
};

}  // namespace

std::string check_live(const Options& options) {
  const std::vector<std::string>& operands = options.operands;
  if (!options.follow && std::ranges::none_of(operands, io::is_live_address)) return {};
  for (const std::string& operand : operands) {
    if (std::string wrong = check_live_operand(options, operand); !wrong.empty()) return wrong;
  }
  if (options.format != nullptr && !options.format->info().directory_hint.empty() &&
      options.metadata_file.empty()) {
    return fmt::format(
        "a {} trace is a directory, which cannot come live; a data stream of it can, with "
        "--metadata FILE",
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
  constexpr std::uint64_t kReportedSingly = 16;
  if (++refused_ <= kReportedSingly) return session_.diagnostics.error(error);
  if (!std::has_single_bit(refused_)) return;
  session_.diagnostics.error(
      fmt::format("{}: {} inputs so far could not be read; they are no longer reported one by one",
                  error.input, refused_));
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

Result<std::optional<Arrived>> LiveTraces::wait() {
  if (put_back_) return Arrived{.found = std::exchange(put_back_, std::nullopt)};
  if (ended_) return std::nullopt;
  Result<std::unique_ptr<io::Input>> input = sequence_->next();
  ended_ = !input || *input == nullptr;
  if (!input) return std::unexpected(std::move(input.error()));
  if (ended_) return std::nullopt;
  return Arrived{.input = std::move(*input)};
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
  if (head.empty() && (sequence_->repeats() || input->stopped())) return std::nullopt;
  input = io::prefix_input(std::move(head), std::move(input));
  if (sequence_->may_be_compressed()) {
    auto seen = io::see_through_compression(std::move(input));
    if (!seen) return std::unexpected(std::move(seen.error()));
    input = std::move(*seen);
  }
  auto found = find_trace(std::move(input), place_.format != nullptr ? place_.format : format);
  if (!found) return std::unexpected(std::move(found.error()));
  if (place_.has_core_files()) found->core = place_.core_files.front().core;
  return std::move(*found);
}

Live::Live(const Options& options, Session& session, flow::Needs needs,
           const std::vector<flow::TracePlace>& places)
    : report_(options, session),
      forward_(session.stop, Forward{stop_}),
      context_{pipeline_options(options, needs), report_, token()} {
  if (const auto wrong = rejects_metadata(options)) {
    report_.fail(*wrong);
    return;
  }
  for (const flow::TracePlace& place : places) {
    if (place.failure) {
      report_.fail(*place.failure);
      continue;
    }
    const auto news = [this](io::LiveNews what, const std::string& sentence) {
      report_.news(what, sentence);
    };
    auto sequence = open_sequence(options, place, news, token());
    if (sequence) {
      traces_.push_back(std::make_unique<LiveTraces>(place, std::move(*sequence)));
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

std::vector<std::unique_ptr<flow::SourceFeed>> Live::feeds() {
  std::vector<std::unique_ptr<flow::SourceFeed>> feeds;
  for (const auto& traces : traces_)
    feeds.push_back(std::make_unique<LiveFeed>(context_, *this, *traces));
  return feeds;
}

void Live::report_error(const LiveTraces& traces, const Error& error) {
  if (token().stop_requested()) {
    report_.news(io::LiveNews::kDropped, "stopped before it could be read: " + error.to_string());
  } else if (traces.repeats()) {
    report_.refuse(error);
  } else {
    report_.fail(error);
  }
}

void Live::report_limit(const LiveTraces& traces) {
  // Nobody waits for what ends anyway, nor where one follows the other.
  if (traces.at_once() == 1 || token().stop_requested()) return;
  report_.news(
      io::LiveNews::kChange,
      fmt::format("{}: {} peers are served; further ones wait until one of them disconnects",
                  traces.place().operand, traces.at_once()));
}

void for_each_live_trace(Live& live, const Options& options, Session& session, flow::Needs needs,
                         const LookAtTrace& look) {
  LookObserver observer(live.report(), session);
  const flow::PipelineContext context{pipeline_options(options, needs), observer, live.token()};
  for (const auto& traces : live.traces()) {
    if (!LiveLook(context, live, *traces, look).run()) return;
  }
}

}  // namespace tracedeck::cli
