#include "tracedeck/base/keyed_hash.hpp"

#include <bit>
#include <charconv>
#include <random>
#include <system_error>

namespace tracedeck {
namespace {

using keyed_hash_detail::word_at;

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

struct SipState {
  std::uint64_t v0;
  std::uint64_t v1;
  std::uint64_t v2;
  std::uint64_t v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
};

}  // namespace

const HashKey& process_key() {
  static const HashKey kKey{.low = random_word(), .high = random_word()};
  return kKey;
}

std::optional<HashKey> parse_hash_key(std::string_view digits) {
  HashKey key;
  if (digits.size() != 32) return std::nullopt;
  for (std::uint64_t* const word : {&key.high, &key.low}) {
    const char* const end = digits.data() + 16;
    const auto parsed = std::from_chars(digits.data(), end, *word, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    digits.remove_prefix(16);
  }
  return key;
}

std::uint64_t sip_hash(const HashKey& key, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  SipState state{.v0 = key.low ^ 0x736F6D6570736575U,
                 .v1 = key.high ^ 0x646F72616E646F6DU,
                 .v2 = key.low ^ 0x6C7967656E657261U,
                 .v3 = key.high ^ 0x7465646279746573U};
  std::uint64_t last = std::uint64_t{bytes.size()} << 56;
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    state.take(word_at<std::uint64_t>(bytes.data()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    last |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  state.take(last);
  state.v2 ^= 0xFF;
  state.round();
  state.round();
  state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace tracedeck
