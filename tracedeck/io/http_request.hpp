// The head of a request of HTTP/1.0 or 1.1 (RFC 9112), as much of it as who serves a few files
// needs to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tracedeck::io {

struct HttpRequest {
  std::string_view method = {};  // "GET"
  std::string_view target = {};  // as it was sent: "/trace"
  std::string_view host = {};    // of the field Host; empty: there is none, or it is empty
  // What browsers say of who asks (Fetch, section 3.1; Fetch Metadata, section 2); empty: nothing.
  std::string_view origin = {};      // "https://ui.perfetto.dev"
  std::string_view fetch_site = {};  // "none", "same-origin", "same-site", "cross-site"
  std::string_view fetch_mode = {};  // "navigate", "cors", "no-cors", ...
  std::string_view fetch_dest = {};  // "document", "iframe", "image", ...
};

struct HttpHead {
  enum class State : std::uint8_t {
    kIncomplete,  // more bytes may make it a head
    kMalformed,   // whatever follows
    kComplete,
  };
  State state = State::kIncomplete;
  HttpRequest request = {};  // of kComplete; points into what was read
  std::size_t size = 0;      // of kComplete: bytes of the head
};

// Reads the head that `bytes` begin with. Lines end in CR LF, fields are not folded (section 5.2),
// nothing but a horizontal tab is a control character, a request of HTTP/1.1 names one host
// (section 3.2), and no field that is looked at is there twice. The caller bounds the size.
[[nodiscard]] HttpHead read_http_head(std::string_view bytes);

}  // namespace tracedeck::io
