#include "tracedeck/query/parted_file.hpp"

#include <utility>

namespace tracedeck::query {

Result<std::unique_ptr<PartedFile>> PartedFile::create(std::size_t parts) {
  auto file = flow::SpillFile::create({});
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<PartedFile>(new PartedFile(*std::move(file), parts));
}

Result<void> PartedFile::append(std::size_t part, ByteSpan piece) {
  if (piece.empty()) return {};
  pieces_[part].push_back({.offset = file_->size(), .size = piece.size()});
  return file_->append(piece);
}

Result<void> PartedFile::for_each(std::size_t part,
                                  const std::function<Result<void>(ByteSpan)>& visit) const {
  std::vector<std::uint8_t> bytes;
  for (const Piece& piece : pieces_[part]) {
    bytes.resize(static_cast<std::size_t>(piece.size));
    if (auto read = file_->read(piece.offset, bytes); !read) return read;
    if (auto visited = visit(bytes); !visited) return visited;
  }
  return {};
}

}  // namespace tracedeck::query
