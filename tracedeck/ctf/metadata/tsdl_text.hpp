// Where a piece of TSDL stands, and the findings made there.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"

namespace tracedeck::ctf::tsdl {

// A range of the text: what the metadata packets hold, one after the other, or the plain file.
struct Place {
  std::uint64_t offset = 0;  // bytes
  std::uint32_t length = 0;  // bytes
};

// Knows lines and packets of the text so far, and collects findings.
class TextFindings {
 public:
  // The next text of the stream of metadata. `stream_offset`: where it begins there.
  void append(std::string_view text, std::uint64_t stream_offset);

  [[nodiscard]] std::uint64_t text_size() const { return text_size_; }

  // Adds a finding at a place of the text; a second one of the same rule at the same place is not
  // added, since types are looked at again where they are used. `text`: a sentence.
  void report(TsdlRule rule, Place at, std::string_view text);
  void report(const Rule& rule, Place at, std::string_view text);
  // Adds one at an offset of the stream, outside of the text.
  void report_outside(TsdlRule rule, std::uint64_t stream_offset, std::string text);

  [[nodiscard]] std::vector<Finding> take() { return std::exchange(findings_, {}); }

 private:
  struct Piece {
    std::uint64_t text_offset = 0;
    std::uint64_t stream_offset = 0;
  };

  [[nodiscard]] bool is_new(const Rule& rule, std::uint64_t offset);

  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> lines_ = {0};  // where each begins
  std::uint64_t text_size_ = 0;
  std::set<std::pair<std::uint64_t, const Rule*>> reported_;
  std::vector<Finding> findings_;
};

}  // namespace tracedeck::ctf::tsdl
