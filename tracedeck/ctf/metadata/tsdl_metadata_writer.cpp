#include "tracedeck/ctf/metadata/tsdl_metadata_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/metadata/tsdl_lexer.hpp"
#include "tracedeck/ctf/metadata/tsdl_values.hpp"
#include "tracedeck/ctf/words.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string sanitized(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (!is_identifier_character(c)) c = '_';
  }
  return text;
}

std::string identifier_of(std::string_view name) {
  std::string identifier = sanitized(name);
  if (identifier.empty() || (identifier[0] >= '0' && identifier[0] <= '9'))
    identifier.insert(0, "_");
  return identifier;
}

void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\') {
    out.push_back('\\');
    out.push_back(c);
  } else if (c == '\n') {
    out.append("\\n");
  } else if (c == '\t') {
    out.append("\\t");
  } else if (c == '\r') {
    out.append("\\r");
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
    out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  } else {
    out.push_back(c);
  }
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) append_escaped(out, c);
  out.push_back('"');
  return out;
}

std::string_view order_word(ByteOrder order) { return order == ByteOrder::kLittle ? "le" : "be"; }

// The labels of an enumeration.
class Labels {
  auto name_of() const {
    return [this](std::size_t i) { return of_->mappings[i].label.view(); };
  }

 public:
  // None of null. `of` must outlive this.
  explicit Labels(const IntegerClass* of) : of_(of) {
    if (of == nullptr) return;
    for (std::size_t i = 0; i < of->mappings.size(); ++i) index_.add(i, name_of());
  }

  [[nodiscard]] bool has(std::string_view label) const {
    return index_.find(label, name_of()) != NameIndex::kNone;
  }

 private:
  const IntegerClass* of_;
  NameIndex index_;
};

// The field classes of one block.
class TypeText {
 public:
  TypeText(MetadataText& pieces, std::size_t& spelt)
      : pieces_(pieces), text_(pieces.text), spelt_(spelt) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // `clock`: the name of what its timestamps are mapped to, or "".
  void root(std::string_view scope, Root root, const FieldClassPtr& field_class,
            std::string_view clock = {}) {
    if (field_class == nullptr) return;
    root_ = root;
    clock_ = clock;
    text_.append("\t").append(scope).append(" := ");
    type(*field_class);
    text_.append(";\n");
  }

 private:
  struct Frame {
    const StructureClass* structure;
    std::vector<std::string> names;
  };

  void fault(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{.code = code, .message = std::move(message)};
  }
  void no_words(const FieldClass& field_class) {
    fault(ErrorCode::kUnsupported,
          fmt::format("CTF 1.8.3 has no type for a {}", kind_name(field_class)));
  }

  // A type without what stands behind the name of a field.
  void type(const FieldClass& field_class) {
    if (++spelt_ > kMostSpeltClasses) fault(ErrorCode::kLimitExceeded, "too many field classes");
    if (++depth_ > kClassNesting) fault(ErrorCode::kLimitExceeded, "field classes nested too deep");
    if (!error_)
      std::visit([&](const auto& kind) { this->kind(field_class, kind); }, field_class.kind);
    --depth_;
  }

  // A field: arrays say their lengths behind its name, outermost first.
  void field(const std::string& name, const FieldClass& field_class) {
    std::string lengths;
    const FieldClass* inner = &field_class;
    for (const Extent* extent = array_extent(*inner); extent != nullptr && !error_;
         extent = array_extent(*inner)) {
      lengths.append(length_text(*inner, *extent));
      const auto* const array = inner->as<ArrayClass>();
      if (array == nullptr) break;
      inner = array->element.get();
      if (++spelt_ > kMostSpeltClasses) fault(ErrorCode::kLimitExceeded, "too many field classes");
    }
    indent();
    type(*inner);
    text_.append(" ").append(name).append(lengths).append(";\n");
    pieces_.between();
  }

