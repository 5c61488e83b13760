// The interface of the readers of metadata text, and the choice among them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"

namespace tracedeck::ctf {

// Reads one metadata stream from front to back into a `Metadata`.
class MetadataReader {
 public:
  virtual ~MetadataReader() = default;

  // The next bytes of the stream. What is complete is added to the metadata at once, classes in
  // order; what is not waits for more. `last`: there is nothing more for now, so that what is
  // incomplete is judged; more may still come later, when a tracer goes on writing. Findings of
  // severity error mean that the metadata must be rejected; reading goes on behind them as far as
  // that makes sense, so that all independent faults are found. Offsets are those of the stream.
  [[nodiscard]] virtual std::vector<Finding> read(ByteSpan bytes, bool last) = 0;
};

// The reader for metadata that begins with `head` (at least 16 bytes, or all there are): JSON text
// sequence, TSDL text or packets of TSDL. `metadata` must outlive it. Never null: what is none of
// them is read as a JSON text sequence, which then says what is wrong.
[[nodiscard]] std::unique_ptr<MetadataReader> metadata_reader(ByteSpan head, Metadata& metadata);

// By kind.
[[nodiscard]] std::unique_ptr<MetadataReader> json_metadata_reader(Metadata& metadata);
[[nodiscard]] std::unique_ptr<MetadataReader> tsdl_metadata_reader(Metadata& metadata);

}  // namespace tracedeck::ctf
