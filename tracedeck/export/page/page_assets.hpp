// What stands in page.html, page.css and the scripts, compiled in.
#pragma once

#include <string_view>

namespace tracedeck::page {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
// The script, in this order.
extern const std::string_view kDataJs;
extern const std::string_view kDrawJs;
extern const std::string_view kPanelJs;
extern const std::string_view kKeysJs;

}  // namespace tracedeck::page
