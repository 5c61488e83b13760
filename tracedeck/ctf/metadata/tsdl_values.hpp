// The attributes of TSDL's blocks and types, and what their values mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf::tsdl {

struct KnownAttribute {
  std::string_view name;
  bool takes_type = false;  // by `:=`
};

// The attributes of one block or type, by their index in a table. Not owning.
class AttributeSet {
 public:
  // Reports what is unknown, repeated or of the wrong kind. `owner`: "integer", "`stream` block".
  AttributeSet(const std::vector<Assignment>& assignments, std::span<const KnownAttribute> known,
               std::string_view owner, TextFindings& findings);

  // Null: not given.
  [[nodiscard]] const Expression* value(std::size_t index) const {
    return given_[index] == nullptr ? nullptr : &given_[index]->value;
  }
  [[nodiscard]] const TypeSpecifier* type(std::size_t index) const {
    return given_[index] == nullptr ? nullptr : given_[index]->type.get();
  }
  [[nodiscard]] const std::vector<const Assignment*>& unknown() const { return unknown_; }

 private:
  std::vector<const Assignment*> given_;
  std::vector<const Assignment*> unknown_;
};

// Readers of values. Each reports what it cannot read, as `rule`, and then gives nothing. `what`:
// "the size of an integer".
class ValueReader {
 public:
  explicit ValueReader(TextFindings& findings) : findings_(findings) {}

  [[nodiscard]] std::optional<std::uint64_t> number(
      const Expression& from, std::string_view what, std::uint64_t least = 0,
      std::uint64_t most = UINT64_MAX, TsdlRule rule = TsdlRule::kAttributeValue) const;
  [[nodiscard]] std::optional<std::int64_t> signed_number(const Expression& from,
                                                          std::string_view what) const;
  [[nodiscard]] std::optional<bool> boolean(const Expression& from, std::string_view what) const;
  // A string, or an identifier instead.
  [[nodiscard]] std::optional<std::string> text(const Expression& from,
                                                std::string_view what) const;
  [[nodiscard]] std::optional<Uuid> uuid(const Expression& from) const;
  [[nodiscard]] std::optional<std::uint32_t> alignment(const Expression& from) const;
  // `native`: what that word means; nothing where it is not allowed.
  [[nodiscard]] std::optional<ByteOrder> byte_order(const Expression& from,
                                                    std::optional<ByteOrder> native) const;
  [[nodiscard]] std::optional<DisplayBase> base(const Expression& from) const;
  // Whether characters are meant.
  [[nodiscard]] std::optional<bool> encoding(const Expression& from) const;
  // `clock.NAME.value`: NAME.
  [[nodiscard]] std::optional<std::string> mapped_clock(const Expression& from) const;

 private:
  void report(TsdlRule rule, const Expression& from, std::string_view what,
              std::string_view expected) const;

  TextFindings& findings_;
};

// A value as the text shows it: an integer in decimal, a string or names without quotes.
[[nodiscard]] std::string plain_text(const Expression& from);

// A UUID as "2a6422d0-6cee-11e0-8c08-cb07d7b3a564", or nothing.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);

}  // namespace tracedeck::ctf::tsdl
