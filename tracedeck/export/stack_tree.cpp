#include "tracedeck/export/stack_tree.hpp"

#include <algorithm>

#include "tracedeck/text/number.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::exporting {
namespace {

constexpr std::string_view kOther = "(other)";

}  // namespace

StackTree::Frame StackTree::frame(std::string_view name) {
  std::string text = visible(name);
  std::ranges::replace(text, ';', ',');  // which separates frames
  if (text.empty()) text = "(no name)";
  if (const auto known = frames_.find(text); known != frames_.end()) return known->second;
  if (names_.size() >= kMost && text != kOther) {
    ++cut_;
    return frame(kOther);
  }
  const auto number = static_cast<Frame>(names_.size());
  frames_.emplace(text, number);
  names_.push_back(std::move(text));
  return number;
}

StackTree::Node StackTree::child(Node of, Frame frame) {
  const std::uint64_t key = std::uint64_t{of} << 32 | frame;
  if (const auto known = children_.find(key); known != children_.end()) return known->second;
  if (nodes_.size() == kMost) {
    ++cut_;
    return of;
  }
  const auto node = static_cast<Node>(nodes_.size());
  children_.emplace(key, node);
  nodes_.push_back({.parent = of, .frame = frame});
  if (of == kRoot) ++roots_;
  return node;
}

void StackTree::write(TextBuffer& out, std::size_t skipped) const {
  std::vector<Frame> stack;
  for (const Entry& entry : nodes_) {
    if (entry.value == 0) continue;
    stack.clear();
    const Entry* at = &entry;
    while (at != nodes_.data()) {
      stack.push_back(at->frame);
      at = &nodes_[at->parent];
    }
    if (stack.size() <= skipped) continue;
    stack.resize(stack.size() - skipped);
    for (std::size_t i = stack.size(); i-- != 0;) {
      out.append(names_[stack[i]]);
      out.append(i == 0 ? ' ' : ';');
    }
    append_decimal(out, entry.value);
    out.append('\n');
  }
}

}  // namespace tracedeck::exporting
