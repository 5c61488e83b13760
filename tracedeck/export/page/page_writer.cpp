#include "tracedeck/export/page/page_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

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

void Deflater::deflate(std::string_view bytes, std::string& into) {
  z_stream& zlib = stream_->zlib;
  (void)::deflateReset(&zlib);
  into.resize(::deflateBound(&zlib, static_cast<uLong>(bytes.size())));
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads it only
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(into.data());
  zlib.avail_out = static_cast<uInt>(into.size());
  (void)::deflate(&zlib, Z_FINISH);
  into.resize(static_cast<std::size_t>(zlib.total_out));
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
  deflater_.deflate(bytes, deflated_);
  text_.clear();
  text_.append(fmt::format("<script type=b id=b{}>", ++blocks_));
  render::append_json_base64(text_, as_bytes(deflated_));
  text_.append("</script>\n");
  if (auto done = write(text_.view()); !done) return std::unexpected(std::move(done).error());
  return blocks_;
}

Result<void> PageWriter::finish(std::string_view index) {
  const Part data = split(kPageHtml, kDataPlace);
  const Part script = split(data.behind, kScriptPlace);
  if (auto done = write("<script type=\"application/json\" id=index>"); !done) return done;
  // The only character with which an element could end.
  std::string inert;
  inert.reserve(index.size());
  for (const char character : index) {
    if (character == '<') {
      inert += "\\u003c";
    } else {
      inert += character;
    }
  }
  for (const std::string_view text :
       {std::string_view(inert), std::string_view("</script>\n"), script.before, kDataJs, kDrawJs,
        kPanelJs, kKeysJs, script.behind}) {
    if (auto done = write(text); !done) return done;
  }
  return {};
}

}  // namespace tracedeck::page
