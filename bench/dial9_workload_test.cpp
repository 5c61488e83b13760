// The encoder writes the workloads byte for byte as the reference encoder does.
#include "bench/dial9_workload.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace tracedeck::bench {
namespace {

// SHA-256 (FIPS 180-4), in the words of the standard.
class Sha256 {
 public:
  static std::string of(ByteSpan message) {
    Sha256 hash;
    const std::size_t whole = message.size() / 64 * 64;
    for (std::size_t at = 0; at < whole; at += 64) hash.block(message.data() + at);
    std::vector<std::uint8_t> tail(message.begin() + static_cast<std::ptrdiff_t>(whole),
                                   message.end());
    tail.push_back(0x80);
    while (tail.size() % 64 != 56) tail.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8)
      tail.push_back(static_cast<std::uint8_t>(message.size() * 8 >> shift));
    for (std::size_t at = 0; at < tail.size(); at += 64) hash.block(tail.data() + at);
    std::string digest;
    for (const std::uint32_t word : hash.h_) digest += fmt::format("{:08x}", word);
    return digest;
  }

 private:
  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  static constexpr std::array<std::uint32_t, 64> kConstants = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};

  void block(const std::uint8_t* bytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = load_be<std::uint32_t>(bytes + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 =
          std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = h_;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> state = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) h_[i] += state[i];
  }

  std::array<std::uint32_t, 8> h_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256::of({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256::of(as_bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256::of(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Dial9Workload, Mix3IsByteForByteTheReference) {
  dial9::Encoder encoder;
  ASSERT_TRUE(encode_workload<kMix3>(encoder, kWorkloadEvents));
  EXPECT_EQ(encoder.bytes().size(), 16'400'297U);
  EXPECT_EQ(Sha256::of(encoder.bytes()),
            "31b793499fe3bc1737ce42e94828d9747e91b569bbfad1fe306b5329222cdb68");
}

TEST(Dial9Workload, Mix16IsByteForByteTheReference) {
  dial9::Encoder encoder;
  ASSERT_TRUE(encode_workload<kMix16>(encoder, kWorkloadEvents));
  EXPECT_EQ(encoder.bytes().size(), 37'200'297U);
  EXPECT_EQ(Sha256::of(encoder.bytes()),
            "9cde9ba4998963bd32fd27d88283d55473617f4a72af83a92fe4ba7c6546e803");
}

}  // namespace
}  // namespace tracedeck::bench
