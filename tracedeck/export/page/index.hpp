// What the page's script reads first: tracks, names, rows and where their blocks are, the table.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/export/page/collector.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/text/text_buffer.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::page {

// Numbers of blocks in the page.
struct WrittenRow {
  std::vector<std::uint32_t> blocks;  // as many as the row has
  std::uint32_t pyramid = 0;          // 0: none
  unsigned exponent = 0;              // width of its lowest bins
};

struct WrittenDetails {
  std::uint32_t block = 0;
  std::vector<NotedKey> keys;
};

struct Written {
  std::vector<WrittenRow> rows;
  std::vector<std::uint32_t> flows;
  std::vector<WrittenDetails> details;
};

// The time that all others are counted from.
[[nodiscard]] std::int64_t base_of(const PageOptions& options, const timeline::Timeline& timeline,
                                   const Collector& marks);

// Appends JSON, laid out as in docs/page.md.
void append_index(TextBuffer& out, const PageOptions& options, const timeline::Timeline& timeline,
                  Collector& marks, const Written& written);

}  // namespace tracedeck::page
