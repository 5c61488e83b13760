#include "tracedeck/render/finding.hpp"

#include <fmt/format.h>

#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {

std::string finding_line(const Notice& notice) {
  const Rule& rule = *notice.finding.rule;
  return fmt::format("{}:{}: {}: {}: {} [{}]", visible(notice.input), notice.finding.offset,
                     severity_name(rule.severity), rule.id, visible(notice.finding.text),
                     rule.section);
}

std::string finding_json(const Notice& notice) {
  const Rule& rule = *notice.finding.rule;
  TextBuffer out(nullptr, 1024);
  JsonObject object(out);
  object.string("file", notice.input);
  object.integer("offset", notice.finding.offset);
  object.integer("length", notice.finding.length);
  object.string("severity", severity_name(rule.severity));
  object.string("rule", rule.id);
  object.string("text", notice.finding.text);
  object.string("section", rule.section);
  object.end();
  return std::string(out.view());
}

}  // namespace tracedeck::render
