// An output to an open descriptor: what files, standard output and the files of an output directory
// have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tracedeck/io/output.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

// A descriptor written to through a buffer. With `final_path` what was written lies under
// `part_path` and gets its name when complete.
//
// The renamed file is not forced onto the disk (fsync): that would make every command wait for the
// device, and guards only against a failing machine, after which a command is run again. A killed
// command and a full disk, network file systems included (they report at close), never leave a
// short file under the final name.
class DescriptorOutput final : public Output {
 public:
  // `part_path` without `final_path`: where the bytes lie until somebody else renames what they lie
  // in; messages name it.
  DescriptorOutput(std::string name, FileDescriptor file, std::string part_path = {},
                   std::string final_path = {});

  const std::string& name() const override { return name_; }
  Result<void> write(ByteSpan bytes) override;
  Result<void> flush() override;
  Result<void> finish() override;
  void discard() override;

 private:
  // Hands bytes to the system; the error sticks.
  Result<void> put(ByteSpan bytes);
  Result<void> fail_write(int error);

  std::string name_;
  FileDescriptor file_;
  std::string part_path_;
  std::string final_path_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t used_ = 0;
  std::optional<Error> failure_;
  bool finished_ = false;
};

}  // namespace tracedeck::io
