// Encode programs in the making, and what keeps them from being made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"

namespace tracedeck::ctf {

// Nodes that the classes of one event may have, shared ones counted as often as they are used.
inline constexpr std::size_t kMostNodes = std::size_t{1} << 17;

class ProgramBuilder {
 public:
  [[nodiscard]] const EncodeProgram& program() const { return program_; }
  // Valid until the next one is added.
  [[nodiscard]] EncodeNode& node(std::uint32_t index) { return program_.nodes[index]; }

  // So many more nodes come.
  void expect(std::size_t nodes) {
    const std::size_t known = std::min(program_.nodes.size() + nodes, kMostNodes);
    if (known > program_.nodes.capacity()) program_.nodes.reserve(known);
  }
  // Returns its index. More than `kMostNodes` are a fault.
  std::uint32_t add(const EncodeNode& node);
  void set_children(std::uint32_t node, const std::vector<std::uint32_t>& children);
  // Has a node find its length in what was written last by one of `refs`.
  void set_refs(EncodeNode& node, const std::vector<ValueRef>& refs);

  [[nodiscard]] EncodeOp op(std::uint32_t node) const { return program_.nodes[node].op; }
  [[nodiscard]] std::uint32_t child(std::uint32_t node, std::size_t i) const {
    return program_.children[program_.nodes[node].first_child + i].node;
  }
  [[nodiscard]] std::uint32_t last_child(std::uint32_t node) const {
    return child(node, program_.nodes[node].child_count - 1);
  }

  // From then on the program is of no use. The first fault counts.
  void fail(std::string message, ErrorCode code = ErrorCode::kLimitExceeded);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  EncodeProgram program_;
  std::optional<Error> error_;
};

}  // namespace tracedeck::ctf
