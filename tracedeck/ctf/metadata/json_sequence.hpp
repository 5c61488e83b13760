// JSON text sequences (RFC 7464): a record separator (1E) before each JSON text, a line feed after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/metadata/json_findings.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::ctf {

inline constexpr std::uint8_t kRecordSeparator = 0x1E;

// Whether a byte is white space between the tokens of a JSON text.
[[nodiscard]] constexpr bool is_json_space(std::uint8_t byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

// Splits a stream that comes in pieces into its texts and parses them. Empty texts are skipped.
class JsonSequence {
 public:
  using Handler = std::function<void(const std::shared_ptr<const JsonText>&)>;

  // `handler` gets the texts in order; what is no text is reported.
  JsonSequence(JsonFindings& findings, Handler handler)
      : findings_(findings), handler_(std::move(handler)) {}

  // The next bytes. `last`: none follow for now, so that the last text counts, or is reported when
  // it is incomplete; it is kept and may still be completed.
  void read(ByteSpan bytes, bool last);

  [[nodiscard]] bool has_faults() const { return has_faults_; }
  // Bytes read so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  void take(ByteSpan bytes);
  void finish_text(bool last);
  void advance(ByteSpan bytes);
  // `line`: that the bytes begin on, of which the one at `offset` is amiss.
  void fault(MetadataRule rule, std::uint64_t offset, ByteSpan bytes, JsonLine line,
             std::string_view text);

  JsonFindings& findings_;
  Handler handler_;
  JsonParser parser_;
  std::vector<std::uint8_t> pending_;  // of the text that is being read
  std::uint64_t pending_offset_ = 0;
  JsonLine pending_line_ = {};  // that it begins on
  std::size_t judged_ = 0;      // bytes of `pending_` that were reported as incomplete
  std::uint64_t offset_ = 0;
  JsonLine line_ = {};       // at hand
  std::uint64_t count_ = 0;  // texts that are not empty
  bool in_text_ = false;     // a record separator came, and the text is not finished
  bool in_stray_ = false;    // inside of bytes that no record separator precedes
  bool has_faults_ = false;
};

}  // namespace tracedeck::ctf
