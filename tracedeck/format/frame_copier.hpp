// Rewriting a trace of frames back to back, as it was: readable frames keep their bytes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "tracedeck/format/format.hpp"
#include "tracedeck/format/input_rule.hpp"
#include "tracedeck/format/window_source.hpp"

namespace tracedeck {

// The base of a handler of a decoder that copies what is not reported as damaged.
class FrameCopier {
 public:
  FrameCopier(io::Output& output, const Format::NoticeSink& notices, const WindowSource& source)
      : output_(output), notices_(notices), source_(source) {}

  void finding(Finding finding) { tell(RecordKind::kFinding, std::move(finding)); }
  void problem(Finding finding) { leave_out(RecordKind::kProblem, std::move(finding)); }
  // That the input could not be read beyond `offset`.
  void failed(std::uint64_t offset, const Error& why) {
    tell(RecordKind::kProblem, input_notice({}, offset, why).finding);
  }

  void begin_window(const io::Window& window, std::uint64_t from) {
    window_ = &window;
    skipped_to_ = std::max(skipped_to_, from);
  }
  // Copies what was decoded up to `offset` and is not damaged.
  void keep(std::uint64_t offset) {
    if (!written_ || offset <= skipped_to_) return;
    written_ = output_.write(
        {window_->view().data + (skipped_to_ - window_->offset()), offset - skipped_to_});
    skipped_to_ = offset;
  }
  [[nodiscard]] const Result<void>& written() const { return written_; }

 protected:
  [[nodiscard]] const WindowSource& source() const { return source_; }

  // Does not copy the bytes that the finding is about, and neither what an earlier window showed of
  // them.
  void leave_out(RecordKind kind, Finding finding) {
    keep(finding.offset);
    skipped_to_ = finding.offset + finding.length;
    tell(kind, std::move(finding));
  }

 private:
  void tell(RecordKind kind, Finding finding) {
    FilePlace place{source_.input().name(), finding.offset};
    if (source_.has_files()) place = source_.place_of(finding.offset);
    finding.offset = place.offset;
    notices_(kind, {std::move(place.file), std::move(finding)});
  }

  io::Output& output_;
  const Format::NoticeSink& notices_;
  const WindowSource& source_;
  const io::Window* window_ = nullptr;
  std::uint64_t skipped_to_ = 0;  // everything before is copied or left out
  Result<void> written_;
};

// A handler that is made from what a `FrameCopier` is made from.
template <class T>
concept CopyingHandler =
    std::derived_from<T, FrameCopier> &&
    std::constructible_from<T, io::Output&, const Format::NoticeSink&, const WindowSource&>;

// A decoder that also says where the damage that is open begins: an offset in the input.
template <class T, class Handler>
concept CopyingDecoder = WindowDecoder<T, Handler> && requires(const T& decoder) {
  { decoder.damage_begin() } -> std::convertible_to<std::uint64_t>;
};

// Copies what `decoder` reads of `input`; damage is left out and reported. A decoder that rejects
// inputs has `const Error& rejection() const`. `limit` and `least` as of `WindowSource`.
template <CopyingHandler Copier, CopyingDecoder<Copier> Decoder>
[[nodiscard]] Result<void> copy_frames(std::unique_ptr<io::Input> input, Decoder decoder,
                                       std::uint64_t limit, std::uint64_t least, io::Output& output,
                                       const Format::NoticeSink& notices,
                                       const std::stop_token& stop) {
  WindowSource source(std::move(input), limit, least);
  Copier copier(output, notices, source);
  while (!source.ended() && !stop.stop_requested()) {
    source.fetch_if_needed();
    copier.begin_window(*source.window(), source.offset());
    const DecodeProgress progress = source.run(decoder, copier);
    if constexpr (requires { decoder.rejection(); }) {
      if (progress.outcome == DecodeOutcome::kRejected) {
        Error error = decoder.rejection();
        error.input = source.has_files() ? source.place_of(0).file : source.input().name();
        return std::unexpected(std::move(error));
      }
    }
    copier.keep(decoder.in_damage() ? decoder.damage_begin() : source.offset());
    if (!copier.written()) return copier.written();
  }
  if (const auto& failure = source.failure(); failure && !source.has_files())
    copier.failed(source.offset(), *failure);
  return {};
}

}  // namespace tracedeck
