#include "tracedeck/export/perfetto_callstacks.hpp"

#include <algorithm>

#include "tracedeck/export/sample_stack.hpp"

namespace tracedeck::exporting::perfetto {
namespace {

// All addresses are of one, of which nothing is known.
constexpr std::uint32_t kMapping = 1;

}  // namespace

std::uint32_t Callstacks::function_of(std::string_view name) {
  const auto iid = static_cast<std::uint32_t>(functions_.size() + 1);
  const auto [place, is_new] = functions_.try_emplace(std::string(name), iid);
  if (is_new) packets_.intern(interned_field::kFunctionNames, iid, place->first);
  return place->second;
}

std::uint32_t Callstacks::frame_of(std::uint64_t address) {
  const std::pair key{trace_ == nullptr ? 0 : trace_->number(), address};
  const auto known = frames_.find(key);
  if (known != frames_.end()) return known->second;
  if (frames_.size() == kMostFrames) return 0;
  const auto iid = static_cast<std::uint32_t>(frames_.size() + 1);
  if (frames_.empty())
    packets_.intern(interned_field::kMappings, {{interned_field::kIid, kMapping}});
  frames_.emplace(key, iid);
  Packets::Numbers frame = {{interned_field::kIid, iid},
                            {frame_field::kMapping, kMapping},
                            {frame_field::kRelativePc, address}};
  const std::string_view name = name_of_address(trace_, address);
  if (!name.empty()) frame.emplace_back(frame_field::kFunctionName, function_of(name));
  packets_.intern(interned_field::kFrames, std::move(frame));
  return iid;
}

bool Callstacks::put(const query::Value& stack) {
  stack_.clear();
  bool all = true;
  for_each_address(stack, [&](std::uint64_t address) {
    const std::uint32_t frame = all ? frame_of(address) : 0;
    all = frame != 0;
    stack_.push_back(frame);
  });
  if (!all) return false;
  if (stack_.empty()) return true;
  std::ranges::reverse(stack_);
  const std::string key(reinterpret_cast<const char*>(stack_.data()),
                        stack_.size() * sizeof(stack_.front()));
  auto known = stacks_.find(key);
  if (known == stacks_.end()) {
    if (stacks_.size() == kMostStacks || stack_bytes_ + key.size() > kMostBytes) return false;
    stack_bytes_ += key.size();
    const auto iid = static_cast<std::uint32_t>(stacks_.size() + 1);
    known = stacks_.emplace(key, iid).first;
    Packets::Numbers callstack = {{interned_field::kIid, iid}};
    for (const std::uint32_t frame : stack_)
      callstack.emplace_back(callstack_field::kFrames, frame);
    packets_.intern(interned_field::kCallstacks, std::move(callstack));
  }
  packets_.writer().integer(event_field::kCallstackIid, known->second);
  return true;
}

}  // namespace tracedeck::exporting::perfetto
