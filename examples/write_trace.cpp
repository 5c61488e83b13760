// Writes a small dial9 trace: an event class, described once for a struct, and three events of it.
//
//   write_trace FILE

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/io/output.hpp"

namespace dial9 = tracedeck::dial9;

struct RequestEnd {
  std::uint64_t timestamp = 0;            // ns
  std::uint64_t request = 0;              // Varint
  std::uint16_t status = 0;               // U16
  std::string_view route;                 // PooledString: the text once, then its id
  std::optional<std::string_view> error;  // String, optional
};

template <>
inline constexpr auto dial9::kDescription<RequestEnd> = dial9::describe<RequestEnd>(
    "RequestEnd", dial9::timestamp(&RequestEnd::timestamp),
    dial9::field("request", &RequestEnd::request), dial9::field("status", &RequestEnd::status),
    dial9::interned("route", &RequestEnd::route), dial9::field("error", &RequestEnd::error));

tracedeck::Result<void> write_requests(tracedeck::io::Output& file) {
  dial9::Encoder encoder([&](tracedeck::ByteSpan bytes) { return file.write(bytes); });
  for (std::uint64_t i = 0; i < 3; ++i) {
    RequestEnd end{.timestamp = 1000 * i, .request = i, .status = 200, .route = "/", .error = {}};
    if (i == 2) {
      end.status = 503;
      end.error = "timed out";
    }
    if (const auto written = encoder.write(end); !written) return written;
  }
  if (const auto finished = encoder.finish(); !finished) return std::unexpected(finished.error());
  return file.finish();
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto file = tracedeck::io::create_file(arguments[1]);
  const auto done = file ? write_requests(**file) : std::unexpected(file.error());
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return 1;
}
