// Stacks that begin alike share what they begin with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::exporting {

class StackTree {
 public:
  using Frame = std::uint32_t;  // a name
  using Node = std::uint32_t;   // a stack
  static constexpr Node kRoot = 0;
  static constexpr std::size_t kMost = std::size_t{1} << 20;  // of either

  StackTree() : nodes_(1) {}

  // The frame of that name, which is made fit for a line: what would end a frame or a line is
  // replaced, and what is no UTF-8. That of "(other)", and counted, when there are too many.
  [[nodiscard]] Frame frame(std::string_view name);
  // The stack with one frame more. The stack itself, and counted, when there are too many.
  [[nodiscard]] Node child(Node of, Frame frame);
  void add(Node node, std::uint64_t value) { nodes_[node].value += value; }

  [[nodiscard]] bool empty() const { return nodes_.size() == 1; }
  // How many stacks of one frame there are.
  [[nodiscard]] std::size_t root_count() const { return roots_; }
  // Stacks and frames that were not made.
  [[nodiscard]] std::uint64_t cut() const { return cut_; }

  // A line for each stack that has a value, in the order in which they were made, without their
  // first `skipped` frames.
  void write(TextBuffer& out, std::size_t skipped) const;

 private:
  struct Entry {
    Node parent = kRoot;
    Frame frame = 0;
    std::uint64_t value = 0;
  };

  std::vector<Entry> nodes_;
  NumberMap<std::uint64_t, Node> children_;  // by parent and frame
  std::vector<std::string> names_;
  TextMap<Frame> frames_;
  std::size_t roots_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace tracedeck::exporting
