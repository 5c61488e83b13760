#include "tracedeck/export/page/page_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "tracedeck/export/page/page_assets.hpp"
#include "tracedeck/render/json.hpp"

namespace tracedeck::page {
namespace {

// Durations are nearly random: higher levels take four times as long and save a percent.
constexpr int kLevel = 1;

// Where page.html has its other parts.
constexpr std::string_view kStylePlace = "/*style*/";
constexpr std::string_view kDataPlace = "<!--data-->";
constexpr std::string_view kScriptPlace = "/*script*/";

struct Part {
  std::string_view before;
  std::string_view behind;
};

Part split(std::string_view text, std::string_view place) {
  const std::size_t at = text.find(place);
  return {text.substr(0, at), text.substr(at + place.size())};
}

}  // namespace

struct Deflater::Stream {
  z_stream zlib{};
};

Deflater::Deflater() : stream_(std::make_unique<Stream>()) {
  constexpr int kRawWindow = -15;
  constexpr int kMemory = 9;
  if (::deflateInit2(&stream_->zlib, kLevel, Z_DEFLATED, kRawWindow, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
}

Deflater::~Deflater() { ::deflateEnd(&stream_->zlib); }

Result<void> Deflater::deflate(std::string_view bytes, const Take& take) {
  z_stream& zlib = stream_->zlib;
  (void)::deflateReset(&zlib);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads it only
  zlib.avail_in = static_cast<uInt>(bytes.size());
  for (int status = Z_OK; status == Z_OK;) {
    zlib.next_out = piece_.data();
    zlib.avail_out = static_cast<uInt>(piece_.size());
    status = ::deflate(&zlib, Z_FINISH);
    const std::size_t made = piece_.size() - zlib.avail_out;
    if (auto done = take(ByteSpan(piece_).first(made)); !done) return done;
  }
  return {};
}

Result<void> PageWriter::write(std::string_view text) {
  written_ += text.size();
  if (written_ > largest_) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("The page would be larger than {} MB, which browsers do not bear. "
                            "Choose a part with --begin and --end, or leave short slices out with "
                            "--min-duration or --max-size.",
                            largest_ / 1'000'000),
                output_.name());
  }
  return output_.write(text);
}

Result<void> PageWriter::begin() {
  const Part style = split(kPageHtml, kStylePlace);
  for (const std::string_view text :
       {style.before, kPageCss, split(style.behind, kDataPlace).before}) {
    if (auto done = write(text); !done) return done;
  }
  return {};
}

Result<std::uint32_t> PageWriter::block(std::string_view bytes) {
  static_assert(Deflater::kPiece % 3 == 0, "base64 of pieces is that of the whole");
  text_.clear();
  text_.append(fmt::format("<script type=b id=b{}>\"", ++blocks_));
  auto done = deflater_.deflate(bytes, [this](ByteSpan piece) {
    // The quotes stand around the whole.
    quoted_.clear();
    append_json_base64(quoted_, piece);
    text_.append(quoted_.view().substr(1, quoted_.size() - 2));
    auto written = write(text_.view());
    text_.clear();
    return written;
  });
  if (done) done = write("\"</script>\n");
  if (!done) return std::unexpected(std::move(done).error());
  return blocks_;
}

Result<void> PageWriter::begin_index() {
  return write("<script type=\"application/json\" id=index>");
}

// `<` is the only character with which the element could end.
Result<void> PageWriter::Index::write(ByteSpan bytes) {
  std::string_view json = as_text(bytes);
  while (!json.empty()) {
    const std::size_t end = std::min(json.find('<'), json.size());
    if (auto done = page_.write(json.substr(0, end)); !done) return done;
    if (end == json.size()) break;
    if (auto done = page_.write("\\u003c"); !done) return done;
    json.remove_prefix(end + 1);
  }
  return {};
}

Result<void> PageWriter::finish() {
  const Part data = split(kPageHtml, kDataPlace);
  const Part script = split(data.behind, kScriptPlace);
  for (const std::string_view text : {std::string_view("</script>\n"), script.before, kDataJs,
                                      kDrawJs, kPanelJs, kKeysJs, script.behind}) {
    if (auto done = write(text); !done) return done;
  }
  return {};
}

}  // namespace tracedeck::page
