#include "tracedeck/model/written_out.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck {
namespace {

// Beyond every limit, and far from the end of 64 bits.
constexpr std::uint64_t kEndless = std::uint64_t{1} << 60;

}  // namespace

std::uint64_t WrittenOut::size_of(const FieldClass* field_class) {
  if (field_class == nullptr) return 0;
  if (!is_compound(*field_class)) return 1;
  if (const auto known = sizes_.find(field_class); known != sizes_.end()) return known->second;
  std::uint64_t size = 1;
  for_each_child(*field_class, [&](const FieldClassPtr& inside) {
    ++there_;
    size = std::min(kEndless, size + size_of(inside.get()));
  });
  sizes_.emplace(field_class, size);
  return size;
}

void WrittenOut::forget() {
  sizes_.clear();
  kept_.clear();
}

Result<void> WrittenOut::add(std::initializer_list<FieldClassPtr> classes,
                             const std::string& name) {
  std::uint64_t total = total_;
  for (const FieldClassPtr& each : classes) {
    ++there_;
    if (each != nullptr && !sizes_.contains(each.get())) kept_.push_back(each);
    total = std::min(kEndless, total + size_of(each.get()));
  }
  if (total <= kMost + there_) {
    total_ = total;
    return {};
  }
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("field classes that are more than {} when each is written out wherever "
                          "it is used",
                          kMost),
              name);
}

Result<void> WrittenOut::add(const TraceDescription& description) {
  for (const DataStreamClass& each : description.stream_classes()) {
    if (auto added =
            add({each.packet_context, each.event_header, each.common_context}, description.input());
        !added)
      return added;
  }
  for (const EventClass& each : description.event_classes()) {
    if (auto added = add({each.specific_context, each.payload}, description.input()); !added)
      return added;
  }
  return {};
}

}  // namespace tracedeck
