// Blocks of bytes on their way to the page: in memory, and beyond that in a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/spill/spill_file.hpp"

namespace tracedeck::page {

class BlockStore {
 public:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  // `memory`: bytes to be held. `directory`: as for `SpillFile::create`.
  BlockStore(std::size_t memory, std::string directory)
      : memory_(memory), directory_(std::move(directory)) {}

  // Errors: those of `SpillFile`.
  [[nodiscard]] Result<Place> put(std::string_view bytes);
  [[nodiscard]] Result<void> get(const Place& place, std::string& into) const;

  // Bytes of all blocks.
  [[nodiscard]] std::uint64_t size() const { return spilled_ + held_.size(); }
  [[nodiscard]] bool has_spilled() const { return file_ != nullptr; }

 private:
  std::size_t memory_;
  std::string directory_;
  std::string held_;  // what lies behind the file's content
  std::unique_ptr<SpillFile> file_;
  std::uint64_t spilled_ = 0;
};

}  // namespace tracedeck::page
