// Names as descriptions of traces keep them: 16 bytes, up to 15 characters without memory of their
// own.
//
// A trace may have a million fields, and their names are most of what its description takes.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tracedeck {

// Text that is set as a whole. Its `view()` is valid while it is neither changed nor moved.
class Name {
 public:
  Name() = default;
  // Throws std::length_error at 4 GiB.
  Name(std::string_view text) {  // NOLINT(google-explicit-constructor): as std::string is used
    char* at = bytes_;
    if (text.size() <= kShort) {
      bytes_[kShort] = static_cast<char>(kShort - text.size());
    } else {
      if (text.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a name of 4 GiB");
      at = new char[text.size()];
      const auto size = static_cast<std::uint32_t>(text.size());
      std::memcpy(bytes_, static_cast<const void*>(&at), sizeof at);
      std::memcpy(bytes_ + sizeof at, &size, sizeof size);
      bytes_[kShort] = kLong;
    }
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
  }
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT
  Name(const Name& other) : Name(other.view()) {}
  Name(Name&& other) noexcept { swap(other); }
  Name& operator=(const Name& other) {
    Name copy(other);
    swap(copy);
    return *this;
  }
  Name& operator=(Name&& other) noexcept {
    Name taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Name() {
    if (bytes_[kShort] == kLong) delete[] text();
  }

  [[nodiscard]] std::string_view view() const {
    if (bytes_[kShort] != kLong) return {bytes_, kShort - static_cast<std::size_t>(bytes_[kShort])};
    std::uint32_t size = 0;
    std::memcpy(&size, bytes_ + sizeof(char*), sizeof size);
    return {text(), size};
  }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return bytes_[kShort] == static_cast<char>(kShort); }
  [[nodiscard]] std::size_t size() const { return view().size(); }

  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(const Name& a, const Text& b) {
    return a.view() == static_cast<std::string_view>(b);
  }
  template <std::convertible_to<std::string_view> Text>
  friend std::strong_ordering operator<=>(const Name& a, const Text& b) {
    return a.view() <=> static_cast<std::string_view>(b);
  }

 private:
  static constexpr std::size_t kShort = 15;  // the most characters that lie in `bytes_`
  static constexpr char kLong = -1;          // `bytes_` begin with a pointer and a size

  [[nodiscard]] char* text() const {
    char* text = nullptr;
    std::memcpy(static_cast<void*>(&text), bytes_, sizeof text);
    return text;
  }
  void swap(Name& other) noexcept { std::swap(bytes_, other.bytes_); }

  // The last one: how many characters fewer than `kShort` there are, or `kLong`.
  alignas(char*) char bytes_[kShort + 1] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kShort};
};

// A text that is nearly always empty, and takes the space of a pointer then.
class RareName {
 public:
  RareName() = default;
  RareName(std::string_view text)  // NOLINT(google-explicit-constructor): as std::string is used
      : text_(text.empty() ? nullptr : std::make_unique<std::string>(text)) {}
  RareName(const std::string& text) : RareName(std::string_view(text)) {}  // NOLINT
  RareName(const char* text) : RareName(std::string_view(text)) {}         // NOLINT
  RareName(const RareName& other) : RareName(other.view()) {}
  RareName(RareName&& other) noexcept = default;
  RareName& operator=(const RareName& other) { return *this = RareName(other); }
  RareName& operator=(RareName&& other) noexcept = default;
  ~RareName() = default;

  [[nodiscard]] std::string_view view() const {
    return text_ == nullptr ? std::string_view() : *text_;
  }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return view().size(); }

  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(const RareName& a, const Text& b) {
    return a.view() == static_cast<std::string_view>(b);
  }

 private:
  std::unique_ptr<std::string> text_;  // null: empty
};

}  // namespace tracedeck
