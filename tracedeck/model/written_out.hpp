// How large classes become where each is written out at every place that uses it: shared classes,
// as aliases are, can multiply without end.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {

class WrittenOut {
 public:
  // Classes that all that were added may come to, beside those that are there once.
  static constexpr std::uint64_t kMost = 1'048'576;

  // Adds classes, which may be null and are kept, if they fit. `name`: of the trace, for the error,
  // which is kLimitExceeded.
  [[nodiscard]] Result<void> add(std::initializer_list<FieldClassPtr> classes,
                                 const std::string& name);
  // All classes of a trace.
  [[nodiscard]] Result<void> add(const TraceDescription& description);

  // Lets go of the classes; what they came to stays counted.
  void forget();

 private:
  std::uint64_t size_of(const FieldClass* field_class);

  std::unordered_map<const FieldClass*, std::uint64_t> sizes_;  // of `kept_` and all inside
  std::vector<FieldClassPtr> kept_;
  std::uint64_t there_ = 0;  // uses of classes in others
  std::uint64_t total_ = 0;
};

}  // namespace tracedeck
