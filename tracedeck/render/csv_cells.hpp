// Values as those of lines of comma-separated values.
#pragma once

#include <string>

#include "tracedeck/io/output.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/text_buffer.hpp"

namespace tracedeck::render {

// Passes text on with its quotes doubled.
class QuoteDoubler final : public io::Output {
 public:
  explicit QuoteDoubler(TextBuffer& into) : into_(into) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override;
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  TextBuffer& into_;
  std::string name_;
};

// JSON as one value of a line. `out` must outlive it.
class CsvJson {
 public:
  explicit CsvJson(TextBuffer& out) : out_(out), doubler_(out) {}
  CsvJson(const CsvJson&) = delete;
  CsvJson& operator=(const CsvJson&) = delete;

  // Writes, quoted, the JSON that `append(buffer)` appends.
  template <class Append>
  void operator()(Append append) {
    out_.append('"');
    append(json_);
    json_.hand_over();
    out_.append('"');
  }

 private:
  TextBuffer& out_;
  QuoteDoubler doubler_;
  TextBuffer json_{&doubler_};
};

}  // namespace tracedeck::render
