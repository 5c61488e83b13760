// One JSON text, alone or of a stream of them, as a tree that knows where everything stood.
//
// The parser is simdjson's; the tree is a flat list of small nodes in the order of the text. It
// keeps what descriptions of traces need and DOM parsers drop: byte offsets, the order of keys,
// repeated keys, and numbers of any size as their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/padded_bytes.hpp"

namespace tracedeck {

// Arrays and objects within each other. A field class takes up to three levels (its object, the
// array of members or options, the member), so classes that are nested 256 deep are below this.
inline constexpr std::uint32_t kJsonNesting = 1000;

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

// "an object", "a string", ...
[[nodiscard]] std::string_view kind_words(JsonKind kind);

class JsonText;

// A value in a `JsonText`, which must outlive it; or no value.
class JsonRef {
 public:
  JsonRef() = default;
  JsonRef(const JsonText& text, std::uint32_t index) : text_(&text), index_(index) {}

  explicit operator bool() const { return text_ != nullptr; }
  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is(JsonKind kind) const { return this->kind() == kind; }
  [[nodiscard]] const JsonText& text() const { return *text_; }

  // The value as it is written.
  [[nodiscard]] std::string_view raw() const;
  // Of a string: its content without escapes.
  [[nodiscard]] std::string_view string() const;
  // Of a boolean.
  [[nodiscard]] bool boolean() const { return raw() == "true"; }
  // Byte offset in the stream.
  [[nodiscard]] std::uint64_t offset() const;
  // RFC 6901; what would be longer than about 500 bytes lacks its beginning.
  [[nodiscard]] std::string pointer() const;
  // Without white space between tokens.
  [[nodiscard]] std::string compact() const;

  // The children of an array or object in order, to be walked with `next_sibling`: of an object,
  // the values. No value after the last.
  [[nodiscard]] JsonRef first_child() const;
  [[nodiscard]] JsonRef next_sibling() const;
  // Of a child of an object: its name without escapes.
  [[nodiscard]] std::string_view key() const;

 private:
  friend class JsonText;

  JsonRef(const JsonText& text, std::uint32_t index, std::uint32_t element, std::uint32_t at)
      : text_(&text), index_(index), element_(element), at_(at) {}

  // Whether it is a child of an object.
  [[nodiscard]] bool is_member() const;
  // The text from its beginning on: of a child of an object, from its key on; the value and what
  // follows.
  [[nodiscard]] const char* begin() const;
  [[nodiscard]] const char* value() const;

  const JsonText* text_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t element_ = 0;  // 0: the value of the node; else an element of it, from 1
  std::uint32_t at_ = 0;       // of an element: where it begins in the text
};

// The children of an array or object, for range-for.
class JsonChildren {
 public:
  class Iterator {
   public:
    explicit Iterator(JsonRef at) : at_(at) {}
    JsonRef operator*() const { return at_; }
    Iterator& operator++() {
      at_ = at_.next_sibling();
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return static_cast<bool>(at_) != static_cast<bool>(other.at_);
    }

   private:
    JsonRef at_;
  };
  explicit JsonChildren(JsonRef parent) : parent_(parent) {}
  [[nodiscard]] Iterator begin() const { return Iterator(parent_.first_child()); }
  [[nodiscard]] static Iterator end() { return Iterator(JsonRef()); }

 private:
  JsonRef parent_;
};

// A line of the stream.
struct JsonLine {
  std::uint64_t number = 1;
  std::uint64_t begin = 0;  // offset of its first byte
};

class JsonText {
 public:
  [[nodiscard]] JsonRef root() const { return {*this, 0}; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  // of the text in the stream
  [[nodiscard]] const JsonLine& line() const { return line_; }    // that the text begins on
  [[nodiscard]] ByteSpan bytes() const { return bytes_.view().span(); }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // in the stream, from 1
  // Values whose key occurred before in the same object.
  [[nodiscard]] std::vector<JsonRef> repeated() const;

 private:
  friend class JsonRef;
  friend class JsonParser;

  // A text of a million values has as many: what the text itself says is not kept.
  struct Node {
    std::uint32_t offset = 0;  // in the text, of the value; of a child of an object, of its key
    std::uint32_t end = 0;     // index behind the last node of this value
    std::uint32_t parent = 0;  // index
    JsonKind kind : 3 = JsonKind::kNull;
    bool escaped : 1 = false;        // it is a string with escapes
    bool escaped_key : 1 = false;    // its key has some
    bool member : 1 = false;         // it is a child of an object
    bool flat : 1 = false;           // it is an array or object whose children have no nodes
    std::uint32_t ordinal : 25 = 0;  // among the elements of its array, or the most there is
  };
  static constexpr std::uint32_t kMostOrdinal = (std::uint32_t{1} << 25U) - 1;
  // Children of a flat array or object, at most: ranges of integers have two, most field classes
  // four.
  static constexpr std::uint32_t kMostFlat = 8;
  // Indices of nodes, and strings without their escapes, in order.
  using Unescaped = std::vector<std::pair<std::uint32_t, std::string>>;

  [[nodiscard]] const char* chars() const { return as_text(bytes()).data(); }

  // Offset in the text behind the last byte of a value; of one without nodes in it.
  [[nodiscard]] std::size_t end_of(std::uint32_t index) const;
  [[nodiscard]] std::size_t end_of_last(std::uint32_t index) const;
  [[nodiscard]] static std::string_view unescaped(const Unescaped& strings, std::uint32_t index);

  PaddedBytes bytes_;
  std::uint64_t offset_ = 0;
  std::uint64_t number_ = 0;
  JsonLine line_ = {};
  std::deque<Node> nodes_;  // grows without a second copy in memory
  Unescaped unescaped_;
  Unescaped unescaped_keys_;
  std::vector<std::uint32_t> repeated_;
};

// Why a text is not read.
struct JsonFault {
  enum class Kind : std::uint8_t {
    kInvalid,   // no JSON, or more than one text
    kNesting,   // deeper than `kJsonNesting`
    kTooLarge,  // 2 GiB
  };
  Kind kind = Kind::kInvalid;
  std::uint64_t offset = 0;  // in the stream, of the first bad byte as far as it is known
  std::string text = {};     // what was found
};

// Reads texts; reusing one saves allocations.
class JsonParser {
 public:
  JsonParser();
  ~JsonParser();

  // `offset` and `number`: of the text in its stream; `line`: that it begins on.
  [[nodiscard]] std::expected<std::shared_ptr<const JsonText>, JsonFault> parse(
      ByteSpan bytes, std::uint64_t offset, std::uint64_t number, const JsonLine& line = {});
  // The same without a copy: `bytes` become the text's if there is one.
  [[nodiscard]] std::expected<std::shared_ptr<const JsonText>, JsonFault> parse(
      PaddedBytes& bytes, std::uint64_t offset, std::uint64_t number, const JsonLine& line);

 private:
  struct State;
  class Walk;
  // Why `text` is not read, or nothing.
  [[nodiscard]] std::optional<JsonFault> parse_usual(JsonText& text);
  std::unique_ptr<State> state_;
};

}  // namespace tracedeck
