#include "tracedeck/base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tracedeck {
namespace {

std::string digest_of(std::string_view text, std::size_t piece = 1000) {
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += piece)
    hash.add(as_bytes(text.substr(at, piece)));
  return hexadecimal(hash.finish());
}

// FIPS 180-4 examples, and those of NIST's test vectors.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  for (const std::size_t size : {1U, 55U, 56U, 63U, 64U, 65U, 119U, 120U, 200U}) {
    const std::string text(size, 'x');
    for (const std::size_t piece : {1U, 3U, 63U, 64U, 65U})
      EXPECT_EQ(digest_of(text, piece), digest_of(text)) << size << ' ' << piece;
  }
}

}  // namespace
}  // namespace tracedeck
