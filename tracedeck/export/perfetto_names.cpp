#include "tracedeck/export/perfetto_names.hpp"

namespace tracedeck::exporting::perfetto {

void Names::introduce(const timeline::MarkName& name, EventName& known) {
  known.seen = true;
  if (!name.category.empty())
    known.category = number_of(categories_, interned_field::kCategories, name.category);
  if (event_count_ == kMost || (known.category == 0 && !name.category.empty())) return;
  known.iid = ++event_count_;
  packets_.intern(interned_field::kEventNames, known.iid, name.text);
}

void Names::put_whole(const timeline::MarkName& name) {
  ++written_out_;
  packets_.text(event_field::kName, name.text);
  if (!name.category.empty()) packets_.text(event_field::kCategories, name.category);
}

// 0 when all are given away.
std::uint32_t Names::number_of(Numbers& numbers, std::uint32_t field, std::string_view text) {
  if (const auto known = numbers.find(text); known != numbers.end()) return known->second;
  if (numbers.size() == kMost) return 0;
  const auto number = static_cast<std::uint32_t>(numbers.size() + 1);
  const auto entry = numbers.emplace(text, number).first;
  packets_.intern(field, number, entry->first);
  return number;
}

void Names::put_annotation(std::string_view name) {
  const std::uint32_t number = number_of(annotations_, interned_field::kAnnotationNames, name);
  if (number != 0) return packets_.writer().integer(annotation_field::kNameIid, number);
  ++written_out_;
  packets_.text(annotation_field::kName, name);
}

}  // namespace tracedeck::exporting::perfetto
