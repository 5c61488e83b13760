#include "tracedeck/io/http_request.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tracedeck::io {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t') || code == 0x7F;
}

// Section 5.6.2 of RFC 9110.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char character) {
    return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
           (character >= 'a' && character <= 'z') || kMarks.find(character) != kMarks.npos;
  });
}

bool is_target(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char character) {
    return character > ' ' && character < 0x7F;
  });
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_named(std::string_view name, std::string_view lower_case) {
  return std::ranges::equal(name, lower_case, [](char character, char small) {
    return character == small || (small >= 'a' && small <= 'z' && character == small - 'a' + 'A');
  });
}

// The fields that are looked at.
struct Field {
  std::string_view name;  // in lower case
  std::string_view HttpRequest::* value;
};
constexpr std::array kFields = {
    Field{.name = "host", .value = &HttpRequest::host},
    Field{.name = "origin", .value = &HttpRequest::origin},
    Field{.name = "sec-fetch-site", .value = &HttpRequest::fetch_site},
    Field{.name = "sec-fetch-mode", .value = &HttpRequest::fetch_mode},
    Field{.name = "sec-fetch-dest", .value = &HttpRequest::fetch_dest},
};

// Of the head, line by line.
class Reading {
 public:
  // Whether the line may be there.
  bool take(std::string_view line) {
    if (std::ranges::any_of(line, is_control)) return false;
    return request_.method.empty() ? take_first(line) : take_field(line);
  }
  // Whether lines that end here are a head.
  [[nodiscard]] bool is_whole() const {
    return !request_.method.empty() && (seen_.front() || !names_host_);
  }
  [[nodiscard]] const HttpRequest& request() const { return request_; }

 private:
  // METHOD SP TARGET SP HTTP/1.1
  bool take_first(std::string_view line) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == line.npos || first == last) return false;
    const std::string_view version = line.substr(last + 1);
    request_.method = line.substr(0, first);
    request_.target = line.substr(first + 1, last - first - 1);
    names_host_ = version == "HTTP/1.1";
    return is_token(request_.method) && is_target(request_.target) &&
           (names_host_ || version == "HTTP/1.0");
  }

  bool take_field(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) return false;
    const auto* const field = std::ranges::find_if(
        kFields, [&](const Field& each) { return is_named(line.substr(0, colon), each.name); });
    if (field == kFields.end()) return true;
    request_.*field->value = without_blanks(line.substr(colon + 1));
    return !std::exchange(seen_[static_cast<std::size_t>(field - kFields.begin())], true);
  }

  HttpRequest request_;
  bool names_host_ = false;
  std::array<bool, kFields.size()> seen_{};  // Host is the first
};

}  // namespace

HttpHead read_http_head(std::string_view bytes) {
  using State = HttpHead::State;
  Reading reading;
  std::string_view rest = bytes;
  for (;;) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end == rest.npos ? rest.size() : end + 1);
    if (end == rest.npos) {
      const std::string_view begun = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
      return {.state =
                  std::ranges::any_of(begun, is_control) ? State::kMalformed : State::kIncomplete};
    }
    if (!line.ends_with(kLineEnd)) return {.state = State::kMalformed};
    rest.remove_prefix(line.size());
    const std::string_view content = line.substr(0, line.size() - kLineEnd.size());
    if (content.empty()) {
      if (!reading.is_whole()) return {.state = State::kMalformed};
      return {.state = State::kComplete,
              .request = reading.request(),
              .size = bytes.size() - rest.size()};
    }
    if (!reading.take(content)) return {.state = State::kMalformed};
  }
}

}  // namespace tracedeck::io
