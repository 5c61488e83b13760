// Writes events of the classes that Tonbandgerät has, in ticks, as its frames. Where cores change,
// how long a tick is, and what was lost are events among them: `lower` makes all that of other
// formats, docs/formats/tband.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/tband/frame.hpp"

namespace tracedeck::tband {

// Values of fields, off the tape.
class SlotFields {
 public:
  explicit SlotFields(std::span<const Slot> slots) : slots_(slots) {}

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] FieldValue operator[](std::size_t index) const {
    const Slot& slot = slots_[index];
    if (slot.kind == SlotKind::kString) return {.text = slot.text()};
    return {.number = slot.bits};
  }

 private:
  std::span<const Slot> slots_;
};

class TraceWriter final : public Writer {
 public:
  explicit TraceWriter(io::Output& output) : output_(output) {}

  Result<void> write(const Record& record) override;

  // An event by itself. `fields[i]` is a `FieldValue`; a text is the last one. Errors: those of
  // `encode_event` and of the output.
  template <class Fields>
  [[nodiscard]] Result<void> put(const EventLayout& layout, std::uint64_t ticks,
                                 const Fields& fields) {
    const std::size_t count = fields.size();
    std::uint8_t* const to = room(count == 0 ? 0 : fields[count - 1].text.size());
    const std::uint8_t* const end = put_frame(to, layout, ticks, fields);
    if (end == nullptr) [[unlikely]]
      return refuse(layout, fields);
    return commit(end);
  }
  // The same with a timestamp, a number that is not 0, and a text without a zero.
  [[nodiscard]] Result<void> put_text(const EventLayout& layout, std::uint64_t ticks,
                                      std::uint32_t number, std::string_view text) {
    return commit(put_text_frame(room(text.size()), layout, ticks, number, text));
  }

  Result<void> flush() override;
  Result<void> finish() override { return flush(); }
  [[nodiscard]] Receipt receipt() const override { return {}; }

 private:
  // Frames are kept before the output gets them, which takes so many as they are.
  static constexpr std::size_t kChunk = std::size_t{128} << 10;

  [[nodiscard]] std::uint8_t* room(std::size_t text) {
    const std::size_t size = frame_room(text);
    if (bytes_.size() - used_ < size) [[unlikely]]
      bytes_.resize(used_ + size + kChunk);
    return bytes_.data() + used_;
  }
  [[nodiscard]] Result<void> commit(const std::uint8_t* end) {
    used_ = static_cast<std::size_t>(end - bytes_.data());
    return used_ < kChunk ? Result<void>() : flush();
  }
  template <class Fields>
  static Result<void> refuse(const EventLayout& layout, const Fields& fields) {
    std::vector<FieldValue> values;
    for (std::size_t i = 0; i < fields.size(); ++i) values.push_back(fields[i]);
    std::vector<std::uint8_t> none;
    return encode_event(*layout.facts, 0, values, none);
  }

  io::Output& output_;
  std::vector<std::uint8_t> bytes_;
  std::size_t used_ = 0;  // bytes of frames that the output has not got yet
};

[[nodiscard]] std::unique_ptr<TraceWriter> create_writer(io::Output& output);

}  // namespace tracedeck::tband
