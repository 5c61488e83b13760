#include "tracedeck/tband/writer.hpp"

#include <vector>

#include "tracedeck/tband/encoder.hpp"

namespace tracedeck::tband {
namespace {

// Frames that are kept before the output gets them.
constexpr std::size_t kChunk = std::size_t{64} << 10;

class TraceWriter final : public Writer {
 public:
  explicit TraceWriter(io::Output& output) : output_(output) {}

  Result<void> write(const Record& record) override {
    if (record.kind != RecordKind::kEvent) return {};
    const Event& event = record.event;
    const std::uint64_t id = event.event_class->id.value_or(UINT64_MAX);
    const EventFacts* const facts =
        id <= UINT8_MAX ? find_event(static_cast<std::uint8_t>(id)) : nullptr;
    if (facts == nullptr)
      return fail(ErrorCode::kInvalidArgument, "the event is none of the format's");
    values_.clear();
    for (const Slot& slot : event.payload()) {
      const bool is_text = slot.kind == SlotKind::kString;
      values_.push_back(is_text ? FieldValue{.text = slot.text()}
                                : FieldValue{.number = slot.bits});
    }
    if (auto written = encode_event(*facts, event.time, values_, bytes_); !written) return written;
    return bytes_.size() < kChunk ? Result<void>() : flush();
  }

  Result<void> flush() override {
    if (bytes_.empty()) return {};
    auto written = output_.write(ByteSpan(bytes_));
    bytes_.clear();
    return written;
  }
  Result<void> finish() override { return flush(); }
  [[nodiscard]] Receipt receipt() const override { return {}; }

 private:
  io::Output& output_;
  std::vector<std::uint8_t> bytes_;  // frames not handed to the output yet
  std::vector<FieldValue> values_;
};

}  // namespace

std::unique_ptr<Writer> create_writer(io::Output& output) {
  return std::make_unique<TraceWriter>(output);
}

}  // namespace tracedeck::tband
