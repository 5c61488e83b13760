// A temporary file of parts that are each written piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/flow/spill_file.hpp"

namespace tracedeck::query {

class PartedFile {
 public:
  // Error: kWriteFailed.
  [[nodiscard]] static Result<std::unique_ptr<PartedFile>> create(std::size_t parts);

  [[nodiscard]] std::size_t parts() const { return pieces_.size(); }
  // The part that what has this hash goes to.
  [[nodiscard]] std::size_t part_of(std::uint64_t hash) const { return (hash >> 32) % parts(); }
  // Error: kWriteFailed.
  [[nodiscard]] Result<void> append(std::size_t part, ByteSpan piece);
  // Hands on the pieces of a part, in the order that they were written in. Errors: kReadFailed, and
  // those of `visit`.
  [[nodiscard]] Result<void> for_each(std::size_t part,
                                      const std::function<Result<void>(ByteSpan)>& visit) const;

 private:
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  PartedFile(std::unique_ptr<flow::SpillFile> file, std::size_t parts)
      : file_(std::move(file)), pieces_(parts) {}

  std::unique_ptr<flow::SpillFile> file_;
  std::vector<std::vector<Piece>> pieces_;  // by part
};

}  // namespace tracedeck::query
