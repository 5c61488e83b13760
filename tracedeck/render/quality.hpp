// What a recording lacks, and which tasks seem to be stuck, as sentences and JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/flow/recording_survey.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

struct QualityFinding {
  std::string_view id;  // "no-wakes"
  std::string text;
  std::string remedy;
};

// The worst first: what the survey found, which bears on what `latency` measures,
[[nodiscard]] std::vector<QualityFinding> quality_findings(const flow::RecordingQuality& quality);
// and all of one trace.
[[nodiscard]] std::vector<QualityFinding> quality_findings(const flow::TraceSummary& summary);

// The worst of them as one sentence; "" where there is none.
[[nodiscard]] std::string worst_text(const std::vector<QualityFinding>& findings);

// One sentence for each kind of stuck tasks that there is.
[[nodiscard]] std::vector<std::string> stuck_texts(const flow::RecordingQuality& quality);

// An array of objects.
void append_findings(TextBuffer& out, const std::vector<QualityFinding>& findings);
[[nodiscard]] bool has_stuck(const flow::RecordingQuality& quality);
void append_stuck(TextBuffer& out, const flow::RecordingQuality& quality);

}  // namespace tracedeck::render
