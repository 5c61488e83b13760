#include "tracedeck/ctf/write/program_builder.hpp"

#include <utility>

#include "tracedeck/ctf/bits.hpp"

namespace tracedeck::ctf {

std::uint32_t ProgramBuilder::add(EncodeNode node) {
  const bool is_plain = node.op == EncodeOp::kInteger && node.width <= 64 && node.width % 8 == 0 &&
                        node.alignment == 8 && !node.reversed &&
                        node.byte_order == ByteOrder::kLittle && node.roles == 0;
  if (is_plain) {
    node.plain_bytes = static_cast<std::uint8_t>(node.width / 8);
    node.most = low_bit_mask(node.width);
  }
  if (program_.nodes.size() >= kMostNodes)
    fail("the field classes of an event have too many parts");
  program_.nodes.push_back(node);
  return static_cast<std::uint32_t>(program_.nodes.size() - 1);
}

void ProgramBuilder::set_children(std::uint32_t node, const std::vector<std::uint32_t>& children) {
  program_.nodes[node].first_child = static_cast<std::uint32_t>(program_.children.size());
  program_.nodes[node].child_count = static_cast<std::uint32_t>(children.size());
  program_.children.insert(program_.children.end(), children.begin(), children.end());
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
