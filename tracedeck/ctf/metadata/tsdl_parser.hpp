// From tokens of TSDL to its syntax tree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/ctf/metadata/tsdl_lexer.hpp"
#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"

namespace tracedeck::ctf::tsdl {

// Parses one top-level declaration; `text` ends with its `;`, or where the stream does. The first
// fault ends it.
class Parser {
 public:
  // `offset`: of `text` in the whole text.
  Parser(std::string_view text, std::uint64_t offset, TextFindings& findings);

  // Nothing but blanks and comments.
  [[nodiscard]] bool is_blank() const { return token_.kind == TokenKind::kEnd; }
  // Nothing when there are findings. Called once, unless `is_blank()`.
  [[nodiscard]] std::optional<TopLevel> parse();

 private:
  void advance();
  void fail(std::string_view expected);
  void fail(TsdlRule rule, Place at, std::string_view text);
  bool accept(std::string_view punctuator);
  bool accept_word(std::string_view word);
  void expect(std::string_view punctuator);
  [[nodiscard]] bool starts_block() const;
  [[nodiscard]] bool starts_declaration() const;

  Block block();
  void block_entry(Block& block);
  Assignment assignment();
  std::vector<Assignment> attributes();
  Declaration declaration(bool in_compound);
  void pass_over_second_type();
  Declaration typealias();
  TypeSpecifierPtr specifiers(bool& is_typedef);
  TypeSpecifierPtr compound(TypeSpecifier::Kind kind, std::string_view keyword);
  TypeSpecifierPtr enumeration();
  void enumerators(TypeSpecifier& type);
  TypeSpecifierPtr simple(TypeSpecifier::Kind kind);
  std::string pointers();
  Declarator field();
  Declarator declarator(bool abstract);
  Expression expression();
  Expression primary();

  // Counts how deep the tree is; a fault when it is too deep.
  class Level;

  Lexer lexer_;
  TextFindings& findings_;
  Token token_;
  Token next_;
  std::size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace tracedeck::ctf::tsdl
