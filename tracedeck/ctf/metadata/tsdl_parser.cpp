#include "tracedeck/ctf/metadata/tsdl_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/ctf/metadata/tsdl_values.hpp"
#include "tracedeck/model/class_nesting.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Kind = TypeSpecifier::Kind;

constexpr std::array<std::string_view, 12> kWordsOfC = {
    "void",   "char",     "short", "int",      "long",       "float",
    "double", "unsigned", "_Bool", "_Complex", "_Imaginary", "signed"};

constexpr std::array<std::pair<std::string_view, Block::Kind>, 6> kBlocks = {{
    {"trace", Block::Kind::kTrace},
    {"env", Block::Kind::kEnvironment},
    {"clock", Block::Kind::kClock},
    {"stream", Block::Kind::kStream},
    {"event", Block::Kind::kEvent},
    {"callsite", Block::Kind::kCallsite},
}};

constexpr std::array<std::pair<std::string_view, Kind>, 6> kTypes = {{
    {"integer", Kind::kInteger},
    {"floating_point", Kind::kReal},
    {"string", Kind::kString},
    {"enum", Kind::kEnumeration},
    {"struct", Kind::kStructure},
    {"variant", Kind::kVariant},
}};

template <class Table>
auto find_in(const Table& table, const Token& token) {
  return token.kind != TokenKind::kWord
             ? table.end()
             : std::ranges::find(table, std::string_view(token.text), &Table::value_type::first);
}

bool is_word_of_c(const Token& token) {
  return token.kind == TokenKind::kWord &&
         std::ranges::find(kWordsOfC, token.text) != kWordsOfC.end();
}

std::string show(const Token& token) {
  constexpr std::size_t kMostShown = 60;
  switch (token.kind) {
    case TokenKind::kWord:
      return fmt::format("{} `{}`", is_keyword(token.text) ? "keyword" : "identifier",
                         token.text.substr(0, kMostShown));
    case TokenKind::kInteger:
      return "an integer";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kPunctuator:
      return fmt::format("`{}`", token.text);
    case TokenKind::kEnd:
    case TokenKind::kBroken:
      break;
  }
  return "the end of the text";
}

// Types, and the block that they are in.
constexpr std::size_t kMostLevels = kClassNesting + 1;

void join(std::string& words, std::string_view word) {
  if (!words.empty()) words += ' ';
  words += word;
}

}  // namespace

class Parser::Level {
 public:
  explicit Level(Parser& parser) : parser_(parser) {
    if (++parser.depth_ > kMostLevels && !parser.failed_) {
      parser.fail(TsdlRule::kNesting, parser.token_.place,
                  fmt::format("this is nested deeper than {}", kClassNesting));
    }
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --parser_.depth_; }

 private:
  Parser& parser_;
};

Parser::Parser(std::string_view text, std::uint64_t offset, TextFindings& findings)
    : lexer_(text, offset, findings), findings_(findings) {
  token_ = lexer_.next();
  next_ = token_.kind == TokenKind::kEnd ? token_ : lexer_.next();
}

void Parser::advance() {
  if (failed_) return;
  token_ = std::exchange(next_, {});
  next_ =
      token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBroken ? token_ : lexer_.next();
}

void Parser::fail(std::string_view expected) {
  if (failed_) return;
  if (token_.kind == TokenKind::kBroken) {
    failed_ = true;  // the lexer said what is wrong
    return;
  }
  fail(TsdlRule::kSyntax, token_.place,
       fmt::format("{} was found where {} was expected", show(token_), expected));
}

// After a fault the token at hand is the end of the text, so that every loop ends.
void Parser::fail(TsdlRule rule, Place at, std::string_view text) {
  if (failed_) return;
  findings_.report(rule, at, text);
  failed_ = true;
  token_ = {.kind = TokenKind::kBroken, .place = at};
  next_ = token_;
}

bool Parser::accept(std::string_view punctuator) {
  if (failed_ || !token_.is(punctuator)) return false;
  advance();
  return true;
}

