#include "tracedeck/text/json_text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace tracedeck {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kMostPointer = 500;
constexpr std::size_t kMostStep = 200;
constexpr std::size_t kMostText = std::size_t{1} << 31U;
// The parser takes several times the size of the greatest text. Greater ones than this are rare.
constexpr std::size_t kUsualText = std::size_t{1} << 20U;

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

bool is_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t count = digits();
  if (count == 0 || (zero && count > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

// The length of a JSON string with its quotes, at the beginning of valid text.
std::size_t string_length(const char* from) {
  std::size_t at = 1;
  while (from[at] != '"') at += from[at] == '\\' ? 2 : 1;
  return at + 1;
}

// Whether the JSON string at the beginning of valid text has any.
bool has_escapes(const char* from) {
  ++from;
  while (*from != '"' && *from != '\\') ++from;
  return *from == '\\';
}

const char* behind_space(const char* at) {
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') ++at;
  return at;
}

// Behind a string, number, boolean or null of valid text.
const char* behind_plain(const char* at) {
  if (*at == '"') return at + string_length(at);
  while (*at != ' ' && *at != '\t' && *at != '\r' && *at != '\n' && *at != ',' && *at != ']' &&
         *at != '}')
    ++at;
  return at;
}

// From a key of valid text to its value.
const char* value_of(const char* key) {
  return behind_space(behind_space(key + string_length(key)) + 1);
}

std::string_view trimmed(std::string_view token) {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

// RFC 6901: "~" and "/" inside of a name are escaped.
std::string pointer_step(std::string_view name) {
  std::string step = "/";
  for (const char c : name.substr(0, kMostStep)) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  if (name.size() > kMostStep) step += "...";
  return step;
}

}  // namespace

std::string_view kind_words(JsonKind kind) {
  constexpr std::string_view kWords[] = {"null",     "a boolean", "a number",
                                         "a string", "an array",  "an object"};
  return kWords[static_cast<std::size_t>(kind)];
}

bool JsonRef::is_member() const {
  const JsonText::Node& node = text_->nodes_[index_];
  return element_ == 0 ? node.member : node.kind == JsonKind::kObject;
}

const char* JsonRef::begin() const {
  return text_->chars() + (element_ == 0 ? text_->nodes_[index_].offset : at_);
}

const char* JsonRef::value() const { return is_member() ? value_of(begin()) : begin(); }

JsonKind JsonRef::kind() const {
  if (element_ == 0) return text_->nodes_[index_].kind;
  switch (*value()) {
    case 'n':
      return JsonKind::kNull;
    case 't':
    case 'f':
      return JsonKind::kBoolean;
    case '"':
      return JsonKind::kString;
    default:
      return JsonKind::kNumber;
  }
}

std::string_view JsonRef::raw() const {
  const char* const from = value();
  return {from, element_ != 0 ? behind_plain(from) : text_->chars() + text_->end_of(index_)};
}

std::string_view JsonRef::string() const {
  if (element_ == 0 && text_->nodes_[index_].escaped)
    return JsonText::unescaped(text_->unescaped_, index_);
  const char* const quoted = value();
  return {quoted + 1, string_length(quoted) - 2};
}

std::string_view JsonRef::key() const {
  if (element_ == 0 && text_->nodes_[index_].escaped_key)
    return JsonText::unescaped(text_->unescaped_keys_, index_);
  const char* const quoted = begin();
  return {quoted + 1, string_length(quoted) - 2};
}

std::uint64_t JsonRef::offset() const {
  return text_->offset_ + static_cast<std::uint64_t>(value() - text_->chars());
}

std::string JsonRef::pointer() const {
  std::vector<std::string> steps;
  std::size_t length = 0;
  std::uint32_t at = index_;
  if (element_ != 0)
    steps.push_back(is_member() ? pointer_step(key()) : fmt::format("/{}", element_ - 1));
  for (; at != 0 && length < kMostPointer; at = text_->nodes_[at].parent) {
    const JsonText::Node& node = text_->nodes_[at];
    steps.push_back(node.member ? pointer_step(JsonRef(*text_, at).key())
                                : fmt::format("/{}", node.ordinal));
    length += steps.back().size();
  }
  std::string pointer = at == 0 ? "" : "...";
  for (const std::string& step : steps | std::views::reverse) pointer += step;
  return pointer;
}

std::string JsonRef::compact() const {
  const std::string_view text = raw();
  std::string compact;
  compact.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = c == '"' ? string_length(text.data() + at) : 1;
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space) compact.append(text, at, length);
    at += length;
  }
  return compact;
}

