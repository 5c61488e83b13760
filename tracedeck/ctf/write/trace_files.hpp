// The files of a trace that is being written, in an order that leaves it readable whenever it is
// cut off: the metadata of a class go to the operating system before a packet that may need them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck::ctf {

// One thread at a time. Errors are those of the outputs.
class TraceFiles {
 public:
  // `output` must outlive this.
  TraceFiles(io::OutputDirectory& output, Dialect dialect);
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  // What makes the metadata.
  [[nodiscard]] MetadataWriter& metadata() { return *writer_; }
  // A data stream file, which this must outlive.
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_stream(const std::string& file);

  // Hands all metadata that there are to the operating system, in one call since the last.
  [[nodiscard]] Result<void> flush_metadata();
  [[nodiscard]] Result<void> finish_metadata();

 private:
  class StreamOutput;

  [[nodiscard]] Result<void> write_metadata(std::string_view text);

  io::OutputDirectory& output_;
  std::unique_ptr<io::Output> metadata_;
  bool is_flushed_ = true;
  std::unique_ptr<MetadataWriter> writer_;
};

}  // namespace tracedeck::ctf
