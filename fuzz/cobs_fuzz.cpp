// Any bytes as a COBS payload and as an encoding: what is encoded reads back, has no zeros and
// keeps the bound; what decodes, encodes to something that decodes alike.

#include "tracedeck/base/cobs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file
using Bytes = std::vector<std::uint8_t>;

void require(bool holds) {
  if (!holds) std::abort();
}

Bytes encode(const Bytes& payload) {
  Bytes encoding(cobs_bound(payload.size()));
  std::uint8_t* const end = cobs_encode(payload, encoding.data());
  encoding.resize(static_cast<std::size_t>(end - encoding.data()));
  require(std::ranges::find(encoding, 0) == encoding.end());
  return encoding;
}

std::optional<Bytes> decode(const Bytes& encoding) {
  Bytes payload(encoding.size());
  const std::optional<std::size_t> size = cobs_decode(encoding, payload.data());
  if (!size) return std::nullopt;
  payload.resize(*size);
  return payload;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, data + size);
  require(decode(encode(bytes)) == bytes);
  const std::optional<Bytes> payload = decode(bytes);
  if (payload) require(decode(encode(*payload)) == payload);
  return 0;
}
