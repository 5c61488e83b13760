#include <map>
#include <utility>
#include <vector>

#include "tests/incidents/recorders.hpp"
#include "tracedeck/heph/encoder.hpp"

namespace tracedeck::tests {
namespace {

// A task is an actor, a processor a worker thread with a stream of its own.
class HephRecorder final : public Recorder {
 public:
  explicit HephRecorder(Machine& machine) : machine_(machine) {
    written_ = encoder_.set_epoch(1'700'000'000'000'000'000);
  }

  void switched(int, const Task*, const Task*) override {}
  void woken(const Task&, const Task*) override {}
  void blocked(const Task&, const Step&) override {}
  void resumed(const Task&, const Step&) override {}
  void did(const Task& task, const Step& step, std::size_t) override {
    std::vector<Time>& open = open_[task.number];
    if (step.kind == Step::Kind::kBegin) open.push_back(machine_.now());
    if (step.kind != Step::Kind::kEnd || open.empty()) return;
    const auto stream = static_cast<std::uint32_t>(task.on + 1);
    if (written_)
      written_ = encoder_.write({.stream = stream,
                                 .counter = counters_[stream]++,
                                 .substream = task.number + 1,
                                 .start = open.back(),
                                 .end = machine_.now()},
                                step.text, {{"actor", task.name}});
    open.pop_back();
  }
  void interrupted(int, std::size_t, bool, std::size_t, std::size_t) override {}

  Result<void> finish(const std::string& path) override {
    if (!written_) return written_;
    auto bytes = encoder_.finish();
    if (!bytes) return std::unexpected(bytes.error());
    return write_trace(path, ByteSpan(bytes->data(), bytes->size()));
  }

 private:
  Machine& machine_;
  std::map<std::size_t, std::vector<Time>> open_;
  std::map<std::uint32_t, std::uint32_t> counters_;
  heph::Encoder encoder_;
  Result<void> written_;
};

}  // namespace

std::unique_ptr<Recorder> record_heph(Machine& machine) {
  return std::make_unique<HephRecorder>(machine);
}

}  // namespace tracedeck::tests