  // Of arrays and of strings that are arrays of characters here; else null.
  static const Extent* array_extent(const FieldClass& field_class) {
    if (const auto* const array = field_class.as<ArrayClass>()) return &array->extent;
    const auto* const string = field_class.as<StringClass>();
    if (string != nullptr && !std::holds_alternative<NullTerminated>(string->extent))
      return &string->extent;
    const auto* const blob = field_class.as<BlobClass>();
    return blob == nullptr ? nullptr : &blob->extent;
  }

  std::string length_text(const FieldClass& field_class, const Extent& extent) {
    if (const auto* const fixed = std::get_if<StaticLength>(&extent))
      return fmt::format("[{}]", fixed->length);
    if (const auto* const located = std::get_if<LengthField>(&extent))
      return "[" + location(located->location) + "]";
    no_words(field_class);
    return {};
  }

  void indent() { text_.append(frames_.size() + 1, '\t'); }

  void integer(std::uint32_t size, std::uint32_t align, bool is_signed, ByteOrder order,
               DisplayBase base, std::string_view more = {}) {
    text_ += fmt::format(
        "integer {{ size = {}; align = {}; signed = {}; byte_order = {}; base = {};{} }}", size,
        align, is_signed ? "true" : "false", order_word(order), static_cast<int>(base), more);
  }

  void kind(const FieldClass& field_class, const IntegerClass& of) {
    using Form = IntegerClass::Form;
    const auto* const fixed = std::get_if<FixedLayout>(&of.layout);
    if (fixed == nullptr || fixed->width > 64 || of.form == Form::kBitMap)
      return no_words(field_class);
    if (of.form == Form::kEnumeration && !of.mappings.empty()) text_.append("enum : ");
    integer(fixed->width, field_class.alignment, of.is_signed, fixed->byte_order, of.display_base,
            clock_map(field_class));
    if (of.form == Form::kEnumeration && !of.mappings.empty()) mappings(of.mappings);
  }

  std::string clock_map(const FieldClass& field_class) const {
    if (clock_.empty()) return {};
    for (const std::string& word : field_class.roles) {
      const std::string_view name = reserved_name(root_, word);
      if (name.starts_with("timestamp")) return fmt::format(" map = clock.{}.value;", clock_);
    }
    return {};
  }

  void mappings(const std::vector<Mapping>& mappings) {
    text_.append(" { ");
    std::string_view comma;
    for (const Mapping& mapping : mappings) {
      for (const IntegerRange& range : mapping.ranges) {
        text_.append(comma).append(string_literal(mapping.label)).append(" = ");
        text_.append(range.lower.to_string());
        if (range.upper != range.lower) text_.append(" ... ").append(range.upper.to_string());
        comma = ", ";
      }
      pieces_.between();
    }
    text_.append(" }");
  }

  // An enumeration of two.
  void kind(const FieldClass& field_class, const BooleanClass& of) {
    text_.append("enum : ");
    integer(of.layout.width, field_class.alignment, false, of.layout.byte_order,
            DisplayBase::kDecimal);
    text_.append(" { \"false\" = 0, \"true\" = 1 }");
  }
  void kind(const FieldClass& field_class, const MapClass&) { no_words(field_class); }
  void kind(const FieldClass& field_class, const DynamicClass&) { no_words(field_class); }
  void kind(const FieldClass& field_class, const OptionalClass&) { no_words(field_class); }

  void kind(const FieldClass& field_class, const RealClass& real) {
    const bool narrow = real.layout.width == 32;
    if (!narrow && real.layout.width != 64) return no_words(field_class);
    text_ += fmt::format(
        "floating_point {{ exp_dig = {}; mant_dig = {}; byte_order = {}; align = {}; }}",
        narrow ? 8 : 11, narrow ? 24 : 53, order_word(real.layout.byte_order),
        field_class.alignment);
  }

