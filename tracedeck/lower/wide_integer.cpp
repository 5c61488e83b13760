#include "tracedeck/lower/wide_integer.hpp"

#include <vector>

namespace tracedeck::lower {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Of a little-endian two's complement.
void negate(std::vector<std::uint8_t>& bytes) {
  unsigned carry = 1;
  for (std::uint8_t& byte : bytes) {
    const unsigned sum = static_cast<std::uint8_t>(~byte) + carry;
    byte = static_cast<std::uint8_t>(sum);
    carry = sum >> 8;
  }
}

// The magnitude, little-endian; nothing: the digits are none.
std::optional<std::vector<std::uint8_t>> magnitude_of(std::string_view digits) {
  std::vector<std::uint8_t> bytes((digits.size() + 1) / 2);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t digit = kHexDigits.find(digits[digits.size() - 1 - i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] | digit << (i % 2 * 4));
  }
  return bytes;
}

bool top_bit(const std::vector<std::uint8_t>& bytes) { return bytes.back() >= 0x80; }

}  // namespace

void append_wide_integer(std::string& out, const Slot& slot) {
  std::vector<std::uint8_t> bytes(slot.bytes().begin(), slot.bytes().end());
  if (slot.kind == SlotKind::kWideSigned && !bytes.empty() && top_bit(bytes)) {
    out.push_back('-');
    negate(bytes);
  }
  while (bytes.size() > 1 && bytes.back() == 0) bytes.pop_back();
  out += "0x";
  for (std::size_t i = bytes.size(); i-- > 0;) {
    if (i + 1 != bytes.size() || bytes[i] >= 16) out.push_back(kHexDigits[bytes[i] >> 4]);
    out.push_back(kHexDigits[bytes[i] & 15]);
  }
}

std::optional<Slot> parse_wide_integer(std::string_view text, bool is_signed,
                                       std::optional<std::uint32_t> width, ByteArena& arena) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x") || text.size() == 2 || (negative && !is_signed)) return std::nullopt;
  auto bytes = magnitude_of(text.substr(2));
  if (!bytes) return std::nullopt;
  bytes->push_back(0);
  if (negative) negate(*bytes);
  const std::uint8_t fill = negative ? 0xFF : 0;
  // The shortest that keeps the sign.
  while (bytes->size() > 1 && bytes->back() == fill &&
         (!is_signed || ((*bytes)[bytes->size() - 2] >= 0x80) == negative))
    bytes->pop_back();
  const auto least = width ? (*width + 7) / 8 : std::size_t{0};
  if (width && (*width <= 64 || bytes->size() > least)) return std::nullopt;
  if (width) {
    bytes->resize(least, fill);
    // Bits above the width repeat the sign.
    const unsigned used = *width % 8;
    const unsigned above = used == 0 ? 0 : bytes->back() >> (is_signed ? used - 1 : used);
    const unsigned all = used == 0 ? 0 : 0xFFU >> (is_signed ? used - 1 : used);
    if (above != 0 && !(negative && above == all)) return std::nullopt;
  } else if (bytes->size() <= 8) {
    return std::nullopt;
  }
  return bytes_slot(is_signed ? SlotKind::kWideSigned : SlotKind::kWideUnsigned, arena.keep(*bytes),
                    static_cast<std::uint32_t>(bytes->size()));
}

}  // namespace tracedeck::lower
