// Blocks of steps, and how they become one program.
//
// Roots, elements of arrays, options and classes that are called are compiled into a block each.
// Until they are linked, steps and fields refer to others by their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/ctf/stream/program.hpp"

namespace tracedeck::ctf {

// Steps that end in kEnd and are run as one, and what is known of what they do.
struct Block {
  std::vector<Step> steps = {};
  std::uint64_t least_bits = 0;  // they take at least so many
  std::uint64_t slots = 0;       // and make at most so many, what lies in arrays and calls apart
};

// Puts the blocks one behind the other into a program that has no steps yet, and turns their
// numbers into places.
void link_blocks(std::vector<Block>& blocks, Program& program);

}  // namespace tracedeck::ctf
