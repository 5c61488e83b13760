#include "tracedeck/ctf/stream/program_blocks.hpp"

#include <cstddef>
#include <utility>

namespace tracedeck::ctf {
namespace {

// A check and the only load that it is for become one step.
void fuse(std::vector<Step>& steps) {
  std::vector<Step> fused;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool alone = steps[i].op == Op::kNeed &&
                       steps[i].a == std::uint64_t{steps[i + 1].skip} + steps[i + 1].width;
    const bool aligned = alone && steps[i + 1].op == Op::kAlignedLittle;
    if (aligned || (alone && steps[i + 1].op == Op::kLittle)) {
      Step& load = fused.emplace_back(steps[i + 1]);
      load.op = aligned ? Op::kCheckedAlignedLittle : Op::kCheckedLittle;
      load.a = steps[i].a;
      ++i;
    } else {
      fused.push_back(steps[i]);
    }
  }
  steps = std::move(fused);
}

// The steps of an option go on behind the variant or optional that it belongs to.
void leave_options(const std::vector<Block>& blocks, const std::vector<std::uint64_t>& begins,
                   Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.op != Op::kVariant && step.op != Op::kOptional) continue;
    for (const std::uint32_t body : program.variants[step.a].bodies) {
      Step& last = program.steps[begins[body] + blocks[body].steps.size() - 1];
      last.op = Op::kLeave;
      last.a = i + 1;
    }
  }
}

}  // namespace

void link_blocks(std::vector<Block>& blocks, Program& program) {
  std::vector<std::uint64_t> begins;
  std::uint64_t size = 0;
  for (Block& each : blocks) {
    fuse(each.steps);
    begins.push_back(size);
    size += each.steps.size();
  }
  program.steps.reserve(size);
  for (const Block& each : blocks) {
    for (Step step : each.steps) {
      if (step.op == Op::kCall) step.a = begins[step.a];
      program.steps.push_back(step);
    }
  }
  leave_options(blocks, begins, program);
  for (ArrayField& array : program.arrays)
    array.body = static_cast<std::uint32_t>(begins[array.body]);
  for (VariantField& variant : program.variants) {
    for (std::uint32_t& body : variant.bodies) body = static_cast<std::uint32_t>(begins[body]);
  }
}

}  // namespace tracedeck::ctf
