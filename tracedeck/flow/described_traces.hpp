// The traces that records are of: one, or several where a conversion brought them into one result.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

class DescribedTraces {
 public:
  using List = std::vector<std::shared_ptr<const TraceDescription>>;

  // `first`: that of the reader.
  explicit DescribedTraces(std::shared_ptr<const TraceDescription> first);

  // The trace of a data stream that begins is one of them; of other records, none is new.
  void see(const Record& record);

  // In the order in which they came.
  [[nodiscard]] const List& list() const { return list_; }

 private:
  List list_;
  std::unordered_set<std::uint64_t> numbers_;
};

}  // namespace tracedeck::flow