  void kind(const FieldClass& field_class, const StringClass& string) {
    if (string.encoding != TextEncoding::kUtf8) return no_words(field_class);
    if (std::holds_alternative<NullTerminated>(string.extent)) {
      text_.append("string { encoding = UTF8; }");
    } else {
      integer(8, 8, false, ByteOrder::kLittle, DisplayBase::kDecimal, " encoding = UTF8;");
    }
  }

  void kind(const FieldClass&, const BlobClass&) {
    integer(8, 8, false, ByteOrder::kLittle, DisplayBase::kHexadecimal);
  }

  // An array that is no field: an option, say, whose name follows elsewhere.
  void kind(const FieldClass& field_class, const ArrayClass&) { no_words(field_class); }

  void kind(const FieldClass& field_class, const StructureClass& structure) {
    frames_.push_back({&structure, tsdl_member_names(root_, structure)});
    text_.append("struct {\n");
    for (std::size_t i = 0; i < structure.members.size() && !error_; ++i)
      field(std::string(frames_.back().names[i]), *structure.members[i].field_class);
    frames_.pop_back();
    indent();
    text_.append("}");
    const std::uint32_t align = std::max(structure.minimum_alignment, field_class.alignment);
    if (align > 1) text_ += fmt::format(" align({})", align);
  }

  void kind(const FieldClass& field_class, const VariantClass& variant) {
    if (!variant.selector) return no_words(field_class);
    const Labels labels(selector_of(*variant.selector));
    text_.append("variant <").append(location(*variant.selector)).append("> {\n");
    // What is inside is one level deeper, but no structure that a location could lead to.
    frames_.push_back({nullptr, {}});
    for (const VariantOption& option : variant.options) {
      const std::string name = option_name(option.name.str(), labels);
      if (!is_tsdl_name(name)) return no_words(field_class);
      field(name, *option.field_class);
      if (error_) break;
    }
    frames_.pop_back();
    indent();
    text_.append("}");
  }

  // Readers take an underscore off the name of an option, and not off its label.
  static std::string option_name(const std::string& name, const Labels& labels) {
    std::string with = "_" + name;
    return !labels.has(name) && labels.has(with) ? with : name;
  }

  // What a location of this root leads to through structures, or null.
  [[nodiscard]] const IntegerClass* selector_of(const FieldLocation& location) const {
    if (location.root != Root::kRelative && location.root != root_) return nullptr;
    std::size_t frame = location.root == Root::kRelative ? frames_.size() : 1;
    auto step = location.path.begin();
    const auto to_structure = [&] {
      while (frame > 0 && frames_[frame - 1].structure == nullptr) --frame;
    };
    for (to_structure(); step != location.path.end() && !*step && frame > 0; ++step) {
      --frame;
      to_structure();
    }
    const StructureClass* in = frame == 0 ? nullptr : frames_[frame - 1].structure;
    const FieldClass* found = nullptr;
    for (; step != location.path.end() && *step && in != nullptr; ++step) {
      const auto member = std::ranges::find_if(
          in->members, [&](const Member& each) { return each.name.view() == **step; });
      if (member == in->members.end()) return nullptr;
      found = member->field_class.get();
      in = found->as<StructureClass>();
    }
    return found == nullptr || step != location.path.end() ? nullptr : found->as<IntegerClass>();
  }

