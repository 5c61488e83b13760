// Partial answers: what a query knows of some traces, as a file that adds up with others to the
// answer over all of them.
//
// The file is "TDPART\r\n", the version (5) as a varint, the question as a block, the mark of the
// key of `distinct` (8 bytes, little-endian) as a block, then blocks that `Query::encode` made, and
// an empty block at the end. A block is its size (4 bytes), a hash (8), both little-endian, and the
// bytes. The hash is `sip_hash` of the bytes, with the hash of the block before and the number of
// blocks before as the key. docs/query.md says what adds up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tracedeck/io/input.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/query/query.hpp"

namespace tracedeck::query {

// Closes `query`, which must have a sink, and writes what it knows; `output` is not finished.
// Errors: kInvalidArgument where partial answers of it do not add up; kLimitExceeded, a group of
// more than 16 MiB; those of temporary files and of the output.
[[nodiscard]] Result<void> write_partial_answer(Query& query, io::Output& output);

// Makes a sink for the answer of a query.
using MakeAnswer = std::function<std::unique_ptr<RowSink>(const Query&)>;

// Hands the answer that `query` has by now to the sink that `make` makes, and goes on as it was. It
// must add up, and have a sink. Errors: those of temporary files and of that sink.
[[nodiscard]] Result<void> answer_by_now(Query& query, const MakeAnswer& make);

// A sink that takes rows and keeps none, of a query whose answer is only written as a partial one.
[[nodiscard]] std::unique_ptr<RowSink> no_answer();

// The answer that partial ones add up to. One thread at a time.
class PartialMerge {
 public:
  // `make`: where the answer goes. It is asked for each time that the first answer is tried.
  // `key`: that of `distinct` that all have to be made with; without it, that of the first one.
  explicit PartialMerge(MakeAnswer make, const std::optional<HashKey>& key = {});

  // Reads a partial answer to its end, and adds it if it is sound, else nothing of it. Errors:
  // those of the input; kUnrecognised, it is none; kMustReject, it is of another version, of
  // another question or key than the first one, or damaged; those of temporary files.
  [[nodiscard]] Result<void> add(io::Input& input);

  // What they add up to, to be finished by who asks; null before the first was added.
  [[nodiscard]] Query* query() const { return query_.get(); }

 private:
  MakeAnswer make_;
  std::unique_ptr<Query> query_;
  std::string words_;  // of its question
  std::string first_;  // the name of the first one
  std::optional<HashKey> key_;
  std::optional<std::uint64_t> mark_;  // of the key that they have to be made with
};

}  // namespace tracedeck::query
