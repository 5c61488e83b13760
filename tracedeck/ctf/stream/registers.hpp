// Registers: where a decode program keeps the lengths and selectors that later fields refer to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

using Path = std::vector<std::string>;

// A field location as it is looked up: `outward` structures out, then by names.
struct NormalLocation {
  FieldLocation::Root root = FieldLocation::Root::kRelative;
  std::size_t outward = 0;
  Path path;
};
[[nodiscard]] NormalLocation normal(const FieldLocation& location);

// What fields a structure's program must keep: those at the end of the paths that begin in it.
struct Capture {
  std::span<const std::string> path;  // from the structure's members on
  std::uint32_t target = 0;           // register
};
using Captures = std::vector<Capture>;

// Which object a path begins in: a root field of a trace, stream or event record class, or any
// structure class, of which every instance keeps its own.
using Anchor = std::pair<const void*, FieldLocation::Root>;

// Registers of a trace, by what they hold. Only grows.
class Registers {
 public:
  // The register for the field at `path` in `anchor`, a new one the first time.
  std::uint32_t add(const Anchor& anchor, const Path& path);
  // The same for one that exists.
  [[nodiscard]] std::uint32_t find(const Anchor& anchor, const Path& path) const;
  // What lies in `anchor`. Valid until the next `add`.
  [[nodiscard]] Captures of(const Anchor& anchor) const;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::map<Anchor, std::map<Path, std::uint32_t>> registers_;
  std::uint32_t size_ = 0;
};

}  // namespace tracedeck::ctf
