// Files, named pipes, devices and standard input as they are, without looking for compression.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tracedeck/io/input.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

// An input that can let go of its descriptor while nobody reads it.
class ParkableInput : public Input {
 public:
  // Closes the descriptor; the next `read`, `skip` or `rewind` opens the file again where it was.
  // Requires `seekable()`.
  virtual void park() = 0;
};

// That the system failed a read; `error` is an `errno`.
[[nodiscard]] std::unexpected<Error> read_failed(int error, const std::string& name,
                                                 std::optional<std::uint64_t> position = {});

// As `open_file`.
[[nodiscard]] Result<std::unique_ptr<ParkableInput>> open_parkable(const std::string& path,
                                                                   std::stop_token stop = {});

// As `open_input`, but compressed bytes stay compressed. After a request of `stop`, a file ends at
// once; of a pipe, a socket or a device what had arrived is still read.
[[nodiscard]] Result<std::unique_ptr<Input>> open_file(const std::string& path,
                                                       std::stop_token stop = {});

// The same for what is open already.
[[nodiscard]] Result<std::unique_ptr<Input>> descriptor_input(std::string name, FileDescriptor file,
                                                              std::stop_token stop = {});

}  // namespace tracedeck::io
