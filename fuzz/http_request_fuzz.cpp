// Any bytes as the head of a request: what it holds lies within it and is what it may be, and no
// part of it is another answer than a whole.

#include "tracedeck/io/http_request.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using tracedeck::io::HttpHead;
using tracedeck::io::read_http_head;
using State = HttpHead::State;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char character) {
    return character == '\r' || character == '\n' || character == '\0';
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const HttpHead head = read_http_head(bytes);
  if (head.state == State::kComplete) {
    require(head.size <= size && bytes.substr(0, head.size).ends_with("\r\n\r\n"));
    require(!head.request.method.empty() && !head.request.target.empty());
    require(is_plain(head.request.method) && is_plain(head.request.target) &&
            is_plain(head.request.host));
  }
  // As bytes arrive: incomplete up to the one that decides.
  constexpr std::size_t kMost = 512;
  bool decided = false;
  for (std::size_t part = 0; part <= std::min(size, kMost); ++part) {
    const HttpHead begun = read_http_head(bytes.substr(0, part));
    require(!decided || begun.state != State::kIncomplete);
    decided = begun.state != State::kIncomplete;
    if (decided && size <= kMost) require(begun.state == head.state && begun.size == head.size);
  }
  return 0;
}
