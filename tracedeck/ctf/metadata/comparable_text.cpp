#include "tracedeck/ctf/metadata/comparable_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/metadata/tsdl_packets.hpp"

namespace tracedeck::ctf {
namespace {

bool is_blank(char each) { return each == ' ' || (each >= '\t' && each <= '\r'); }

bool is_word(char each) {
  return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
         (each >= 'A' && each <= 'Z') || each == '_';
}

// What is left out of top-level declarations, of `clock` blocks, and of fragments.
constexpr std::array<std::string_view, 1> kLeftOutBlocks = {"env"};
constexpr std::array<std::string_view, 2> kLeftOutOfClocks = {"offset", "offset_s"};
constexpr std::array<std::string_view, 3> kLeftOutMembers = {"offset", "offset-from-origin",
                                                             "environment"};
constexpr std::size_t kLongestWord = 18;

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

class ComparableText::Sum {
 public:
  explicit Sum(std::vector<std::uint64_t> lengths) : lengths_(std::move(lengths)) {}

  void add(char each) {
    const HashKey& key = process_key();
    const std::uint64_t byte = static_cast<unsigned char>(each);
    whole_.hash = keyed_hash_detail::folded(whole_.hash ^ byte ^ key.low, key.high | 1) + byte;
    ++whole_.length;
    if (beginnings_.size() < lengths_.size() && lengths_[beginnings_.size()] == whole_.length)
      beginnings_.push_back(whole_);
  }
  [[nodiscard]] const TextSum& whole() const { return whole_; }
  [[nodiscard]] const std::vector<TextSum>& beginnings() const { return beginnings_; }

 private:
  std::vector<std::uint64_t> lengths_;
  TextSum whole_;
  std::vector<TextSum> beginnings_;
};

class ComparableText::Reduction {
 public:
  explicit Reduction(Sum& sum) : sum_(sum) {}
  virtual ~Reduction() = default;
  virtual void take(ByteSpan bytes) = 0;

 protected:
  void add(char each) { sum_.add(each); }

 private:
  Sum& sum_;
};

class ComparableText::Tsdl final : public Reduction {
 public:
  using Reduction::Reduction;

  void take(ByteSpan bytes) override { take(as_text(bytes)); }
  void take(std::string_view text) {
    for (const char each : text) step(each);
  }

 private:
  enum class State : std::uint8_t { kCode, kSlash, kLineComment, kBlockComment, kStar, kQuoted };

  void step(char each) {
    switch (state_) {
      case State::kSlash:
        state_ = each == '/'   ? State::kLineComment
                 : each == '*' ? State::kBlockComment
                               : State::kCode;
        if (state_ != State::kCode) {
          end_word();
          has_blank_ = true;
          return;
        }
        code('/');
        return step(each);
      case State::kLineComment:
        if (each == '\n') state_ = State::kCode;
        return;
      case State::kBlockComment:
      case State::kStar:
        if (state_ == State::kStar && each == '/') {
          state_ = State::kCode;
        } else {
          state_ = each == '*' ? State::kStar : State::kBlockComment;
        }
        return;
      case State::kQuoted:
        put(each);
        if (!std::exchange(escaped_, !escaped_ && each == '\\') && each == quote_)
          state_ = State::kCode;
        return;
      case State::kCode:
        if (each == '/') {
          state_ = State::kSlash;
        } else if (each == '"' || each == '\'') {
          end_word();
          state_ = State::kQuoted;
          quote_ = each;
          put(each);
        } else {
          code(each);
        }
    }
  }

  void code(char each) {
    // Zeros may follow the text.
    if (is_blank(each) || each == '\0') {
      end_word();
      has_blank_ = true;
      return;
    }
    if (is_word(each)) {
      if (!begins_) return put(each);
      word_ += each;
      if (word_.size() > kLongestWord) end_word();
      return;
    }
    end_word();
    put(each);
    if (each == '{') ++depth_;
    if (each == '}' && depth_ != 0) --depth_;
    begins_ = (each == ';' && depth_ == 0) || (is_clock_ && depth_ == 1 && each != '=');
    if (each != ';') return;
    if (depth_ == 0) is_clock_ = false;
    if (leaves_out_ && depth_ == left_out_depth_) leaves_out_ = false;
  }

