// Auxiliary streams (CTF2-SPECRC-3.0, aux-stream): JSON text sequences that say more about a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"

namespace tracedeck::ctf {

// Whether bytes begin an auxiliary stream: a record separator and a JSON object of one property.
// `bytes` end where that element does, or earlier, when it is none.
[[nodiscard]] bool begins_auxiliary_stream(ByteSpan bytes);

// Collects the beginning of a file up to the end of its first element, as long as that can be JSON.
class FirstElement {
 public:
  // Takes the next bytes. Returns whether more are wanted.
  [[nodiscard]] bool take(ByteSpan bytes);
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
  bool in_element_ = false;  // something else than separators and white space came
};

// Reads a whole auxiliary stream. The variables under `environment` of namespace `std` (env) are
// added to the description's environment; other namespaces are read over. Offsets of findings are
// those of the stream.
[[nodiscard]] std::vector<Finding> read_auxiliary_stream(ByteSpan bytes, Metadata& metadata);

}  // namespace tracedeck::ctf
