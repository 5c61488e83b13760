#include "tracedeck/ctf/write/program_builder.hpp"

#include <utility>

#include "tracedeck/ctf/bits.hpp"

namespace tracedeck::ctf {

std::uint32_t ProgramBuilder::add(const EncodeNode& node) {
  if (program_.nodes.size() >= kMostNodes)
    fail("the field classes of an event have too many parts");
  program_.nodes.push_back(node);
  return static_cast<std::uint32_t>(program_.nodes.size() - 1);
}

void ProgramBuilder::set_children(std::uint32_t node, const std::vector<std::uint32_t>& children) {
  program_.nodes[node].first_child = static_cast<std::uint32_t>(program_.children.size());
  program_.nodes[node].child_count = static_cast<std::uint32_t>(children.size());
  for (const std::uint32_t each : children) {
    const EncodeNode& child = program_.nodes[each];
    EncodeChild& made = program_.children.emplace_back(EncodeChild{.node = each});
    const bool is_plain = child.op == EncodeOp::kInteger && child.width <= 64 &&
                          child.width % 8 == 0 && child.alignment == 8 && !child.reversed &&
                          child.byte_order == ByteOrder::kLittle && child.roles == 0;
    if (!is_plain) continue;
    made.plain_bytes = child.width / 8;
    made.most = low_bit_mask(child.width);
  }
}

void ProgramBuilder::set_refs(EncodeNode& node, const std::vector<ValueRef>& refs) {
  node.extent = EncodeExtent::kLocated;
  node.first_ref = static_cast<std::uint32_t>(program_.refs.size());
  node.ref_count = static_cast<std::uint32_t>(refs.size());
  program_.refs.insert(program_.refs.end(), refs.begin(), refs.end());
}

void ProgramBuilder::fail(std::string message, ErrorCode code) {
  if (!error_) error_ = Error{.code = code, .message = std::move(message)};
}

}  // namespace tracedeck::ctf
