// Any lines as texts of a description: what is accepted is written again as texts that say the
// same, and makes the same description once more; what is refused is said why, and changes nothing.

#include "tracedeck/lower/description_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file
using lower::DescriptionReader;

// Streams of these ordinals are looked at.
constexpr std::uint64_t kStreams = 4;

void require(bool holds) {
  if (!holds) std::abort();
}

// What the reader promises of a root class.
void check(const FieldClassPtr& root) {
  if (root == nullptr) return;
  require(root->as<StructureClass>() != nullptr);
  // One way down is enough: each class is in one somewhere.
  const FieldClass* at = root.get();
  for (std::size_t depth = 1; at != nullptr; ++depth) {
    require(depth <= kClassNesting);
    const FieldClass* last = nullptr;
    for_each_child(*at, [&](const FieldClassPtr& each) {
      require(each != nullptr);
      last = each.get();
    });
    at = last;
  }
}

void check(const TraceDescription& description) {
  check(description.trace_class().packet_header);
  for (const ClockClass& each : description.clocks()) {
    require(each.tick.denominator != 0);
    (void)each.to_nanoseconds(~std::uint64_t{0});
  }
  for (const DataStreamClass& each : description.stream_classes()) {
    for (const auto& root : {each.packet_context, each.event_header, each.common_context})
      check(root);
  }
  for (const EventClass& each : description.event_classes()) {
    require(each.stream_class != nullptr);
    for (const auto& root : {each.specific_context, each.payload}) check(root);
    require(!each.self_described || each.payload->as<StructureClass>()->members.size() == 2);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  DescriptionReader reader("in");
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view text = all.substr(at, end - at);
    const auto added = reader.add(text);
    if (added) {
      require(reader.add(text).has_value());
    } else {
      require(!added.error().message.empty());
    }
    at = end + 1;
  }
  if (reader.description() == nullptr) return 0;
  check(*reader.description());

  const std::vector<std::string> texts = lower::texts_of(*reader.description());
  DescriptionReader again("in");
  for (const std::string& text : texts) require(again.add(text).has_value());
  require(lower::texts_of(*again.description()) == texts);
  for (std::uint64_t ordinal = 0; ordinal < kStreams; ++ordinal) {
    const auto stream = reader.data_stream(ordinal);
    if (stream != nullptr) require(again.add(lower::text_of(*stream)).has_value());
  }
  return 0;
}
