// The reader of metadata that is a JSON text sequence (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Metadata
// stream").
#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/ctf/metadata/json_fragments.hpp"
#include "tracedeck/ctf/metadata/json_sequence.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"

namespace tracedeck::ctf {
namespace {

class JsonMetadataReader final : public MetadataReader {
 public:
  explicit JsonMetadataReader(Metadata& metadata)
      : metadata_(metadata),
        fragments_(metadata, findings_),
        sequence_(findings_, [this](const auto& text) { take(text); }) {}

  std::vector<Finding> read(ByteSpan bytes, bool last) override {
    is_empty_ = is_empty_ && bytes.empty();
    sequence_.read(bytes, last);
    if (last) {
      release();
      note_gaps();
      fragments_.finish(is_empty_);
    }
    return findings_.take();
  }

 private:
  // What a text was made of, which takes a tenth of its memory.
  struct HeldText {
    std::vector<std::uint8_t> bytes;
    std::uint64_t offset = 0;
    std::uint64_t number = 0;
    JsonLine line = {};
  };

  // Fragments wait until the first word that only one document has shows which one to follow.
  void take(const std::shared_ptr<const JsonText>& text) {
    note_gaps();
    if (!dialect_) {
      dialect_ = dialect_of(*text);
      // What was read without a distinguishing word means the same in both, but for clocks.
      if (dialect_ && !fragments_.has_clocks()) settle(*dialect_);
    }
    if (dialect_) {
      release();
      fragments_.read(text);
    } else {
      const ByteSpan bytes = text->bytes();
      held_.push_back({{bytes.begin(), bytes.end()}, text->offset(), text->number(), text->line()});
    }
  }

  void settle(Dialect dialect) {
    findings_.set_dialect(dialect);
    fragments_.set_dialect(dialect);
    metadata_.set_dialect(dialect);
  }

  void release() {
    for (; !held_.empty(); held_.pop_front()) {
      HeldText& held = held_.front();
      PaddedBytes bytes(std::move(held.bytes));
      fragments_.read(*parser_.parse(bytes, held.offset, held.number, held.line));
    }
  }

  void note_gaps() {
    if (sequence_.has_faults()) fragments_.note_gap();
  }

  Metadata& metadata_;
  JsonFindings findings_{"fragment"};
  JsonFragments fragments_;
  JsonSequence sequence_;
  std::optional<Dialect> dialect_;
  std::deque<HeldText> held_;
  JsonParser parser_;
  bool is_empty_ = true;
};

}  // namespace

std::unique_ptr<MetadataReader> json_metadata_reader(Metadata& metadata) {
  return std::make_unique<JsonMetadataReader>(metadata);
}

}  // namespace tracedeck::ctf
