// One HTML file that shows marks: no network, no other file, nothing to install
// (docs/page.md says how it is made and what lies in it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/io/output.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::page {

// A slice, or a wait, of which the page is.
struct ChosenSlice {
  bool is_wait = false;
  timeline::TrackId track = timeline::kNoTrack;
  timeline::NameId name = timeline::kNoName;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct PageOptions {
  std::string title = {};   // what the page is about: the names of the traces
  std::string notice = {};  // shown with it: what was left out before marks were made; may be empty
  // Of a part of the trace: where it begins and ends. What marks have outside is not shown.
  std::optional<std::int64_t> begin = {};
  std::optional<std::int64_t> end = {};
  // Lines that the page opens with, asked for when it is finished; empty: none.
  std::function<std::string(const timeline::Timeline& timeline)> answer = {};
  std::optional<ChosenSlice> chosen = {};  // what is selected in it at first
  // Arguments of every slice, state and instant. Else those of the longest of each name, and of
  // those that a table marks.
  bool all_arguments = false;
  // Slices that are known to be shorter, and waits, count in the table and are not drawn.
  // Nanoseconds.
  std::int64_t shortest = 0;
  // Bytes of a page. Beyond, browsers fail.
  std::uint64_t largest = 400'000'000;
  // Bytes for marks at any time; more go into a temporary file, in `directory` as of
  // `SpillFile::create`.
  std::size_t memory = std::size_t{32} << 20;
  std::string directory = {};
};

// Writes the page when it is finished; `output` must outlive it, and is not finished. Errors: those
// of the output and of temporary files, and kLimitExceeded for a page that would be too large.
//
// What it asks of marks beyond mark.hpp: of a gap, the name's category is "damage" where bytes
// could not be read; a flow's way out comes before its way in. Marks of no track are left out, but
// for gaps, which then are in all tracks.
[[nodiscard]] std::unique_ptr<timeline::MarkSink> make_page(io::Output& output,
                                                            PageOptions options);

// What the page says that it needs, for who serves it to say too.
[[nodiscard]] std::string_view content_security_policy();

}  // namespace tracedeck::page