  // Of the first word of a declaration or statement.
  void end_word() {
    if (!begins_ || word_.empty()) return;
    begins_ = false;
    const std::string word = std::exchange(word_, {});
    const bool is_left_out =
        depth_ == 0 ? is_one_of(kLeftOutBlocks, word) : is_one_of(kLeftOutOfClocks, word);
    if (is_left_out && !leaves_out_) {
      leaves_out_ = true;
      left_out_depth_ = depth_;
    }
    if (depth_ == 0) is_clock_ = word == "clock";
    for (const char each : word) put(each);
  }

  void put(char each) {
    if (leaves_out_) return;
    if (std::exchange(has_blank_, false) && is_word(last_) && is_word(each)) add(' ');
    last_ = each;
    add(each);
  }

  State state_ = State::kCode;
  char quote_ = 0;
  bool escaped_ = false;
  bool has_blank_ = false;
  char last_ = 0;
  std::size_t depth_ = 0;
  bool begins_ = true;  // a declaration, or a statement of a clock
  bool is_clock_ = false;
  std::string word_;
  bool leaves_out_ = false;
  std::size_t left_out_depth_ = 0;
};

class ComparableText::PacketizedTsdl final : public Reduction {
 public:
  explicit PacketizedTsdl(Sum& sum) : Reduction(sum), packets_(findings_), text_(sum) {}

  void take(ByteSpan bytes) override {
    for (const auto& [text, offset] : packets_.read(bytes)) text_.take(text);
  }

 private:
  tsdl::TextFindings findings_;
  tsdl::MetadataPackets packets_;
  Tsdl text_;
};

class ComparableText::Json final : public Reduction {
 public:
  using Reduction::Reduction;

  void take(ByteSpan bytes) override {
    for (const char each : as_text(bytes)) step(each);
  }

 private:
  static constexpr char kRecordSeparator = '\x1e';

  void step(char each) {
    if (is_text_) {
      if (is_key_ && word_.size() <= kLongestWord && each != '"') word_ += each;
      put(each);
      if (!std::exchange(escaped_, !escaped_ && each == '\\') && each == '"') end_text();
      return;
    }
    if (is_blank(each)) return;
    if (each == kRecordSeparator) {
      depth_ = 0;
      leaves_out_ = false;
    }
    const bool opens = each == '{' || each == '[';
    const bool closes = each == '}' || each == ']';
    if (closes && depth_ != 0) --depth_;
    // Members that are left out leave no comma.
    if ((each == ',' && depth_ == 1) || (closes && depth_ == 0)) leaves_out_ = false;
    if (each == '"') {
      is_text_ = true;
      is_key_ = std::exchange(key_follows_, false);
      held_ = is_key_;
    } else {
      key_follows_ = (each == '{' && depth_ == 0) || (each == ',' && depth_ == 1);
    }
    if (!(each == ',' && depth_ == 1)) put(each);
    if (opens) ++depth_;
  }

  void end_text() {
    is_text_ = false;
    if (!std::exchange(is_key_, false)) return;
    held_ = false;
    leaves_out_ = is_one_of(kLeftOutMembers, std::exchange(word_, {}));
    const std::string key = std::exchange(key_, {});
    for (const char each : key) put(each);
  }

  // A key is known when it ends.
  void put(char each) {
    if (held_) {
      key_ += each;
    } else if (!leaves_out_) {
      add(each);
    }
  }

  std::size_t depth_ = 0;
  bool is_text_ = false;
  bool escaped_ = false;
  bool key_follows_ = false;
  bool is_key_ = false;
  bool held_ = false;
  bool leaves_out_ = false;
  std::string word_;
  std::string key_;
};

ComparableText::ComparableText(std::vector<std::uint64_t> lengths)
    : sum_(std::make_unique<Sum>(std::move(lengths))) {}

ComparableText::~ComparableText() = default;

void ComparableText::take(ByteSpan bytes) {
  if (reduction_ != nullptr) return reduction_->take(bytes);
  constexpr std::size_t kTelling = 4;
  head_.insert(head_.end(), bytes.begin(), bytes.end());
  if (head_.size() < kTelling) return;
  if (tsdl::MetadataPackets::are_packets(head_)) {
    reduction_ = std::make_unique<PacketizedTsdl>(*sum_);
  } else if (head_.front() == 0x1e) {
    reduction_ = std::make_unique<Json>(*sum_);
  } else {
    reduction_ = std::make_unique<Tsdl>(*sum_);
  }
  reduction_->take(std::exchange(head_, {}));
}

TextSum ComparableText::whole() const { return sum_->whole(); }

const std::vector<TextSum>& ComparableText::beginnings() const { return sum_->beginnings(); }

}  // namespace tracedeck::ctf
