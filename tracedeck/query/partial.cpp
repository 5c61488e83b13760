#include "tracedeck/query/partial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/query/lexer.hpp"
#include "tracedeck/spill/spill_file.hpp"

namespace tracedeck::query {
namespace {

constexpr std::string_view kMagic = "TDPART\r\n";
constexpr std::uint64_t kVersion = 6;
constexpr std::size_t kMostBlock = std::size_t{16} << 20;
constexpr std::size_t kBlockHead = 12;
constexpr std::size_t kMarkSize = 8;

void put_little_endian(std::string& into, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) into.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

std::uint64_t little_endian(ByteSpan bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

// The hash of a block, which is of all blocks before it too: none can be missing, doubled, or stand
// elsewhere.
class BlockHash {
 public:
  std::uint64_t next(std::string_view block) {
    state_.low = sip_hash(state_, block);
    ++state_.high;
    return state_.low;
  }

 private:
  HashKey state_ = {};  // the hash of the block before, and the number of blocks
};

class BlockWriter {
 public:
  explicit BlockWriter(io::Output& output) : output_(output) {}

  Result<void> write_head() {
    std::string head(kMagic);
    put_varint(head, kVersion);
    return output_.write(head);
  }
  Result<void> write(std::string_view bytes) {
    if (bytes.size() > kMostBlock)
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("a group of more than {} MiB is too large for a partial answer",
                              kMostBlock >> 20));
    std::string head;
    put_little_endian(head, bytes.size(), 4);
    put_little_endian(head, hash_.next(bytes), 8);
    if (auto written = output_.write(head); !written) return written;
    return output_.write(bytes);
  }

 private:
  io::Output& output_;
  BlockHash hash_;
};

std::string_view text_of(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The words of a question, which do not depend on how they are spaced.
std::string words_of(std::string_view question) {
  Lexer lexer(question);
  std::string words;
  bool behind_match = false;
  while (lexer.read(behind_match) && lexer.token().kind != Token::Kind::kEnd) {
    put_text(words, lexer.token().text);
    behind_match = lexer.token().is("=~") || lexer.token().is("!~");
  }
  return words;
}

// A question for a message: the beginning of one that is long.
std::string shown(std::string_view question) {
  constexpr std::size_t kMost = 200;
  return question.size() <= kMost ? std::string(question)
                                  : std::string(question.substr(0, kMost)) + "...";
}

// The blocks of a partial answer, one after the other.
class BlockReader {
 public:
  explicit BlockReader(io::Input& input) : input_(input) {}

  // Takes what comes before the blocks.
  Result<void> read_head() {
    auto head = read(kMagic.size() + 1);
    if (!head) return std::unexpected(head.error());
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (!*head || !text.starts_with(kMagic))
      return fail(ErrorCode::kUnrecognised,
                  "this is no partial answer, as `query --partial FILE` writes them",
                  input_.name());
    if (bytes_.back() != kVersion)
      return reject(
          fmt::format("the partial answer is of version {}, and this program reads "
                      "version {}; write it anew, or use a newer program",
                      bytes_.back(), kVersion));
    return {};
  }

  // The next block, valid until the next call; empty behind the last.
  Result<ByteSpan> next() {
    const std::uint64_t begin = offset_;
    auto head = read(kBlockHead);
    if (!head) return std::unexpected(head.error());
    if (!*head) return cut();
    const std::uint64_t size = little_endian(ByteSpan(bytes_).first(4));
    const std::uint64_t hash = little_endian(ByteSpan(bytes_).subspan(4));
    if (size > kMostBlock) return damaged(begin);
    auto body = read(static_cast<std::size_t>(size));
    if (!body) return std::unexpected(body.error());
    if (!*body) return cut();
    if (hash_.next(text_of(bytes_)) != hash) return damaged(begin);
    if (size != 0) return ByteSpan(bytes_);
    std::uint8_t more = 0;
    auto rest = input_.read(&more, 1);
    if (!rest) return std::unexpected(rest.error());
    return *rest == 0 ? Result<ByteSpan>(ByteSpan()) : damaged(offset_);
  }

  std::unexpected<Error> reject(std::string sentence) const {
    return fail(ErrorCode::kMustReject, std::move(sentence), input_.name());
  }
  [[nodiscard]] std::unexpected<Error> damaged(std::uint64_t offset) const {
    return fail(ErrorCode::kMustReject,
                "the partial answer is damaged here, and nothing of it is used; write it anew",
                input_.name(), offset);
  }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  [[nodiscard]] std::unexpected<Error> cut() const {
    return fail(ErrorCode::kMustReject,
                "the partial answer is cut short, and nothing of it is used; write it anew",
                input_.name(), offset_);
  }

  // Puts so many bytes into `bytes_`. Returns whether there are. Memory is taken as they come.
  Result<bool> read(std::size_t size) {
    constexpr std::size_t kStep = std::size_t{1} << 20;
    bytes_.clear();
    while (bytes_.size() < size) {
      const std::size_t had = bytes_.size();
      bytes_.resize(std::min(size, had + kStep));
      const auto got = input_.read(bytes_.data() + had, bytes_.size() - had);
      if (!got) return std::unexpected(got.error());
      bytes_.resize(had + *got);
      offset_ += *got;
      if (*got == 0) return false;
    }
    return true;
  }

  io::Input& input_;
  BlockHash hash_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t offset_ = 0;
};

// Portions of an answer that is added once all of it was found sound: few in memory, many in a
// file.
class Held {
 public:
  Result<void> add(ByteSpan portion) {
    constexpr std::size_t kMostInMemory = std::size_t{4} << 20;
    sizes_.push_back(portion.size());
    if (file_ == nullptr) {
      if (memory_.size() + portion.size() <= kMostInMemory) {
        memory_.insert(memory_.end(), portion.begin(), portion.end());
        return {};
      }
      auto file = SpillFile::create({});
      if (!file) return std::unexpected(file.error());
      file_ = *std::move(file);
      if (auto put = file_->append(memory_); !put) return put;
      memory_ = {};
    }
    return file_->append(portion);
  }

  template <class Visit>
  Result<void> for_each(Visit visit) {
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
    for (const std::size_t size : sizes_) {
      ByteSpan portion = ByteSpan(memory_);
      if (file_ == nullptr) {
        portion = portion.subspan(static_cast<std::size_t>(offset), size);
      } else {
        bytes.resize(size);
        if (auto read = file_->read(offset, bytes); !read) return read;
        portion = bytes;
      }
      if (auto visited = visit(portion); !visited) return visited;
      offset += size;
    }
    return {};
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<SpillFile> file_;
};

class NoAnswer final : public RowSink {
 public:
  Result<void> add(std::span<const Value>) override { return {}; }
  Result<void> finish() override { return {}; }
};

}  // namespace

std::unique_ptr<RowSink> no_answer() { return std::make_unique<NoAnswer>(); }

Result<void> write_partial_answer(Query& query, io::Output& output) {
  if (auto adds_up = query.adds_up(); !adds_up) return adds_up;
  // Where it is merged, it is parsed again.
  if (auto again = Query::parse(query.question()); !again) return std::unexpected(again.error());
  if (auto closed = query.close(); !closed) return closed;
  BlockWriter blocks(output);
  if (auto written = blocks.write_head(); !written) return written;
  if (auto written = blocks.write(query.question()); !written) return written;
  std::string mark;
  put_little_endian(mark, query.distinct_key_mark(), kMarkSize);
  if (auto written = blocks.write(mark); !written) return written;
  const auto encoded =
      query.encode([&](std::string_view portion) { return blocks.write(portion); });
  return encoded ? blocks.write({}) : encoded;
}

Result<void> answer_by_now(Query& query, const MakeAnswer& make) {
  auto copy = Query::parse(query.question());
  if (!copy) return std::unexpected(copy.error());
  (*copy)->set_distinct_key(query.distinct_key());
  (*copy)->answer_to(make(**copy));
  auto known =
      query.encode([&](std::string_view portion) { return (*copy)->merge(as_bytes(portion)); });
  return known ? (*copy)->finish() : known;
}

PartialMerge::PartialMerge(MakeAnswer make, const std::optional<HashKey>& key)
    : make_(std::move(make)), key_(key) {
  if (key) mark_ = mark_of_distinct_key(*key);
}

Result<void> PartialMerge::add(io::Input& input) {
  BlockReader blocks(input);
  if (auto head = blocks.read_head(); !head) return head;
  auto block = blocks.next();
  if (!block) return std::unexpected(block.error());
  const std::string question(text_of(*block));
  std::string words = words_of(question);
  if (query_ != nullptr && words != words_)
    return blocks.reject(
        fmt::format("the partial answer is one to `{}`, and that of {} to `{}`; only answers to "
                    "the same question add up",
                    shown(question), first_, shown(query_->question())));
  const std::uint64_t begin_of_mark = blocks.offset();
  block = blocks.next();
  if (!block) return std::unexpected(block.error());
  if (block->size() != kMarkSize) return blocks.damaged(begin_of_mark);
  const std::uint64_t mark = little_endian(*block);
  if (mark_ && mark != *mark_)
    return blocks.reject(fmt::format(
        "the partial answer was made with another key for `distinct` than {}, so that they do not "
        "add up; all are to be made with the same --partial-key",
        query_ == nullptr ? "the --partial-key that was given" : first_));
  std::unique_ptr<Query> first;
  if (query_ == nullptr) {
    auto parsed = Query::parse(question);
    const auto adds_up = parsed ? (*parsed)->adds_up() : Result<void>();
    if (!parsed || !adds_up)
      return blocks.reject(fmt::format("the question of the partial answer is not understood: {}",
                                       parsed ? adds_up.error().message : parsed.error().message));
    first = *std::move(parsed);
    if (key_) first->set_distinct_key(*key_);
    first->set_distinct_key_mark(mark);
    first->answer_to(make_(*first));
  }
  Query& query = first != nullptr ? *first : *query_;
  Held held;
  for (std::uint64_t begin = blocks.offset();; begin = blocks.offset()) {
    block = blocks.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) break;
    if (!query.understands(*block)) return blocks.damaged(begin);
    if (auto put = held.add(*block); !put) return put;
  }
  if (first != nullptr) {
    query_ = std::move(first);
    words_ = std::move(words);
    mark_ = mark;
    first_ = input.name();
  }
  return held.for_each([&](ByteSpan portion) { return query.merge(portion); });
}

}  // namespace tracedeck::query
