#include "tracedeck/export/perfetto_callstacks.hpp"

#include <algorithm>

#include "tracedeck/export/sample_stack.hpp"

namespace tracedeck::exporting::perfetto {
namespace {

// All addresses are of one, of which nothing is known.
constexpr std::uint32_t kMapping = 1;

}  // namespace

std::uint32_t Callstacks::number_of(std::string_view text, TextMap<std::uint32_t>& known,
                                    std::uint32_t field) {
  const auto iid = static_cast<std::uint32_t>(known.size() + 1);
  const auto [place, is_new] = known.try_emplace(std::string(text), iid);
  if (is_new) packets_.intern(field, iid, place->first);
  return place->second;
}

Callstacks::Frames Callstacks::frames_of(std::uint64_t address) {
  const std::pair key{trace_ == nullptr ? 0 : trace_->number(), address};
  const auto known = frames_.find(key);
  if (known != frames_.end()) return known->second;
  const std::span<const Function> functions = query::functions_at(address, trace_);
  const std::size_t count = std::max<std::size_t>(functions.size(), 1);
  if (frame_count_ + count > kMostFrames) return {};
  if (frames_.empty())
    packets_.intern(interned_field::kMappings, {{interned_field::kIid, kMapping}});
  const Frames made = {.first = frame_count_ + 1, .count = static_cast<std::uint32_t>(count)};
  for (const Function& each : functions) add_frame(address, &each);
  if (functions.empty()) add_frame(address, nullptr);
  frames_.emplace(key, made);
  return made;
}

void Callstacks::add_frame(std::uint64_t address, const Function* function) {
  Packets::Numbers frame = {{interned_field::kIid, ++frame_count_},
                            {frame_field::kMapping, kMapping},
                            {frame_field::kRelativePc, address}};
  if (function != nullptr) {
    frame.emplace_back(frame_field::kFunctionName,
                       number_of(function->name, functions_, interned_field::kFunctionNames));
    if (!function->file.empty())
      frame.emplace_back(frame_field::kSourcePath,
                         number_of(function->file, files_, interned_field::kSourcePaths));
    if (function->line != 0) frame.emplace_back(frame_field::kLine, function->line);
  }
  packets_.intern(interned_field::kFrames, std::move(frame));
}

bool Callstacks::put(const query::Value& stack) {
  stack_.clear();
  bool all = true;
  (void)query::for_each_address(*stack.slot, [&](std::uint64_t address) {
    const Frames frames = all ? frames_of(address) : Frames();
    all = frames.first != 0;
    for (std::uint32_t i = 0; i < frames.count; ++i) stack_.push_back(frames.first + i);
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
