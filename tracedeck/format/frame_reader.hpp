// What the readers of all formats of frames back to back share: windows in, batches out.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/unshared.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/format/input_rule.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/reading_sizes.hpp"
#include "tracedeck/format/window_source.hpp"

namespace tracedeck {

// The base of a reader `Self`, which is the handler that its decoder, a `WindowDecoder`, calls.
// `Self` adds to `batch()` while the decoder runs.
//
// `Self` may have these members, each of them optional:
//
//   void begin_batch()                 pins what events may refer to
//   void finish_batch()                pins what the batch's slots came to point into, the window
//                                      excepted
//   void end()                         adds the last records when the trace has ended
//   void lose_files()                  adds the loss of files that are missing before the next one
//   const std::string& file_name()     the name of the input, where a trace has several
//   bool before_input(WindowSource&)   is called before the input is read on, which may wait; true:
//                                      records were added, which are handed on first
//
// A decoder that rejects inputs has `const Error& rejection() const`; one that can do with less
// memory while it waits has `void rest()`.
template <class Self, class Decoder>
class FrameReader : public Reader {
 public:
  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const final {
    return description_;
  }
  [[nodiscard]] double progress() const final { return source_.progress(); }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const final {
    return source_.input().stored_size();
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const final { return source_.offset(); }

  [[nodiscard]] Result<BatchPtr> next() override {
    if (ended_) return nullptr;
    begin();
    while (!ended_) {
      if (source_.needs_more()) {
        // A batch points into one window, so it is handed on before the next window comes.
        if (!batch_->empty()) break;
        if constexpr (requires { self().before_input(source_); }) {
          if (self().before_input(source_)) break;
        }
      }
      const DecodeProgress progress = source_.run(decoder_, self());
      if constexpr (requires { decoder_.rejection(); }) {
        if (progress.outcome == DecodeOutcome::kRejected) return reject();
      }
      if (progress.outcome == DecodeOutcome::kPaused) {
        if (progress.needed == 0 || !batch_->tape_unused() || !batch_->empty()) break;
        // At least twice: an event of many parts asks again for each, decoded from its start.
        batch_->grow_tape(std::max<std::size_t>(progress.needed, 2 * batch_->tape_capacity()));
      }
      if (source_.files().size() != files_begun_) begin_file();
      if (source_.ended()) end_trace();
    }
    return hand_on();
  }

  // What the decoder calls.
  void problem(Finding finding) { add_notice(RecordKind::kProblem, std::move(finding)); }
  // That the input could not be read beyond `offset`.
  void failed(std::uint64_t offset, const Error& why) {
    self().problem(input_notice({}, offset, why).finding);
  }
  void finding(Finding finding) {
    if (options_.findings) add_notice(RecordKind::kFinding, std::move(finding));
  }

 protected:
  [[nodiscard]] const ReadOptions& options() const { return options_; }
  [[nodiscard]] TraceDescription& trace() { return *description_; }
  [[nodiscard]] Decoder& decoder() { return decoder_; }
  [[nodiscard]] Batch& batch() { return *batch_; }
  [[nodiscard]] const WindowSource& source() const { return source_; }

 private:
  friend Self;

  // `limit`: bytes that a window may grow to. `least`: bytes without which the decoder cannot
  // begin.
  FrameReader(std::unique_ptr<io::Input> input, const ReadOptions& options,
              std::shared_ptr<TraceDescription> description, std::uint64_t limit,
              std::uint64_t least, Decoder decoder)
      : options_(options),
        description_(std::move(description)),
        sizes_(reading_sizes(options.side_by_side)),
        source_(std::move(input), limit, least, sizes_),
        decoder_(std::move(decoder)) {}

  Self& self() { return static_cast<Self&>(*this); }

  // Of what is read: the trace, or one of its files.
  const std::string& input_name() {
    if constexpr (requires { self().file_name(); }) {
      return self().file_name();
    } else {
      return description_->input();
    }
  }

  void begin() {
    // What a batch keeps is let go of when nobody has the batch any more.
    for (const std::shared_ptr<Batch>& batch : handed_on_) {
      if (!batch->empty() && unshared(batch)) batch->clear();
    }
    if (batch_ == nullptr || !unshared(batch_)) take_batch();
    batch_->clear();
    batch_->pin(std::shared_ptr<const TraceDescription>(description_));
    if constexpr (requires { self().begin_batch(); }) self().begin_batch();
  }

  // Another batch, the one that was handed on the longest ago if it is free again.
  void take_batch() {
    if (batch_ != nullptr && sizes_.keeps_spares) handed_on_.push_back(std::move(batch_));
    if (handed_on_.size() > 1 && unshared(handed_on_.front())) {
      batch_ = std::move(handed_on_.front());
      handed_on_.erase(handed_on_.begin());
      return;
    }
    if (handed_on_.size() > kMostHandedOn) handed_on_.erase(handed_on_.begin());
    batch_ = std::make_shared<Batch>(sizes_.slots);
    batch_->reserve(sizes_.records);
  }

  Result<BatchPtr> hand_on() {
    if (batch_->empty()) return nullptr;
    if constexpr (requires { self().finish_batch(); }) self().finish_batch();
    batch_->pin(source_.window());
    if constexpr (requires { decoder_.rest(); }) {
      if (!sizes_.keeps_spares) decoder_.rest();
    }
    return batch_;
  }

  void end_trace() {
    ended_ = true;
    if constexpr (requires { self().end(); }) self().end();
    if (const auto& failure = source_.failure(); failure && !source_.has_files())
      failed(source_.offset(), *failure);
  }

  void begin_file() {
    const std::size_t begun = source_.files().size();
    if constexpr (requires { self().lose_files(); }) {
      if (missing_.empty()) missing_ = missing_files(source_.input().part_files()).before;
      if (missing_[begun - 1] != 0) self().lose_files();
    }
    if constexpr (requires { self().begin_next_file(); }) {
      if (begun > 1) self().begin_next_file();
    }
    files_begun_ = begun;
  }

  void add_notice(RecordKind kind, Finding finding) {
    Notice notice;
    if (source_.has_files()) {
      FilePlace place = source_.place_of(finding.offset);
      finding.offset = place.offset;
      notice.input = std::move(place.file);
      notice.trace = description_->input();
    } else {
      notice.input = input_name();
    }
    notice.finding = std::move(finding);
    batch_->add_notice(kind, std::move(notice));
  }

  std::unexpected<Error> reject() {
    ended_ = true;
    Error error = decoder_.rejection();
    error.input = source_.has_files() ? source_.place_of(0).file : input_name();
    return std::unexpected(std::move(error));
  }

  // As many as wait where batches are taken by another thread.
  static constexpr std::size_t kMostHandedOn = 24;

  ReadOptions options_;
  std::shared_ptr<TraceDescription> description_;
  ReadingSizes sizes_;
  WindowSource source_;
  Decoder decoder_;
  std::shared_ptr<Batch> batch_;
  std::vector<std::shared_ptr<Batch>> handed_on_;
  std::vector<std::uint64_t> missing_;  // files before each
  std::size_t files_begun_ = 0;
  bool ended_ = false;
};

}  // namespace tracedeck