  // Relative: the names alone, which are looked for outwards. Absolute: a dynamic scope first.
  std::string location(const FieldLocation& location) {
    std::string spelt;
    std::size_t above = 0;
    std::vector<std::string> names;
    for (const auto& step : location.path) {
      if (!step) {
        ++above;
      } else {
        names.push_back(*step);
      }
    }
    const bool here = location.root == Root::kRelative || location.root == root_;
    // What stands beside the field is found without its scope.
    const bool beside = location.root == root_ && frames_.size() == 1 && names.size() == 1;
    const StructureClass* at = nullptr;
    std::size_t frame = frames_.size();
    if (location.root != Root::kRelative && !beside) {
      spelt.append(dynamic_scope(location.root));
      if (here && !frames_.empty()) at = frames_.front().structure;
    } else {
      while (frame > 0) {
        --frame;
        if (frames_[frame].structure == nullptr) continue;
        if (above-- == 0) break;
      }
      if (frame < frames_.size()) at = frames_[frame].structure;
    }
    for (const std::string& name : names) {
      if (!spelt.empty()) spelt.push_back('.');
      spelt.append(spelt_name(at, location.root == Root::kRelative ? root_ : location.root, name));
      at = inner_structure(at, name);
    }
    return spelt;
  }

  static const StructureClass* inner_structure(const StructureClass* at, const std::string& name) {
    if (at == nullptr) return nullptr;
    const auto found = std::ranges::find(at->members, name, &Member::name);
    return found == at->members.end() ? nullptr : found->field_class->as<StructureClass>();
  }

  // Names in another root are spelt by rule; those numbered there for likeness are not found.
  static std::string spelt_name(const StructureClass* at, Root root, const std::string& name) {
    if (at != nullptr) {
      const auto names = tsdl_member_names(root, *at);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (at->members[i].name == name) return names[i];
      }
    }
    if (reserved_role(root, name)) return name;
    return "_" + tsdl_identifier(name);
  }

  MetadataText& pieces_;
  std::string& text_;
  std::size_t& spelt_;
  Root root_ = Root::kPayload;
  std::string_view clock_;
  std::vector<Frame> frames_;
  std::size_t depth_ = 0;
  std::optional<Error> error_;
};

// Of the first integer of a packet header: the magic number, most likely.
ByteOrder trace_byte_order(const FieldClassPtr& header) {
  const auto* const structure = header == nullptr ? nullptr : header->as<StructureClass>();
  if (structure == nullptr || structure->members.empty()) return ByteOrder::kLittle;
  const auto* const integer = structure->members[0].field_class->as<IntegerClass>();
  const auto* const fixed =
      integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
  return fixed == nullptr ? ByteOrder::kLittle : fixed->byte_order;
}

// Whether a packet header has the field of that reserved name.
bool has_reserved(const FieldClassPtr& header, std::string_view name, std::size_t depth = 0) {
  if (header == nullptr || depth > kClassNesting) return false;
  bool found = reserved_name(Root::kPacketHeader, *header) == name;
  for_each_child(*header, [&](const FieldClassPtr& inner) {
    found = found || has_reserved(inner, name, depth + 1);
  });
  return found;
}

class TsdlMetadataWriter final : public MetadataWriter {
 public:
  explicit TsdlMetadataWriter(MetadataText::Sink sink) : MetadataWriter(std::move(sink)) {}

  Result<void> begin(const TraceClass& trace_class, const Attributes& environment) override {
    has_stream_id_ = has_reserved(trace_class.packet_header, "stream_id");
    auto done = block([&](TypeText& text) {
      text_.append("/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n");
      if (trace_class.uuid)
        text_.append("\tuuid = ")
            .append(string_literal(uuid_text(*trace_class.uuid)))
            .append(";\n");
      const ByteOrder order = trace_byte_order(trace_class.packet_header);
      text_.append("\tbyte_order = ").append(order_word(order)).append(";\n");
      for (const Attribute& each : trace_class.attributes) {
        if (each.is_json || !is_tsdl_name(each.key)) continue;
        text_.append("\t").append(each.key).append(" = ");
        text_.append(is_number(each.value) ? each.value : string_literal(each.value)).append(";\n");
      }
      text.root("packet.header", Root::kPacketHeader, trace_class.packet_header);
    });
    if (done) add_environment(environment);
    return done;
  }

