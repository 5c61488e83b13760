// How the lengths and selectors of classes are known in the target: by a field that the source has
// too, or by a member that is added for it.
#pragma once

#include <cstddef>
#include <optional>

#include "tracedeck/ctf/write/mapped_fields.hpp"
#include "tracedeck/ctf/write/mapper_options.hpp"

namespace tracedeck::ctf {

// How the length or selector of a class is known in the target. Nothing of it: it has none, or one
// that the class itself says.
struct Plan {
  bool added = false;  // by a member of its own
  std::optional<Located> located = {};
};

class Planner {
 public:
  // `fields`: what of the source was mapped before; it must outlive this.
  Planner(const MapperOptions& options, MappedFields& fields)
      : options_(options), fields_(fields) {}

  // `MapperOptions::restoring` of what is planned from now on.
  void restore(bool restoring) { options_.restoring = restoring; }

  // For a class that is mapped next.
  [[nodiscard]] Plan plan(const FieldClass& source) { return plan(source, options_.dialect); }

  // Whether the source has a member that CTF 1.8 had to add for this class.
  [[nodiscard]] bool comes_with_added(const FieldClass& source);

 private:
  Plan plan(const FieldClass& source, Dialect dialect);
  Plan plan_length(const Extent& extent, Dialect dialect);
  Plan plan_optional(const OptionalClass& optional, Dialect dialect);
  Plan plan_variant(const VariantClass& variant, Dialect dialect);
  template <class Serves>
  Plan plan_located(const FieldLocation& location, Dialect dialect, Serves serves);

  MapperOptions options_;
  MappedFields& fields_;
  bool of_what_comes_ = false;  // plans are for CTF 1.8 as it was written, not for the target
};

}  // namespace tracedeck::ctf
