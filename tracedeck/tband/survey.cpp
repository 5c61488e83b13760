#include "tracedeck/tband/survey.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/format/window_source.hpp"
#include "tracedeck/tband/decoder.hpp"

namespace tracedeck::tband {
namespace {

// An input that somebody else owns and goes on with.
class LentInput final : public io::Input {
 public:
  explicit LentInput(io::Input& input) : input_(input) {}
  [[nodiscard]] const std::string& name() const override { return input_.name(); }
  [[nodiscard]] Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    return input_.read(into, size);
  }
  [[nodiscard]] bool seekable() const override { return input_.seekable(); }
  [[nodiscard]] bool live() const override { return input_.live(); }
  [[nodiscard]] Result<void> rewind() override { return input_.rewind(); }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return input_.size(); }
  [[nodiscard]] std::uint64_t stored_position() const override { return input_.stored_position(); }
  [[nodiscard]] bool stopped() const override { return input_.stopped(); }
  [[nodiscard]] bool next_part() override { return input_.next_part(); }
  [[nodiscard]] std::span<const std::string> part_files() const override {
    return input_.part_files();
  }

 private:
  io::Input& input_;
};

class Surveyor {
 public:
  explicit Surveyor(const SurveyOptions& options) : options_(options), core_(options.core) {}

  static bool wants(std::uint8_t id) { return kEventTable[id].bears_on_others; }

  bool event(const EventView& view, std::uint64_t offset, std::uint32_t) {
    const EventFacts& facts = view.facts();
    switch (facts.id) {
      case kCoreId:
        core_ = static_cast<std::uint32_t>(view.numbers[0]);
        return true;
      case kDroppedEvents:
        return drop({.timestamp = view.timestamp,
                     .offset = offset,
                     .count = static_cast<std::uint32_t>(view.numbers[0])});
      case kResolution:
        if (!found_.resolution && view.numbers[0] != 0) found_.resolution = view.numbers[0];
        return !done();
      default:
        if (facts.names != Naming::kNone && options_.names)
          options_.names(named_by(facts, view.numbers, core_), as_text(view.text));
        return true;
    }
  }
  void problem(const Finding&) {}
  void finding(const Finding&) {}

  [[nodiscard]] bool done() const {
    return found_.resolution && !options_.names && !options_.drops;
  }
  [[nodiscard]] Survey take() { return std::move(found_); }

 private:
  bool drop(const DropCount& count) {
    if (!options_.drops || count.count == last_count_) return true;
    last_count_ = count.count;
    found_.drops.push_back(count);
    return true;
  }

  const SurveyOptions& options_;
  std::uint32_t core_;
  std::uint32_t last_count_ = 0;
  Survey found_;
};

}  // namespace

Result<Survey> survey(io::Input& input, const SurveyOptions& options) {
  Surveyor surveyor(options);
  {
    const std::uint64_t limit = std::min(options.max_state, kMostMaxState);
    WindowSource source(std::make_unique<LentInput>(input), limit, 1);
    Decoder decoder(limit);
    while (!source.ended() && !surveyor.done()) (void)source.run(decoder, surveyor);
  }
  if (auto rewound = input.rewind(); !rewound) return std::unexpected(std::move(rewound.error()));
  return surveyor.take();
}

io::HeldBack hold_back(std::unique_ptr<io::Input> input, std::optional<std::uint64_t>& resolution) {
  const SurveyOptions options = {};
  Surveyor surveyor(options);
  Decoder decoder;
  std::size_t looked = 0;
  auto held = io::hold_back(std::move(input), {.bytes = kHeldBack}, [&](ByteSpan bytes, bool) {
    // Whole frames only; the next look begins behind them.
    std::size_t end = bytes.size();
    while (end > looked && bytes[end - 1] != kDelimiter) --end;
    const PaddedBytes frames(bytes.subspan(looked, end - looked));
    std::size_t position = 0;
    (void)decoder.run({.bytes = frames.view(), .offset = looked, .last = false}, position,
                      surveyor);
    looked = end;
    return surveyor.done();
  });
  resolution = surveyor.take().resolution;
  return held;
}

std::vector<Losses> shared_losses(const std::vector<std::vector<DropCount>>& files) {
  struct Place {
    DropCount count;
    std::size_t file;
  };
  std::vector<Place> places;
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (const DropCount& count : files[file]) places.push_back({count, file});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.count.timestamp < b.count.timestamp;
  });
  std::vector<Losses> losses(files.size());
  std::uint64_t last = 0;
  for (const Place& place : places) {
    if (place.count.count <= last) continue;
    losses[place.file].emplace(place.count.offset, place.count.count - last);
    last = place.count.count;
  }
  return losses;
}

}  // namespace tracedeck::tband
