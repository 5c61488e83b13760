#include "tracedeck/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/dial9/format.hpp"
#include "tracedeck/format/content_guess.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck {
namespace {

// The first bytes of an input, read as far as somebody wants to see.
class Head {
 public:
  explicit Head(io::Input& input) : input_(input) {}

  // Reads until there are `size` bytes or the input ends.
  void want(std::size_t size) {
    while (bytes_.size() < size && !whole_) read(size);
  }

  // Reads up to `size` bytes, but does not wait for what a live input may bring.
  void want_at_hand(std::size_t size) {
    if (!input_.live()) want(size);
  }

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void read(std::size_t size) {
    const std::size_t had = bytes_.size();
    bytes_.resize(size);
    const Result<std::size_t> got = input_.read(bytes_.data() + had, size - had);
    bytes_.resize(had + got.value_or(0));
    if (!got) failure_ = got.error();
    whole_ = bytes_.size() == had;
  }

  io::Input& input_;
  std::vector<std::uint8_t> bytes_;
  bool whole_ = false;
  std::optional<Error> failure_;
};

// Each format is shown no more than it and those before it want, so that a live input that has
// brought enough is not waited for.
const Format* recognise(Head& head) {
  for (const Format* const format : formats()) {
    head.want(format->recognition_size());
    if (format->recognises(head.bytes(), head.whole())) return format;
  }
  return nullptr;
}

std::string names_of_formats() {
  std::string names;
  for (const Format* const format : formats()) {
    names += names.empty() ? "" : "|";
    names += format->info().name;
  }
  return names;
}

std::unexpected<Error> unrecognised(Head& head, const io::Input& input) {
  // Damage so near the beginning explains it better.
  if (head.failure()) return std::unexpected(*head.failure());
  if (head.bytes().empty()) {
    return fail(ErrorCode::kUnrecognised,
                input.stopped() ? "it was stopped before its first byte came"
                                : "it is empty; see whether what should have written it did run",
                input.name());
  }
  head.want_at_hand(kGuessSize);
  return fail(ErrorCode::kUnrecognised,
              fmt::format("this is no trace of a known format: it {} (--format {} reads it as one "
                          "all the same)",
                          guess_content(head.bytes()), names_of_formats()),
              input.name());
}

}  // namespace

std::span<const Format* const> formats() {
  static const std::array<const Format*, 1> kFormats = {&dial9::format()};
  return kFormats;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find_if(
      formats(), [&](const Format* format) { return format->info().name == name; });
  return found == formats().end() ? nullptr : *found;
}

Result<OpenedInput> open_input(const std::string& path, const Format* format,
                               std::stop_token stop) {
  Result<std::unique_ptr<io::Input>> input = io::open_input(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  if (format != nullptr) return OpenedInput{format, std::move(*input)};
  Head head(**input);
  format = recognise(head);
  if (format == nullptr) return unrecognised(head, **input);
  Result<std::unique_ptr<io::Input>> whole = io::unread(head.take(), std::move(*input));
  if (!whole) return std::unexpected(std::move(whole.error()));
  return OpenedInput{format, std::move(*whole)};
}

Result<std::unique_ptr<Reader>> open_trace(const std::string& path, const ReadOptions& options,
                                           const Format* format, std::stop_token stop) {
  Result<OpenedInput> opened = open_input(path, format, std::move(stop));
  if (!opened) return std::unexpected(std::move(opened.error()));
  return opened->format->open(std::move(opened->input), options);
}

}  // namespace tracedeck
