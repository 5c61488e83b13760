// Encode programs in the making, and what keeps them from being made.
//
// A program mirrors the classes that it is made of, so field locations are followed through both:
// what a location names among the classes is the node that writes the field.
#pragma once

#include <array>
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
  // The same, in as much memory as it takes. Nothing may be added after.
  [[nodiscard]] EncodeProgram take_program();
  // Valid until the next one is added.
  [[nodiscard]] EncodeNode& node(std::uint32_t index) { return program_.nodes[index]; }

  // What locations may lead into besides. It must outlive this.
  void use_packet_context(const ProgramBuilder& packet_context) { packet_ = &packet_context; }

  // A root field class, whose node is the next that is opened.
  void begin_root(FieldLocation::Root root);
  [[nodiscard]] FieldLocation::Root root() const { return root_; }

  // Returns its index. More than `kMostNodes` are a fault.
  std::uint32_t add(const EncodeNode& node);
  // The same of a class with so many parts, which must outlive this. Until it is closed, nodes of
  // its parts are made and added to it, in their order.
  std::uint32_t open(const FieldClass& source, const EncodeNode& node, std::size_t parts);
  void add_child(std::uint32_t child);
  void close() { open_.pop_back(); }

  // Has `node` find its length in the field that a location leads to. Returns false if that is no
  // integer or boolean before what is at hand.
  [[nodiscard]] bool set_length(EncodeNode& node, const FieldLocation& location);
  // Whether a location leads to such a field.
  [[nodiscard]] bool is_found(const FieldLocation& location);

  // From then on the program is of no use. The first fault counts.
  void fail(std::string message, ErrorCode code = ErrorCode::kLimitExceeded);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  class Way;

  // A compound class and its node.
  struct Part {
    const FieldClass* field_class = nullptr;
    std::uint32_t node = 0;
    std::size_t done = 0;  // parts that have nodes; while it is open, the next is at hand
  };

  [[nodiscard]] std::vector<ValueRef> find(const FieldLocation& location);

  EncodeProgram program_;
  const ProgramBuilder* packet_ = nullptr;
  FieldLocation::Root root_ = FieldLocation::Root::kPayload;
  std::array<Part, 7> roots_ = {};  // by `FieldLocation::Root`
  std::vector<Part> open_;          // from the root inwards
  std::size_t steps_ = 0;
  std::optional<Error> error_;
};

}  // namespace tracedeck::ctf
