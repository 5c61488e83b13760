// What data streams are called in a written trace: files and ids.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

class StreamNames {
 public:
  // The source's own name for the file, so that data streams keep their order. Each is another.
  [[nodiscard]] std::string file_name(const DataStream& source);

  // The id that a source has, if any.
  [[nodiscard]] static std::optional<std::uint64_t> own_id(const DataStream& source);
  // An id that no other data stream of the class has: `wanted`, or a free one.
  [[nodiscard]] std::uint64_t free_id(std::uint64_t class_id, std::optional<std::uint64_t> wanted);

 private:
  TextSet file_names_ = {std::string("metadata"), std::string(kEnvironmentFile)};
  TextMap<unsigned> next_of_name_;
  unsigned next_file_ = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> stream_ids_;  // with those of their classes
};

}  // namespace tracedeck::ctf
