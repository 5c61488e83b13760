#include "tracedeck/io/http_request.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tracedeck::io {
namespace {

using State = HttpHead::State;

State state_of(std::string_view bytes) { return read_http_head(bytes).state; }

TEST(HttpRequest, SaysWhatIsWantedAndOfWhom) {
  const std::string head =
      "GET /a?b HTTP/1.1\r\nAccept: */*\r\nhOsT: \t127.0.0.1:80 \r\nX:\r\n\r\n";
  const std::string bytes = head + "body";
  const HttpHead read = read_http_head(bytes);
  ASSERT_EQ(read.state, State::kComplete);
  EXPECT_EQ(read.request.method, "GET");
  EXPECT_EQ(read.request.target, "/a?b");
  EXPECT_EQ(read.request.host, "127.0.0.1:80");
  EXPECT_EQ(read.size, head.size());
}

TEST(HttpRequest, SaysWhoAsks) {
  const HttpHead read = read_http_head(
      "GET / HTTP/1.1\r\nHost: h\r\nORIGIN: https://a\r\nSec-Fetch-Site: cross-site\r\n"
      "sec-fetch-mode:cors\r\nSec-Fetch-Dest: empty\r\nSec_Fetch_Site: none\r\n\r\n");
  ASSERT_EQ(read.state, State::kComplete);
  EXPECT_EQ(read.request.origin, "https://a");
  EXPECT_EQ(read.request.fetch_site, "cross-site");
  EXPECT_EQ(read.request.fetch_mode, "cors");
  EXPECT_EQ(read.request.fetch_dest, "empty");
  EXPECT_EQ(state_of("GET / HTTP/1.1\r\nHost: h\r\nOrigin: a\r\nOrigin: a\r\n\r\n"),
            State::kMalformed);
}

TEST(HttpRequest, EveryPartOfAHeadMayBecomeOne) {
  const std::string head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (std::size_t size = 0; size < head.size(); ++size)
    EXPECT_EQ(state_of(head.substr(0, size)), State::kIncomplete) << size;
  EXPECT_EQ(state_of(head), State::kComplete);
}

TEST(HttpRequest, AnOldOneNeedsNoHost) {
  const HttpHead read = read_http_head("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(read.state, State::kComplete);
  EXPECT_EQ(read.request.host, "");
}

TEST(HttpRequest, WhatIsNoHeadIsMalformedAtOnce) {
  constexpr auto kMalformed = std::to_array<std::string_view>({
      "\r\n",
      "GET\r\n",
      "GET /\r\n",
      "GET / HTTP/2.0\r\n",
      "GET / HTTP/1.1 \r\n",
      "GET  / HTTP/1.1\r\n",
      "GET /a b HTTP/1.1\r\n",
      "GET /\xC3\xA4 HTTP/1.1\r\n",
      "G(T / HTTP/1.1\r\n",
      "GET / HTTP/1.1\n",
      "GET / HTTP/1.0\r\r\n",
      "\x16\x03\x01\x02",
      "GET / HTTP/1.1\r\nHost: a\r\n b\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n",
      "GET / HTTP/1.1\r\nHost\r\n",
      "GET / HTTP/1.1\r\nHost: a\rb\r\n",
      "GET / HTTP/1.1\r\n\r\n",
  });
  for (const std::string_view bytes : kMalformed)
    EXPECT_EQ(state_of(bytes), State::kMalformed) << bytes;
  EXPECT_EQ(state_of(std::string_view("GET / HTTP/1.1\r\nA: \0", 20)), State::kMalformed);
}

}  // namespace
}  // namespace tracedeck::io
