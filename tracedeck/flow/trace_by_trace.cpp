#include "tracedeck/flow/trace_by_trace.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "tracedeck/flow/symbols.hpp"

namespace tracedeck::flow {
namespace {

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
  std::span<const std::string> part_files() const override { return input_->part_files(); }
  void set_midway(bool midway) override { input_->set_midway(midway); }
  bool stopped() const override { return input_->stopped(); }

 private:
  std::unique_ptr<io::Input> input_;
  Turn& turn_;
};

// Looks at what comes from all live places.
class LiveLook {
 public:
  LiveLook(Live& live, const LookAtTrace& look) : live_(live), look_(look) {}

  void run() {
    for (const auto& traces : live_.traces()) {
      if (!goes_on_) return;
      traces->serve([&](Arrived arrived) { look_at(*traces, std::move(arrived)); });
    }
  }

 private:
  void look_at(const LiveTraces& traces, Arrived arrived) {
    arrived.input = std::make_unique<YieldingInput>(std::move(arrived.input), turn_);
    auto trace = open_arrived(live_.context(), traces, std::move(arrived));
    if (trace && *trace == nullptr) return;
    // What a stop cut off is no trace that is wrong.
    if (!trace && live_.context().stop.stop_requested()) return traces.report_error(trace.error());
    turn_.take();
    if (goes_on_) {
      goes_on_ = trace ? look_(traces.place(),
                               std::make_unique<SingleTrace>(live_.context(), std::move(*trace)))
                       : look_(traces.place(), std::unexpected(std::move(trace.error())));
      if (!goes_on_) live_.stop();
    }
    turn_.give();
  }

  Live& live_;
  const LookAtTrace& look_;
  Turn turn_;
  bool goes_on_ = true;
};

}  // namespace

void for_each_trace(PipelineOptions options, PipelineObserver& observer, std::stop_token stop,
                    std::vector<TracePlace> places, const LookAtTrace& look) {
  if (are_live(places)) {
    Live live(std::move(options), observer, std::move(stop), std::move(places));
    return LiveLook(live, look).run();
  }
  const auto shared =
      std::make_shared<const PipelineContext>(std::move(options), observer, std::move(stop));
  const PipelineContext& context = *shared;
  for (TracePlace& place : places) {
    // What a stop cuts off is no trace that is wrong.
    const auto is_cut_off = [&] { return place.reopens() && context.stop.stop_requested(); };
    if (is_cut_off()) return;
    place.symbols = symbols_of(place, shared);
    auto trace = std::make_unique<TraceSource>(context, place, TraceReading{});
    auto opened = trace->try_open();
    if (!opened && is_cut_off()) return;
    const bool goes_on = opened
                             ? look(place, std::make_unique<SingleTrace>(context, std::move(trace)))
                             : look(place, std::unexpected(std::move(opened.error())));
    if (!goes_on) return;
  }
}

}  // namespace tracedeck::flow
