// Sentences about traces whose times were compared. Not public.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracedeck {

// "b", "b, c" or "b, c, d and 5 more".
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

// Nothing relates the clocks of traces whose events were put in order.
[[nodiscard]] std::string unrelated_order(const std::string& first,
                                          const std::vector<std::string>& others);
// Nothing relates the clocks of traces that time lines are of. `format`: theirs.
[[nodiscard]] std::string unrelated_clocks(const std::string& first,
                                           const std::vector<std::string>& others,
                                           std::string_view format);
// Times of traces compare as well as the clocks of their hosts do.
[[nodiscard]] std::string other_hosts(const std::string& first,
                                      const std::vector<std::string>& others);

}  // namespace tracedeck