JsonRef JsonRef::first_child() const {
  if (element_ != 0) return {};
  const JsonText::Node& node = text_->nodes_[index_];
  if (node.flat) {
    const char* const at = behind_space(value() + 1);
    return {*text_, index_, 1, static_cast<std::uint32_t>(at - text_->chars())};
  }
  return node.end == index_ + 1 ? JsonRef() : JsonRef(*text_, index_ + 1);
}

JsonRef JsonRef::next_sibling() const {
  if (element_ != 0) {
    const char* const behind = behind_space(behind_plain(value()));
    if (*behind != ',') return {};
    const char* const at = behind_space(behind + 1);
    return {*text_, index_, element_ + 1, static_cast<std::uint32_t>(at - text_->chars())};
  }
  const JsonText::Node& node = text_->nodes_[index_];
  return node.end == text_->nodes_[node.parent].end ? JsonRef() : JsonRef(*text_, node.end);
}

std::size_t JsonText::end_of(std::uint32_t index) const {
  const std::string_view text = as_text(bytes());
  const std::uint32_t last = nodes_[index].end - 1;
  std::size_t at = end_of_last(last);
  // Nothing but white space stands before the bracket that ends each value around it.
  for (std::uint32_t each = last; each != index; each = nodes_[each].parent)
    at = text.find_first_of("]}", at) + 1;
  return at;
}

std::size_t JsonText::end_of_last(std::uint32_t index) const {
  const JsonRef value(*this, index);
  const char* at = value.value();
  if (nodes_[index].kind < JsonKind::kArray)
    return static_cast<std::size_t>(behind_plain(at) - chars());
  JsonRef last;
  for (JsonRef each = value.first_child(); each; each = each.next_sibling()) last = each;
  at = behind_space(last ? behind_plain(last.value()) : at + 1);
  return static_cast<std::size_t>(at + 1 - chars());
}

std::string_view JsonText::unescaped(const Unescaped& strings, std::uint32_t index) {
  return std::ranges::lower_bound(strings, index, {}, &Unescaped::value_type::first)->second;
}

std::vector<JsonRef> JsonText::repeated() const {
  std::vector<JsonRef> values;
  values.reserve(repeated_.size());
  for (const std::uint32_t index : repeated_) values.emplace_back(*this, index);
  return values;
}

struct JsonParser::State {
  ondemand::parser parser;
};

// Visits every value, because simdjson's on-demand parser checks only what is visited.
class JsonParser::Walk {
 public:
  Walk(JsonText& text, const char* begin) : text_(text), begin_(begin) {}

  // Whether the value is well-formed; else `fault` and `fault_at` say why not.
  // Of a child of an object, `key` is where its key stands.
  bool value(ondemand::value value, std::uint32_t parent, std::uint32_t ordinal,
             std::uint32_t depth, const char* key = nullptr) {
    const std::string_view token = value.raw_json_token();
    last_ = token.data();
    const std::uint32_t index = add(key != nullptr ? key : token.data(), parent, ordinal);
    text_.nodes_[index].member = key != nullptr;
    switch (token.empty() ? '\0' : token[0]) {
      case '{':
        if (!container(index, JsonKind::kObject, depth) || !object(value, index, depth))
          return false;
        break;
      case '[':
        if (!container(index, JsonKind::kArray, depth) || !array(value, index, depth)) return false;
        break;
      case '"': {
        // Only what has escapes is copied.
        if (!has_escapes(token.data())) {
          ondemand::raw_json_string raw;
          if (value.get_raw_json_string().get(raw) != simdjson::SUCCESS) return false;
          text_.nodes_[index].kind = JsonKind::kString;
          break;
        }
        std::string_view content;
        if (value.get_string().get(content) != simdjson::SUCCESS) return false;
        string(index, content);
        break;
      }
      default:
        if (!scalar(index, trimmed(token))) return false;
    }
    text_.nodes_[index].end = static_cast<std::uint32_t>(text_.nodes_.size());
    return true;
  }

