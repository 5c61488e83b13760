#include "tracedeck/dial9/segment_origin.hpp"

#include <algorithm>
#include <string_view>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/dynamic.hpp"
#include "tracedeck/dial9/model_classes.hpp"

namespace tracedeck::dial9 {
namespace {

class OriginVisitor {
 public:
  explicit OriginVisitor(FileOrigin& origin) : origin_(origin) {}

  void event(const EventView& event) {
    const bool is_metadata = event.type->name().starts_with("SegmentMetadata");
    if (is_metadata && origin_.metadata.empty()) take(event);
    if (!origin_.anchor && event.type->name() == kClockSyncEvent) origin_.anchor = event.timestamp;
    if (!origin_.begin && !is_metadata && event.timestamp != 0) origin_.begin = event.timestamp;
  }

 private:
  void take(const EventView& event) {
    const auto& fields = event.schema().fields;
    const auto entries = std::ranges::find(fields, "entries", &FieldDefinition::name);
    if (entries == fields.end() || entries->type != FieldType::kStringMap) return;
    const Value& value = event.values[static_cast<std::size_t>(entries - fields.begin())];
    if (!value.present) return;
    StringMapView map(value);
    for (std::string_view key, text; map.next(key, text);) {
      if (key == "boot_id") origin_.process = text;
      if (key == "host") origin_.host = text;
      if (key == "service") origin_.service = text;
      origin_.metadata.emplace_back(key, text);
    }
  }

  FileOrigin& origin_;
};

}  // namespace

FileOrigin segment_origin(ByteSpan head) {
  FileOrigin origin{.clock = "monotonic"};
  OriginVisitor visitor(origin);
  const PaddedBytes bytes(head);
  if (!decode(bytes.view(), visitor)) return {};
  return origin;
}

}  // namespace tracedeck::dial9