bool Parser::accept_word(std::string_view word) {
  if (failed_ || !token_.is_word(word)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view punctuator) {
  if (!accept(punctuator)) fail(fmt::format("`{}`", punctuator));
}

bool Parser::starts_block() const {
  return find_in(kBlocks, token_) != kBlocks.end() && next_.is("{");
}

// In a block, whose attributes may be called like types: `name = string`, `align = 8`.
bool Parser::starts_declaration() const {
  if (token_.is_word("typedef") || token_.is_word("typealias")) return true;
  if (token_.kind != TokenKind::kWord) return false;
  return !next_.is("=") && !next_.is(":=") && !next_.is(".") && !next_.is("->") && !next_.is("[");
}

std::optional<TopLevel> Parser::parse() {
  TopLevel result;
  if (starts_block()) {
    result.block = block();
  } else {
    result.declaration = declaration(false);
  }
  expect(";");
  if (!failed_ && token_.kind != TokenKind::kEnd) fail("a declaration");
  if (failed_) return std::nullopt;
  return result;
}

Block Parser::block() {
  Block result;
  result.kind = find_in(kBlocks, token_)->second;
  result.place = token_.place;
  advance();
  expect("{");
  while (!failed_ && !token_.is("}")) block_entry(result);
  expect("}");
  return result;
}

void Parser::block_entry(Block& block) {
  if (starts_declaration()) {
    block.declarations.push_back(declaration(false));
  } else {
    block.assignments.push_back(assignment());
  }
  expect(";");
}

Assignment Parser::assignment() {
  Assignment result;
  result.place = token_.place;
  if (token_.kind != TokenKind::kWord) fail("an attribute");
  const Expression key = expression();
  for (const std::string& name : key.path) {
    if (!result.key.empty()) result.key += '.';
    result.key += name;
  }
  if (accept(":=")) {
    bool is_typedef = false;
    result.type = specifiers(is_typedef);
    if (is_typedef) fail("a type");
  } else if (accept("=")) {
    result.value = expression();
  } else {
    fail("`=` or `:=`");
  }
  return result;
}

std::vector<Assignment> Parser::attributes() {
  std::vector<Assignment> result;
  expect("{");
  while (!failed_ && !token_.is("}")) {
    result.push_back(assignment());
    expect(";");
  }
  expect("}");
  return result;
}

Declaration Parser::declaration(bool in_compound) {
  if (token_.is_word("typealias")) return typealias();
  Declaration result;
  bool is_typedef = false;
  result.place = token_.place;
  result.type = specifiers(is_typedef);
  if (failed_) return result;
  if (token_.is(";")) {
    const bool declares_tag = result.type->kind >= Kind::kEnumeration && result.type->has_body &&
                              !result.type->name.empty();
    if (is_typedef || !declares_tag) fail("a name");
    result.kind = Declaration::Kind::kType;
    return result;
  }
  if (in_compound && !is_typedef && result.type->has_body) pass_over_second_type();
  result.kind = is_typedef ? Declaration::Kind::kTypedef : Declaration::Kind::kField;
  if (!is_typedef && !in_compound) {
    fail("`;`");
    return result;
  }
  do {
    result.declarators.push_back(in_compound && !is_typedef ? field() : declarator(false));
  } while (accept(","));
  return result;
}

// `struct s { ... } u8 v;` lacks a `;`. babeltrace2 takes `v` for a field of the structure.
void Parser::pass_over_second_type() {
  if (token_.kind != TokenKind::kWord || next_.kind != TokenKind::kWord || is_keyword(next_.text))
    return;
  findings_.report(TsdlRule::kSemicolon, token_.place,
                   fmt::format("`{}` was found where `;` was expected; it is passed over, so that "
                               "the field has the type before it",
                               token_.text));
  while (token_.kind == TokenKind::kWord && next_.kind == TokenKind::kWord) advance();
}

Declaration Parser::typealias() {
  Declaration result;
  result.kind = Declaration::Kind::kTypealias;
  advance();
  bool is_typedef = false;
  result.type = specifiers(is_typedef);
  result.declarators.push_back(declarator(true));
  expect(":=");
  result.place = token_.place;
  bool is_typedef_too = false;
  const TypeSpecifierPtr alias = specifiers(is_typedef_too);
  if (failed_) return result;
  if (is_typedef || is_typedef_too || alias->has_body || alias->name.empty()) {
    fail(TsdlRule::kSyntax, result.place, "a type was found where the name of one was expected");
    return result;
  }
  const Declarator name = declarator(true);
  if (!name.name.empty() || !name.extents.empty())
    fail(TsdlRule::kSyntax, name.place, "`;` was expected behind the name of the type");
  result.alias = (alias->kind == Kind::kNamed ? alias->shown : alias->name) + name.pointers;
  return result;
}

TypeSpecifierPtr Parser::specifiers(bool& is_typedef) {
  const Level level(*this);
  TypeSpecifierPtr type;
  Place place;        // of a type name
  std::string words;  // of it
  std::string shown;  // and with `const`
  while (!failed_ && token_.kind == TokenKind::kWord) {
    if (token_.is_word("const")) {
      join(shown, "const");
      advance();
    } else if (token_.is_word("typedef")) {
      is_typedef = true;
      advance();
    } else if (is_word_of_c(token_) && type == nullptr) {
      if (words.empty()) place = token_.place;
      join(words, token_.text);
      join(shown, token_.text);
      advance();
    } else if (const auto found = find_in(kTypes, token_);
               type != nullptr || !words.empty() ||
               (found == kTypes.end() && is_keyword(token_.text))) {
      break;
    } else if (found != kTypes.end()) {
      type = found->second == Kind::kEnumeration  ? enumeration()
             : found->second > Kind::kEnumeration ? compound(found->second, found->first)
                                                  : simple(found->second);
    } else {
      // The name of a type, unless there is one already.
      place = token_.place;
      words = token_.text;
      join(shown, words);
      advance();
      while (accept_word("const")) join(shown, "const");
      break;
    }
  }
  if (failed_) return nullptr;
  if (type == nullptr && words.empty()) {
    fail("a type");
    return nullptr;
  }
  if (type == nullptr) {
    type = std::make_unique<TypeSpecifier>();
    type->place = place;
    type->name = words;
    type->shown = shown;
  }
  return type;
}

TypeSpecifierPtr Parser::compound(Kind kind, std::string_view keyword) {
  auto type = std::make_unique<TypeSpecifier>();
  type->kind = kind;
  type->place = token_.place;
  advance();
  if (token_.kind == TokenKind::kWord && !is_keyword(token_.text)) {
    type->name = fmt::format("{} {}", keyword, token_.text);
    advance();
  }
  if (kind == Kind::kVariant && accept("<")) {
    type->tag = std::make_unique<Expression>(expression());
    expect(">");
  }
  if (accept("{")) {
    type->has_body = true;
    type->declarations = std::make_unique<DeclarationList>();
    while (!failed_ && !token_.is("}")) {
      Declaration next = declaration(true);
      if (!failed_) type->declarations->add(std::move(next));
      expect(";");
    }
    expect("}");
  } else if (type->name.empty()) {
    fail("a name or `{`");
  }
  if (kind == Kind::kStructure && token_.is_word("align")) {
    advance();
    expect("(");
    type->alignment = std::make_unique<Expression>(expression());
    expect(")");
  }
  return type;
}

TypeSpecifierPtr Parser::enumeration() {
  auto type = std::make_unique<TypeSpecifier>();
  type->kind = Kind::kEnumeration;
  type->place = token_.place;
  advance();
  if (token_.kind == TokenKind::kWord && !is_keyword(token_.text)) {
    type->name = fmt::format("enum {}", token_.text);
    advance();
  }
  if (accept(":")) {
    bool is_typedef = false;
    type->container = specifiers(is_typedef);
    if (is_typedef || !token_.is("{")) fail("`{`");
  }
  if (accept("{")) {
    type->has_body = true;
    enumerators(*type);
    expect("}");
  } else if (type->name.empty()) {
    fail("a name, `:` or `{`");
  }
  return type;
}

void Parser::enumerators(TypeSpecifier& type) {
  type.enumerators = std::make_unique<std::deque<Enumerator>>();
  while (!failed_ && !token_.is("}")) {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kString) fail("a label");
    Enumerator& added = type.enumerators->emplace_back();
    added.place = token_.place;
    added.label = token_.text;
    advance();
    if (accept("=")) {
      IntegerRange range;
      const auto take = [&](Integer& into) {
        Expression bound = expression();
        into = bound.value;
        if (bound.kind != Expression::Kind::kInteger && added.wrong == nullptr)
          added.wrong = std::make_unique<Expression>(std::move(bound));
      };
      take(range.lower);
      range.upper = range.lower;
      if (accept("...")) take(range.upper);
      added.range.push_back(range);
    }
    if (!accept(",")) break;
  }
}