  [[nodiscard]] const char* last() const { return last_; }
  [[nodiscard]] JsonFault::Kind kind() const { return kind_; }

 private:
  using Node = JsonText::Node;

  std::uint32_t add(const char* at, std::uint32_t parent, std::uint32_t ordinal) {
    const auto index = static_cast<std::uint32_t>(text_.nodes_.size());
    text_.nodes_.push_back(Node{.offset = static_cast<std::uint32_t>(at - begin_),
                                .end = index + 1,
                                .parent = parent,
                                .ordinal = ordinal & JsonText::kMostOrdinal});
    return index;
  }

  bool container(std::uint32_t index, JsonKind kind, std::uint32_t depth) {
    text_.nodes_[index].kind = kind;
    if (depth < kJsonNesting) return true;
    kind_ = JsonFault::Kind::kNesting;
    return false;
  }

  bool object(ondemand::value& value, std::uint32_t index, std::uint32_t depth) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    std::vector<std::uint32_t> members;
    for (auto result : object) {
      ondemand::field field;
      if (std::move(result).get(field) != simdjson::SUCCESS) return false;
      const char* const key = field.key().raw() - 1;
      last_ = key;
      const auto member = static_cast<std::uint32_t>(text_.nodes_.size());
      const bool escaped = has_escapes(key);
      if (escaped) {
        std::string_view name;
        if (field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
        text_.unescaped_keys_.emplace_back(member, name);
      }
      if (!this->value(field.value(), index, 0, depth + 1, key)) return false;
      text_.nodes_[member].escaped_key = escaped;
      members.push_back(member);
    }
    if (!find_repeated(members)) flatten(index);
    return true;
  }

  bool array(ondemand::value& value, std::uint32_t index, std::uint32_t depth) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    std::uint32_t ordinal = 0;
    for (auto result : array) {
      ondemand::value element;
      if (std::move(result).get(element) != simdjson::SUCCESS) return false;
      if (!this->value(element, index, ordinal, depth + 1)) return false;
      ordinal += ordinal < JsonText::kMostOrdinal ? 1 : 0;
    }
    flatten(index);
    return true;
  }

  // Takes the nodes of children away if they are few and plain: the text says what they are.
  void flatten(std::uint32_t index) {
    const std::size_t count = text_.nodes_.size() - index - 1;
    if (count == 0 || count > JsonText::kMostFlat) return;
    const bool plain =
        std::all_of(text_.nodes_.end() - static_cast<std::ptrdiff_t>(count), text_.nodes_.end(),
                    [](const Node& each) {
                      return each.kind <= JsonKind::kString && !each.escaped && !each.escaped_key;
                    });
    if (!plain) return;
    text_.nodes_.resize(index + 1);
    text_.nodes_[index].flat = true;
  }

  void string(std::uint32_t index, std::string_view content) {
    Node& node = text_.nodes_[index];
    node.kind = JsonKind::kString;
    node.escaped = true;
    text_.unescaped_.emplace_back(index, content);
  }

  bool scalar(std::uint32_t index, std::string_view token) {
    Node& node = text_.nodes_[index];
    if (token == "null") {
      node.kind = JsonKind::kNull;
    } else if (token == "true" || token == "false") {
      node.kind = JsonKind::kBoolean;
    } else if (is_number(token)) {
      node.kind = JsonKind::kNumber;
    } else {
      return false;
    }
    return true;
  }

  // Whether there are any. Sorting, because hashes can be made to collide.
  bool find_repeated(std::vector<std::uint32_t>& members) {
    const auto name = [&](std::uint32_t member) { return JsonRef(text_, member).key(); };
    std::ranges::sort(members, {},
                      [&](std::uint32_t member) { return std::pair(name(member), member); });
    const std::size_t before = text_.repeated_.size();
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (name(members[i - 1]) == name(members[i])) text_.repeated_.push_back(members[i]);
    }
    return text_.repeated_.size() != before;
  }

  JsonText& text_;
  const char* begin_;
  const char* last_ = nullptr;
  JsonFault::Kind kind_ = JsonFault::Kind::kInvalid;
};

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::~JsonParser() = default;

