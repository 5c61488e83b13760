#include "tracedeck/lower/target_lowering.hpp"

#include <utility>

#include "tracedeck/lower/lowering_writer.hpp"
#include "tracedeck/lower/marker_lowering_writer.hpp"
#include "tracedeck/lower/nested_lowering_writer.hpp"
#include "tracedeck/lower/span_lowering_writer.hpp"

namespace tracedeck::lower {

std::unique_ptr<Writer> lower_to_target(const WriteTarget& target, std::unique_ptr<Writer> writer,
                                        const WriteOptions& options) {
  const TargetProfile* const profile = target.profile;
  if (profile == nullptr) return writer;
  if (profile->plain != nullptr) {
    return profile->plain->value_class != nullptr
               ? lower_to_spans(*profile, std::move(writer), options.part_of_source)
               : lower_to_markers(*profile, std::move(writer), options.part_of_source);
  }
  return profile->nested == nullptr
             ? lower_for(*profile, std::move(writer), options.trace_names, options.version)
             : lower_nested(*profile, std::move(writer), options.single_source, options.trace_names,
                            options.part_of_source);
}

}  // namespace tracedeck::lower
