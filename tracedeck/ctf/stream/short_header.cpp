#include "tracedeck/ctf/stream/short_header.hpp"

namespace tracedeck::ctf {
namespace {

// Steps are compared with what is expected, one after the other.
class Expected {
 public:
  Expected(const Program& program, std::size_t at) : step_(program.steps.data() + at) {}

  // The step, if it is that one.
  const Step* take(Op op) { return step_->op == op ? step_++ : nullptr; }

 private:
  const Step* step_;
};

// The bits of the clock in an option that is nothing else; 0: it is another one.
std::uint64_t clock_bits(const Program& program, std::uint32_t body) {
  Expected steps(program, body);
  if (steps.take(Op::kOpen) == nullptr) return 0;
  const Step* const load = steps.take(Op::kCheckedLittle);
  if (load == nullptr || load->a != load->width) return 0;
  const Step* const clock = steps.take(Op::kClock);
  const bool fits = clock != nullptr && clock->a == (std::uint64_t{1} << load->width) - 1;
  if (!fits || steps.take(Op::kClose) == nullptr || steps.take(Op::kLeave) == nullptr) return 0;
  return load->width;
}

}  // namespace

std::optional<ShortHeader> ShortHeader::of(const Program& event_header) {
  ShortHeader made;
  if (event_header.empty()) return std::nullopt;
  Expected steps(event_header, 0);
  const Step* const align = steps.take(Op::kAlign);
  if (align == nullptr || align->a < 7) return std::nullopt;
  made.alignment_mask_ = align->a;
  const Step* const id = steps.take(Op::kCheckedAlignedLittle);
  constexpr unsigned kMostIdBits = 6;
  if (id == nullptr || id->a != id->width || id->width > kMostIdBits) return std::nullopt;
  made.id_bits_ = id->width;
  if (const Step* const save = steps.take(Op::kSave))
    made.id_register_ = static_cast<std::uint32_t>(save->a);
  if (steps.take(Op::kEventClassId) == nullptr || steps.take(Op::kSetOrder) == nullptr)
    return std::nullopt;
  const Step* const variant = steps.take(Op::kVariant);
  if (variant == nullptr || steps.take(Op::kEnd) == nullptr) return std::nullopt;
  const VariantField& options = event_header.variants[variant->a];
  if (!options.forgets.empty() || options.selector != made.id_register_) return std::nullopt;
  for (std::uint64_t value = 0; value < std::uint64_t{1} << made.id_bits_; ++value) {
    if (value >= options.table.size() || options.table[value] == VariantField::kNotInTable)
      continue;
    const std::uint64_t bits = clock_bits(event_header, options.bodies[options.table[value]]);
    if (bits == 0 || (made.clock_bits_ != 0 && bits != made.clock_bits_)) continue;
    made.clock_bits_ = bits;
    made.short_ids_ |= std::uint64_t{1} << value;
  }
  const bool is_one = made.short_ids_ != 0 && made.id_bits_ + made.clock_bits_ <= 64;
  return is_one ? std::optional(made) : std::nullopt;
}

}  // namespace tracedeck::ctf