namespace {

JsonFault invalid(std::uint64_t offset, std::string_view what) {
  return {JsonFault::Kind::kInvalid, offset, std::string(what)};
}

// What simdjson reports, in a sentence without capital and full stop.
std::string reason(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "bytes that are not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string without an end";
    case simdjson::UNESCAPED_CHARS:
      return "a control character in a string";
    case simdjson::EMPTY:
      return "no JSON text";
    default:
      return "text that is no JSON";
  }
}

}  // namespace

std::expected<std::shared_ptr<const JsonText>, JsonFault> JsonParser::parse(ByteSpan bytes,
                                                                            std::uint64_t offset,
                                                                            std::uint64_t number,
                                                                            const JsonLine& line) {
  PaddedBytes copy(bytes);
  return parse(copy, offset, number, line);
}

std::expected<std::shared_ptr<const JsonText>, JsonFault> JsonParser::parse(PaddedBytes& bytes,
                                                                            std::uint64_t offset,
                                                                            std::uint64_t number,
                                                                            const JsonLine& line) {
  const std::size_t size = bytes.view().size;
  if (size >= kMostText)
    return std::unexpected(JsonFault{JsonFault::Kind::kTooLarge, offset, "a text of 2 GiB"});
  auto text = std::make_shared<JsonText>();
  text->bytes_ = std::move(bytes);
  text->offset_ = offset;
  text->number_ = number;
  text->line_ = line;
  auto fault = parse_usual(*text);
  if (size > kUsualText) state_ = std::make_unique<State>();
  if (!fault) return text;
  bytes = std::move(text->bytes_);
  return std::unexpected(*std::move(fault));
}

std::optional<JsonFault> JsonParser::parse_usual(JsonText& text) {
  const std::uint64_t offset = text.offset_;
  const auto view = text.bytes_.view();
  const char* begin = reinterpret_cast<const char*>(view.data);

  ondemand::document document;
  const auto opened = state_->parser.iterate(begin, view.size, view.size + kPadding).get(document);
  if (opened != simdjson::SUCCESS) return invalid(offset, reason(opened));
  ondemand::value root;
  const auto code = document.get_value().get(root);
  if (code == simdjson::SCALAR_DOCUMENT_AS_VALUE)
    return invalid(offset, "a text that is neither an object nor an array");
  Walk walk(text, begin);
  const bool well_formed = code == simdjson::SUCCESS && walk.value(root, 0, 0, 0);
  if (!well_formed) {
    const std::uint64_t at =
        walk.last() == nullptr ? 0 : static_cast<std::uint64_t>(walk.last() - begin);
    const bool deep = walk.kind() == JsonFault::Kind::kNesting;
    return JsonFault{
        walk.kind(), offset + at,
        deep ? fmt::format("nesting deeper than {}", kJsonNesting) : "text that is no JSON"};
  }
  const char* more = nullptr;
  if (document.current_location().get(more) == simdjson::SUCCESS)
    return invalid(offset + static_cast<std::uint64_t>(more - begin),
                   "more after the end of the JSON text");
  return {};
}

}  // namespace tracedeck
