#include "tracedeck/ctf/rule_table.hpp"

namespace tracedeck::ctf {
namespace {

std::string_view section_of(const RuleText& text, Dialect dialect) {
  switch (dialect) {
    case Dialect::kRc3:
      return text.rc3;
    case Dialect::kFinal:
      return text.final;
    case Dialect::kCtf1:
      return text.ctf1;
  }
  return {};
}

}  // namespace

RuleTable::RuleTable(std::span<const RuleText> texts, bool of_metadata) {
  for (std::size_t i = 0; i < kDialectCount; ++i) {
    const auto dialect = static_cast<Dialect>(i);
    rules_[i].reserve(texts.size());
    for (const RuleText& text : texts) {
      std::string& section = sections_.emplace_back(document_name(dialect));
      const std::string_view anchor = section_of(text, dialect);
      if (!anchor.empty()) section.append(" ").append(anchor);
      const Severity severity =
          dialect == Dialect::kCtf1 ? text.ctf1_severity.value_or(text.severity) : text.severity;
      rules_[i].push_back({.id = text.id,
                           .severity = severity,
                           .section = section,
                           .summary = text.summary,
                           .lacks_classes = text.lacks_classes,
                           .of_metadata = of_metadata});
    }
  }
}

}  // namespace tracedeck::ctf