TypeSpecifierPtr Parser::simple(Kind kind) {
  auto type = std::make_unique<TypeSpecifier>();
  type->kind = kind;
  type->place = token_.place;
  advance();
  if (kind != Kind::kString || token_.is("{")) type->attributes = attributes();
  return type;
}

std::string Parser::pointers() {
  std::string result;
  while (accept("*")) {
    result += " *";
    while (accept_word("const")) result += " const";
  }
  return result;
}

Declarator Parser::field() {
  Declarator result;
  result.place = token_.place;
  if (!token_.is(":")) result = declarator(false);
  if (!accept(":")) return result;
  if (!result.extents.empty() || !result.pointers.empty())
    fail(TsdlRule::kSyntax, result.place, "a bit field is an integer, no array and no pointer");
  result.bits = std::make_unique<Expression>(expression());
  return result;
}

// What is nearest to the name comes first: arrays up to the first pointer are the field's own, the
// rest belongs to the name of a type.
Declarator Parser::declarator(bool abstract) {
  const Level level(*this);
  Declarator result;
  std::string pointer = pointers();
  if (!failed_ && accept("(")) {
    result = declarator(abstract);
    expect(")");
  } else {
    result.place = token_.place;
    if (token_.kind == TokenKind::kWord && !is_keyword(token_.text)) {
      result.name = token_.text;
      advance();
    } else if (!abstract) {
      fail("a name");
    }
  }
  if (token_.is("[") && !result.pointers.empty())
    result.pointers = fmt::format(" ({} )", result.pointers);
  while (accept("[")) {
    const bool is_empty = abstract && token_.is("]");
    Expression length = is_empty ? Expression{} : expression();
    expect("]");
    if (result.pointers.empty()) {
      result.extents.push_back(std::move(length));
    } else {
      result.pointers += fmt::format(" [{}]", is_empty ? "" : plain_text(length));
    }
  }
  result.pointers = pointer + result.pointers;
  return result;
}

