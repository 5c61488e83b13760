#include "tracedeck/columns/partition_name.hpp"

#include <fmt/format.h>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::columns {
namespace {

constexpr std::size_t kLongestValue = 200;
constexpr HashKey kPartitionKey{.low = 0x7472616365646563, .high = 0x6b2d70617274696f};

bool is_harmless(char character) {
  return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') ||
         (character >= '0' && character <= '9') || character == '_' || character == '.' ||
         character == '-';
}

}  // namespace

std::string partition_value(std::string_view value) {
  if (value.empty()) return "__HIVE_DEFAULT_PARTITION__";
  std::string name;
  for (const char character : value) {
    if (name.size() > kLongestValue) {
      return name + fmt::format("%40{:08x}", sip_hash(kPartitionKey, value) & 0xFFFF'FFFF);
    }
    if (is_harmless(character)) {
      name += character;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    }
  }
  return name;
}

std::string partition_name(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, partition_value(value));
}

}  // namespace tracedeck::columns
