// Scalars, tags and selectors as a dialect can say them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// A boolean, integer or real in the target.
struct ScalarTarget {
  FieldClass field_class{.kind = BooleanClass{}};
  EncodeNode node = {};
  bool is_fixed = true;     // it has a byte order
  bool otherwise = false;   // the dialect lacks the class
  std::uint32_t bytes = 0;  // it becomes an array of so many bytes, 0: it does not
  FieldClassPtr element = nullptr;
};
[[nodiscard]] ScalarTarget scalar_target(const FieldClass& source, Dialect dialect);

// Gives a fixed-length integer that says how long a packet is, by the roles of its node, 64 bits.
void widen_size(ScalarTarget& target);

// An unsigned integer of 8 bits.
[[nodiscard]] FieldClassPtr byte_class();

// A variable-length integer: CTF 1.8 has its nearest value of 64 bits.
[[nodiscard]] bool is_leb128(const FieldClass& field_class);
// Leaves out what labels of such an integer mean beyond 64 bits, which CTF 1.8 cannot say.
void leave_out_beyond(std::vector<Mapping>& mappings);
// A structure of a length and the bytes of such an integer that does not fit, the least significant
// first; else it is empty.
[[nodiscard]] FieldClass whole_class();

// Whether it does not fit 64 bits.
[[nodiscard]] bool is_wide(const IntegerClass& integer);

// Labels of the two values of a boolean in CTF 1.8, and names of the options of what is an optional
// elsewhere.
inline constexpr std::string_view kAbsentOption = "false";
inline constexpr std::string_view kPresentOption = "true";
[[nodiscard]] FieldClass presence_class(bool ctf1);
// What is an optional elsewhere: nothing or the value.
[[nodiscard]] VariantClass presence_variant(FieldLocation selector, FieldClassPtr value);

// An enumeration of the options of a variant.
[[nodiscard]] FieldClass tag_class(const std::vector<std::string>& names, std::uint32_t width);
// Names for the options: their own where they serve.
[[nodiscard]] std::vector<std::string> option_names(const VariantClass& variant, bool ctf1);

// Whether a field of this class selects the options as CTF 1.8 wants it: by labels that are the
// options' names, for just the same values.
[[nodiscard]] bool selects_by_label(const IntegerClass& selector, const VariantClass& variant);

}  // namespace tracedeck::ctf
