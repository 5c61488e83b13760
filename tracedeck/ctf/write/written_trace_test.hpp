// A directory in memory, for tests of what is written.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tracedeck/io/output_directory.hpp"

namespace tracedeck::ctf {

class MemoryDirectory final : public io::OutputDirectory {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_file(const std::string& file) override {
    return io::memory_output(files[file]);
  }
  [[nodiscard]] Result<void> finish() override { return {}; }
  void discard() override {}

  std::map<std::string, std::string> files;

 private:
  std::string name_ = "memory";
};

}  // namespace tracedeck::ctf