  Result<void> add_clock(const ClockClass& clock) override {
    const std::optional<std::uint64_t> frequency = clock_frequency(clock);
    if (!frequency)
      return fail(ErrorCode::kUnsupported, "the clock `" + clock.id + "` has no whole frequency");
    text_.append("\nclock {\n\tname = ").append(string_literal(declare(clock))).append(";\n");
    if (tsdl::parse_uuid(clock.identity.uid))
      text_.append("\tuuid = ").append(string_literal(clock.identity.uid)).append(";\n");
    if (!clock.description.empty())
      text_.append("\tdescription = ").append(string_literal(clock.description)).append(";\n");
    const ClockOffset offset = clock_offset(clock, *frequency);
    text_ += fmt::format("\tfreq = {};\n", *frequency);
    if (clock.precision) text_ += fmt::format("\tprecision = {};\n", *clock.precision);
    text_ += fmt::format("\toffset_s = {};\n\toffset = {};\n\tabsolute = {};\n}};\n",
                         offset.seconds, offset.cycles, is_absolute(clock));
    return {};
  }

  Result<void> add_stream_class(const DataStreamClass& stream_class) override {
    const std::uint64_t id = stream_id(stream_class);
    return marked_block(stream_class.attributes, mark_entry(id), [&](TypeText& text) {
      text_.append("\nstream {\n");
      if (has_stream_id_) text_ += fmt::format("\tid = {};\n", id);
      const std::string_view clock = declared(stream_class.default_clock);
      text.root("packet.context", Root::kPacketContext, stream_class.packet_context, clock);
      text.root("event.header", Root::kEventHeader, stream_class.event_header, clock);
      text.root("event.context", Root::kCommonContext, stream_class.common_context);
    });
  }

  using MetadataWriter::add_event_class;
  Result<void> add_event_class(const EventClass& event_class, const Attributes& given) override {
    const std::uint64_t stream = stream_id(*event_class.stream_class);
    const std::uint64_t id = event_class.id.value_or(0);
    return marked_block(given, mark_entry(stream, id), [&](TypeText& text) {
      text_.append("\nevent {\n");
      if (event_class.name)
        text_.append("\tname = ").append(string_literal(*event_class.name)).append(";\n");
      text_ += fmt::format("\tid = {};\n", id);
      if (has_stream_id_) text_ += fmt::format("\tstream_id = {};\n", stream);
      attributes(given);
      text.root("context", Root::kSpecificContext, event_class.specific_context);
      text.root("fields", Root::kPayload, event_class.payload);
    });
  }

 private:
  // Gives a clock the name that it has here, which no other one has.
  const std::string& declare(const ClockClass& clock) {
    std::string base = identifier_of(clock.id);
    if (!is_tsdl_name(base)) base.push_back('_');
    std::string name = base;
    for (unsigned number = 2; !clock_names_.insert(name).second; ++number)
      name = fmt::format("{}_{}", base, number);
    return clocks_.insert_or_assign(clock.id, std::move(name)).first->second;
  }
  [[nodiscard]] std::string_view declared(const ClockClass* clock) const {
    const auto found = clock == nullptr ? clocks_.end() : clocks_.find(clock->id);
    return found == clocks_.end() ? std::string_view() : found->second;
  }

  // Without the id in packet headers, one of a stream is an error for the readers there are.
  [[nodiscard]] std::uint64_t stream_id(const DataStreamClass& stream_class) const {
    return has_stream_id_ ? stream_class.id.value_or(0) : 0;
  }

  static bool is_number(std::string_view digits) {
    if (digits.starts_with('-')) digits.remove_prefix(1);
    return !digits.empty() && digits.size() <= 18 &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  }

  void add_environment(const Attributes& environment) {
    bool any = false;
    for (const Attribute& entry : environment) {
      const std::string name = identifier_of(entry.key);
      if (!is_tsdl_name(name) || !environment_.insert(name).second) continue;
      if (!std::exchange(any, true)) text_.append("\nenv {\n");
      environment_entry(name, entry);
    }
    if (any) text_.append("};\n");
  }