Expression Parser::expression() {
  const Level level(*this);
  const Place place = token_.place;
  bool negative = false;
  bool has_sign = false;
  if (accept("-")) {
    negative = has_sign = true;
  } else if (accept("+")) {
    has_sign = true;
  }
  Expression result = primary();
  if (has_sign && result.kind != Expression::Kind::kInteger) {
    fail(TsdlRule::kSyntax, result.place, "a sign stands before what is no integer");
  } else if (negative && result.value > Integer(Uint128{1} << 127, false)) {
    fail(TsdlRule::kLexical, result.place, "this integer does not fit in 128 bits with its sign");
  } else if (negative) {
    result.value = Integer::of(result.value.magnitude, !result.value.negative);
  }
  result.place.length += static_cast<std::uint32_t>(result.place.offset - place.offset);
  result.place.offset = place.offset;
  return result;
}

Expression Parser::primary() {
  Expression result;
  result.place = token_.place;
  if (accept("(")) {
    result = expression();
    expect(")");
  } else if (token_.kind == TokenKind::kInteger) {
    result.value = token_.value;
    advance();
  } else if (token_.kind == TokenKind::kString) {
    result.kind = Expression::Kind::kString;
    std::string text;
    for (; !failed_ && token_.kind == TokenKind::kString; advance()) text += token_.text;
    result.text = text;
  } else if (token_.kind == TokenKind::kWord) {
    result.kind = Expression::Kind::kPath;
    result.path.push_back(token_.text);
    advance();
    while (accept(".") || accept("->")) {
      if (token_.kind != TokenKind::kWord) fail("a name");
      result.path.push_back(token_.text);
      advance();
    }
  } else {
    fail("a value");
  }
  return result;
}

}  // namespace tracedeck::ctf::tsdl
