#include "tracedeck/flow/trace_names.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::flow {
namespace {

// The components of a path from its end.
std::vector<std::string> components(const std::string& path) {
  if (path == "-") return {path};
  std::error_code failure;
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::absolute(path, failure).lexically_normal()) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  std::ranges::reverse(parts);
  return parts;
}

// The last `count` components, joined.
std::string ending(const std::vector<std::string>& parts, std::size_t count) {
  std::string text;
  for (std::size_t i = std::min(count, parts.size()); i-- > 0;) {
    text += parts[i];
    if (i != 0) text += '/';
  }
  return text;
}

}  // namespace

std::vector<std::string> shortest_endings(std::span<const std::string> paths) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& path : paths) parts.push_back(components(path));
  std::vector<std::string> endings(paths.size());
  std::vector<std::size_t> open(paths.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (std::size_t count = 1; !open.empty(); ++count) {
    TextMap<std::size_t> uses;
    // Of all, so that none is an ending of another that has its name already.
    for (const auto& each : parts) ++uses[ending(each, count)];
    std::erase_if(open, [&](std::size_t i) {
      endings[i] = ending(parts[i], count);
      return uses[endings[i]] == 1 || parts[i].size() <= count;
    });
  }
  return endings;
}

std::string full_name(const TraceDescription& trace) {
  const std::string& among = trace.name_among_others();
  return among.empty() ? trace.input() : trace.input() + '/' + among;
}

std::string environment_text(const TraceDescription& trace, std::string_view key) {
  for (const Attribute& each : trace.environment()) {
    if (each.key == key) return each.value;
  }
  return {};
}

}  // namespace tracedeck::flow