  void environment_entry(std::string_view name, const Attribute& entry) {
    text_.append("\t").append(name).append(" = ");
    if (entry.is_json && is_number(entry.value)) {
      text_.append(entry.value);
    } else {
      text_.push_back('"');
      for (const char c : entry.value) {
        append_escaped(text_, c);
        pieces_.between();
      }
      text_.push_back('"');
    }
    text_.append(";\n");
  }

  // The two that CTF 1.8 knows.
  void attributes(const Attributes& attributes) {
    for (const Attribute& attribute : attributes) {
      if (attribute.is_json) continue;
      if (attribute.key == "loglevel" && !attribute.value.empty() &&
          std::ranges::all_of(attribute.value, [](char c) { return c >= '0' && c <= '9'; }))
        text_.append("\tloglevel = ").append(attribute.value).append(";\n");
      if (attribute.key == "model.emf.uri")
        text_.append("\tmodel.emf.uri = ").append(string_literal(attribute.value)).append(";\n");
    }
  }

  // A block, which `fill` begins.
  template <class Fill>
  Result<void> block(Fill fill) {
    return pieces_.add([&]() -> Result<void> {
      std::size_t spelt = 0;
      TypeText text(pieces_, spelt);
      fill(text);
      if (text.error()) return std::unexpected(*text.error());
      text_.append("};\n");
      return {};
    });
  }

  // Before it, what is to be known of the class, under a name that says the class.
  template <class Fill>
  Result<void> marked_block(const Attributes& attributes, std::string name, Fill fill) {
    const auto mark = std::ranges::find_if(attributes, [](const Attribute& each) {
      return each.key == kOurNamespace && each.is_json && holds_mark(each.value);
    });
    if (mark == attributes.end()) return block(fill);
    while (environment_.contains(name)) name.push_back('_');
    auto done = block([&](TypeText& text) {
      text_.append("\nenv {\n");
      environment_entry(name, *mark);
      text_.append("};\n");
      fill(text);
    });
    if (done) environment_.insert(std::move(name));
    return done;
  }

  bool has_stream_id_ = false;
  TextSet environment_;
  TextMap<std::string> clocks_;  // names of those that are declared, by their ids
  TextSet clock_names_;
};

}  // namespace

bool is_tsdl_name(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::ranges::all_of(name, is_identifier_character) && !tsdl::is_keyword(name);
}

std::string tsdl_identifier(std::string_view name) {
  // A single underscore in the trace is a name that readers leave as it is.
  return name.empty() ? "_" : sanitized(name);
}

std::vector<std::string> tsdl_member_names(Root root, const StructureClass& structure) {
  std::vector<std::string> names;
  TextSet taken;
  TextMap<unsigned> numbers;
  // Of several fields with a role, the last one counts.
  TextViewMap<const Member*> last_of_role;
  for (const Member& member : structure.members)
    last_of_role[reserved_name(root, *member.field_class)] = &member;
  for (const Member& member : structure.members) {
    std::string name(reserved_name(root, *member.field_class));
    const bool has_reserved = !name.empty() && last_of_role[name] == &member;
    if (!has_reserved) {
      name = "_" + tsdl_identifier(member.name);
      if (!is_tsdl_name(name)) name.push_back('_');
    }
    const std::string base = name;
    // Readers take the underscore off, and then for one with a role what is called as such.
    const auto serves = [&] {
      const bool is_free = has_reserved || !reserved_role(root, name.substr(1));
      return is_free && taken.insert(name).second;
    };
    while (!serves()) name = fmt::format("{}_{}", base, ++numbers[base]);
    names.push_back(std::move(name));
  }
  return names;
}

std::unique_ptr<MetadataWriter> tsdl_metadata_writer(MetadataText::Sink sink) {
  return std::make_unique<TsdlMetadataWriter>(std::move(sink));
}

}  // namespace tracedeck::ctf
