#include "tracedeck/ctf/metadata/json_metadata_writer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/clock_mark.hpp"
#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/metadata/json_words.hpp"
#include "tracedeck/ctf/metadata/tsdl_values.hpp"
#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/ctf/words.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/text/json_out.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

void write_ranges(JsonOut& out, std::string_view key, const IntegerRanges& ranges) {
  out.key(key).begin_array();
  for (const IntegerRange& range : ranges) {
    out.begin_array();
    out.integer(range.lower);
    out.integer(range.upper);
    out.end_array();
  }
  out.end_array();
}

// Labels are keys here, so those that occur twice become one.
void write_mappings(JsonOut& out, std::string_view key, const std::vector<Mapping>& mappings,
                    MetadataText& pieces) {
  NameIndex first;
  std::map<std::size_t, IntegerRanges> merged;  // of those that occur more than once, by the first
  std::vector<bool> is_first(mappings.size());
  const auto label_of = [&](std::size_t i) { return mappings[i].label.view(); };
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const std::size_t known = first.add(i, label_of);
    is_first[i] = known == i;
    if (known != i)
      merged.try_emplace(known, mappings[known].ranges).first->second.append(mappings[i].ranges);
  }
  out.key(key).begin_object();
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    if (!is_first[i]) continue;
    const auto several = merged.find(i);
    write_ranges(out, mappings[i].label,
                 several == merged.end() ? mappings[i].ranges : several->second);
    pieces.between();
  }
  out.end_object();
}

bool is_clock_role(std::string_view word) {
  const std::optional<Role> role = find_role(word);
  return role == Role::kPacketBegin || role == Role::kPacketEnd || role == Role::kClock;
}

// The field classes of one fragment.
class ClassText {
 public:
  using Aliases = std::unordered_map<const FieldClass*, std::string>;

  ClassText(MetadataText& pieces, Dialect dialect, const Aliases& aliases, std::size_t& spelt)
      : pieces_(pieces),
        out_(pieces.text),
        rc3_(dialect == Dialect::kRc3),
        dialect_(dialect),
        aliases_(aliases),
        spelt_(spelt) {}

  JsonOut& out() { return out_; }
  // CTF2-SPECRC-3.0 ignores roles of clock values without a default clock, CTF2-SPEC-2.0 has none.
  void leave_out_clock_roles() { has_clock_ = false; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void root(std::string_view key, Root root, const FieldClassPtr& field_class) {
    if (field_class == nullptr) return;
    root_ = root;
    path_.clear();
    frames_.clear();
    out_.key(key);
    value(*field_class);
  }

  // Those that are plain text stand together in ours, as "annotations": [[key, value], ...].
  void attributes(const Attributes& attributes) {
    if (attributes.empty()) return;
    const bool any_plain =
        std::ranges::any_of(attributes, [](const auto& a) { return !a.is_json; });
    const Attribute* ours = nullptr;
    out_.key(rc3_ ? "user-attributes" : "attributes").begin_object();
    TextViewSet keys;
    for (const Attribute& each : attributes) {
      if (!each.is_json || !keys.insert(each.key).second) continue;
      if (any_plain && each.key == kOurNamespace) {
        ours = &each;
      } else {
        out_.key(each.key);
        raw(each.value);
      }
    }
    if (any_plain) {
      out_.key(kOurNamespace).begin_object();
      annotations(attributes);
      const std::string_view others = ours == nullptr ? "" : inside_of_object(ours->value);
      if (!others.empty()) raw(others);
      out_.end_object();
    }
    out_.end_object();
  }

  // A field class, or the name of its alias.
  void value(const FieldClass& field_class) {
    if (const auto alias = aliases_.find(&field_class); alias != aliases_.end()) {
      out_.string(alias->second);
      return;
    }
    spelt(field_class);
  }

  void spelt(const FieldClass& field_class) {
    if (++spelt_ > kMostSpeltClasses) fault(ErrorCode::kLimitExceeded, "too many field classes");
    if (++depth_ > kClassNesting) fault(ErrorCode::kLimitExceeded, "field classes nested too deep");
    out_.begin_object();
    if (!error_) {
      std::visit([&](const auto& kind) { this->kind(field_class, kind); }, field_class.kind);
      attributes(field_class.attributes);
    }
    out_.end_object();
    --depth_;
  }

 private:
  // JSON that may be long.
  void raw(std::string_view json) {
    out_.raw("");  // the comma before it
    pieces_.append(json);
  }

  void annotations(const Attributes& attributes) {
    out_.key(kAnnotations).begin_array();
    for (const Attribute& each : attributes) {
      if (each.is_json) continue;
      out_.begin_array();
      out_.string(each.key);
      out_.string(each.value);
      out_.end_array();
    }
    out_.end_array();
  }

  void fault(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{.code = code, .message = std::move(message)};
  }
  void no_words(const FieldClass& field_class) {
    fault(ErrorCode::kUnsupported, std::string(document_name(dialect_)) +
                                       " has no field class for a " +
                                       std::string(kind_name(field_class)));
    out_.key("type").string("");
  }

  void roles(const FieldClass& field_class) {
    bool any = false;
    for (const std::string& word : field_class.roles) {
      const std::string_view translated = role_in(root_, word, dialect_);
      if (translated.empty() || (!has_clock_ && is_clock_role(word))) continue;
      if (!any) out_.key("roles").begin_array();
      any = true;
      out_.string(translated);
    }
    if (any) out_.end_array();
  }

  void layout(const FieldClass& field_class, const FixedLayout& layout) {
    out_.key("length").integer(layout.width);
    out_.key("byte-order").string(word_of(kByteOrders, layout.byte_order));
    if (layout.reversed && !rc3_) {
      const bool big = layout.byte_order == ByteOrder::kBig;
      out_.key("bit-order").string(word_of(kBitOrders, big));
    }
    if (field_class.alignment > 1) out_.key("alignment").integer(field_class.alignment);
  }

  void kind(const FieldClass& field_class, const BooleanClass& boolean) {
    out_.key("type").string("fixed-length-boolean");
    layout(field_class, boolean.layout);
  }

  void kind(const FieldClass& field_class, const IntegerClass& integer) {
    using Form = IntegerClass::Form;
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    std::string type = fixed != nullptr ? "fixed-length-" : "variable-length-";
    const bool bits = integer.form == Form::kBitArray || integer.form == Form::kBitMap;
    if (bits) {
      if ((integer.form == Form::kBitMap && rc3_) || (fixed == nullptr && !rc3_))
        return no_words(field_class);
      type += integer.form == Form::kBitMap ? "bit-map" : "bit-array";
    } else {
      type += integer.is_signed ? "signed-" : "unsigned-";
      type += integer.form == Form::kEnumeration && rc3_ ? "enumeration" : "integer";
    }
    out_.key("type").string(type);
    if (fixed != nullptr) layout(field_class, *fixed);
    if (!bits && integer.display_base != DisplayBase::kDecimal)
      out_.key("preferred-display-base").integer(static_cast<int>(integer.display_base));
    if (integer.form == Form::kEnumeration)
      write_mappings(out_, "mappings", integer.mappings, pieces_);
    if (integer.form == Form::kBitMap) write_mappings(out_, "flags", integer.mappings, pieces_);
    if (!bits && !integer.is_signed) roles(field_class);
  }

  void kind(const FieldClass& field_class, const RealClass& real) {
    out_.key("type").string("fixed-length-floating-point-number");
    layout(field_class, real.layout);
  }

  // Returns whether the extent is one that strings, blobs and arrays can have here.
  bool extent(const FieldClass& field_class, const Extent& extent, std::string_view what) {
    const auto* const fixed = std::get_if<StaticLength>(&extent);
    const auto* const located = std::get_if<LengthField>(&extent);
    if (fixed == nullptr && located == nullptr) {
      no_words(field_class);
      return false;
    }
    out_.key("type").string((fixed != nullptr ? "static-length-" : "dynamic-length-") +
                            std::string(what));
    if (fixed != nullptr) out_.key("length").integer(fixed->length);
    if (located != nullptr) location("length-field-location", located->location);
    return true;
  }

  void kind(const FieldClass& field_class, const StringClass& string) {
    if (std::holds_alternative<NullTerminated>(string.extent)) {
      out_.key("type").string("null-terminated-string");
    } else if (!extent(field_class, string.extent, "string")) {
      return;
    }
    if (string.encoding == TextEncoding::kUtf8) return;
    if (rc3_) return fault(ErrorCode::kUnsupported, "CTF2-SPECRC-3.0 has UTF-8 strings only");
    out_.key("encoding").string(word_of(kEncodings, string.encoding));
  }

  void kind(const FieldClass& field_class, const BlobClass& blob) {
    if (!extent(field_class, blob.extent, "blob")) return;
    if (blob.media_type != "application/octet-stream")
      out_.key("media-type").string(blob.media_type);
    if (std::holds_alternative<StaticLength>(blob.extent)) roles(field_class);
  }

  void kind(const FieldClass& field_class, const ArrayClass& array) {
    if (!extent(field_class, array.extent, "array")) return;
    if (array.minimum_alignment > 1) out_.key("minimum-alignment").integer(array.minimum_alignment);
    out_.key("element-field-class");
    value(*array.element);
  }

  void kind(const FieldClass&, const StructureClass& structure) {
    out_.key("type").string("structure");
    frames_.push_back(path_.size());
    if (!structure.members.empty()) out_.key("member-classes").begin_array();
    for (const Member& member : structure.members) {
      out_.begin_object();
      out_.key("name").string(member.name);
      out_.key("field-class");
      path_.emplace_back(member.name);
      value(*member.field_class);
      path_.pop_back();
      attributes(member.attributes);
      out_.end_object();
      pieces_.between();
    }
    if (!structure.members.empty()) out_.end_array();
    frames_.pop_back();
    if (structure.minimum_alignment > 1)
      out_.key("minimum-alignment").integer(structure.minimum_alignment);
  }

  void kind(const FieldClass& field_class, const OptionalClass& optional) {
    if (!optional.presence.selector) return no_words(field_class);
    out_.key("type").string("optional");
    location("selector-field-location", *optional.presence.selector);
    if (!optional.presence.ranges.empty())
      write_ranges(out_, "selector-field-ranges", optional.presence.ranges);
    out_.key("field-class");
    value(*optional.value);
  }

  void kind(const FieldClass& field_class, const VariantClass& variant) {
    if (!variant.selector) return no_words(field_class);
    out_.key("type").string("variant");
    location("selector-field-location", *variant.selector);
    out_.key("options").begin_array();
    for (const VariantOption& option : variant.options) {
      out_.begin_object();
      if (!option.name.empty()) out_.key("name").string(option.name);
      write_ranges(out_, "selector-field-ranges", option.ranges);
      out_.key("field-class");
      value(*option.field_class);
      attributes(option.attributes);
      out_.end_object();
      pieces_.between();
    }
    out_.end_array();
  }

  void kind(const FieldClass& field_class, const MapClass&) { no_words(field_class); }
  void kind(const FieldClass& field_class, const DynamicClass&) { no_words(field_class); }

  void location(std::string_view key, const FieldLocation& location) {
    out_.key(key);
    if (rc3_) {
      absolute(location);
      return;
    }
    out_.begin_object();
    if (location.root != Root::kRelative) out_.key("origin").string(root_word(location.root));
    out_.key("path").begin_array();
    for (const auto& step : location.path) {
      if (step) {
        out_.string(*step);
      } else {
        out_.null();
      }
    }
    out_.end_array();
    out_.end_object();
  }

  // CTF2-SPECRC-3.0 (field-loc): a root and the names from there.
  void absolute(const FieldLocation& location) {
    out_.begin_array();
    out_.string(root_word(location.root == Root::kRelative ? root_ : location.root));
    auto step = location.path.begin();
    if (location.root == Root::kRelative) {
      std::size_t frame = frames_.size();
      for (; step != location.path.end() && !*step; ++step) --frame;
      if (frame == 0 || frame > frames_.size()) {
        fault(ErrorCode::kUnsupported, "a field location leaves its root field class");
      } else {
        for (std::size_t i = 0; i < frames_[frame - 1]; ++i) out_.string(path_[i]);
      }
    }
    for (; step != location.path.end(); ++step) out_.string(step->value_or(""));
    out_.end_array();
  }

  MetadataText& pieces_;
  JsonOut out_;
  bool rc3_;
  bool has_clock_ = true;
  Dialect dialect_;
  const Aliases& aliases_;
  std::size_t& spelt_;
  Root root_ = Root::kPayload;
  std::vector<std::string> path_;    // names of the members that are open
  std::vector<std::size_t> frames_;  // for each structure that is open: names before its members
  std::size_t depth_ = 0;
  std::optional<Error> error_;
};

class JsonMetadataWriter final : public MetadataWriter {
 public:
  JsonMetadataWriter(Dialect dialect, MetadataText::Sink sink)
      : MetadataWriter(std::move(sink)), rc3_(dialect == Dialect::kRc3), dialect_(dialect) {}

  Result<void> begin(const TraceClass& trace_class, const Attributes& environment) override {
    auto done = fragment("preamble", {}, [&](ClassText& text) {
      text.out().key("version").integer(2);
      if (!rc3_ && trace_class.uuid) uuid(text.out(), *trace_class.uuid);
    });
    if (!done) return done;
    const bool says_something =
        trace_class.packet_header != nullptr || !trace_class.attributes.empty() ||
        (rc3_ ? trace_class.uuid.has_value()
              : !environment.empty() || trace_class.name || !trace_class.name_space.empty() ||
                    !trace_class.uid.empty());
    if (!says_something) return {};
    return fragment("trace-class", {trace_class.packet_header}, [&](ClassText& text) {
      JsonOut& out = text.out();
      if (rc3_) {
        if (trace_class.uuid) uuid(out, *trace_class.uuid);
      } else {
        identity(out, {trace_class.name_space, trace_class.name.value_or(""), trace_class.uid});
        if (!environment.empty()) out.key("environment").raw(final_environment(environment));
      }
      text.root("packet-header-field-class", Root::kPacketHeader, trace_class.packet_header);
      text.attributes(trace_class.attributes);
    });
  }

  Result<void> add_clock(const ClockClass& source) override {
    ClockClass clock = source;
    if (rc3_) add_clock_mark(clock);
    const std::optional<std::uint64_t> frequency = clock_frequency(clock);
    if (!frequency)
      return fail(ErrorCode::kUnsupported, "the clock `" + clock.id + "` has no whole frequency");
    return fragment("clock-class", {}, [&](ClassText& text) {
      JsonOut& out = text.out();
      out.key(rc3_ ? "name" : "id").string(clock.id);
      if (!rc3_) identity(out, clock.identity);
      out.key("frequency").integer(*frequency);
      if (!clock.description.empty()) out.key("description").string(clock.description);
      if (rc3_) {
        if (const auto id = tsdl::parse_uuid(clock.identity.uid)) uuid(out, *id);
        if (clock.origin != ClockOrigin::kUnixEpoch) out.key("origin-is-unix-epoch").boolean(false);
      } else {
        origin(out, clock);
      }
      offset(out, clock, *frequency);
      if (clock.precision) out.key("precision").integer(*clock.precision);
      if (clock.accuracy && !rc3_) out.key("accuracy").integer(*clock.accuracy);
      text.attributes(clock.attributes);
    });
  }

  Result<void> add_stream_class(const DataStreamClass& stream_class) override {
    return fragment(
        "data-stream-class",
        {stream_class.packet_context, stream_class.event_header, stream_class.common_context},
        [&](ClassText& text) {
          JsonOut& out = text.out();
          if (stream_class.id.value_or(0) != 0) out.key("id").integer(*stream_class.id);
          names(out, stream_class);
          if (stream_class.default_clock != nullptr) {
            out.key(rc3_ ? "default-clock-class-name" : "default-clock-class-id")
                .string(stream_class.default_clock->id);
          } else if (!rc3_) {
            text.leave_out_clock_roles();
          }
          text.root("packet-context-field-class", Root::kPacketContext,
                    stream_class.packet_context);
          text.root("event-record-header-field-class", Root::kEventHeader,
                    stream_class.event_header);
          text.root("event-record-common-context-field-class", Root::kCommonContext,
                    stream_class.common_context);
          text.attributes(stream_class.attributes);
        });
  }

  using MetadataWriter::add_event_class;
  Result<void> add_event_class(const EventClass& event_class,
                               const Attributes& attributes) override {
    return fragment("event-record-class", {event_class.specific_context, event_class.payload},
                    [&](ClassText& text) {
                      JsonOut& out = text.out();
                      if (event_class.id.value_or(0) != 0) out.key("id").integer(*event_class.id);
                      const std::uint64_t parent = event_class.stream_class->id.value_or(0);
                      if (parent != 0) out.key("data-stream-class-id").integer(parent);
                      names(out, event_class);
                      text.root("specific-context-field-class", Root::kSpecificContext,
                                event_class.specific_context);
                      text.root("payload-field-class", Root::kPayload, event_class.payload);
                      text.attributes(attributes);
                    });
  }

 private:
  static void uuid(JsonOut& out, const Uuid& uuid) {
    out.key("uuid").begin_array();
    for (const std::uint8_t byte : uuid) out.integer(byte);
    out.end_array();
  }

  static void identity(JsonOut& out, const Identity& identity) {
    if (!identity.name_space.empty()) out.key("namespace").string(identity.name_space);
    if (!identity.name.empty()) out.key("name").string(identity.name);
    if (!identity.uid.empty()) out.key("uid").string(identity.uid);
  }

  template <class Class>
  void names(JsonOut& out, const Class& of) {
    if (of.name) out.key("name").string(*of.name);
    if (!of.name_space.empty()) out.key("namespace").string(of.name_space);
    if (!of.uid.empty() && !rc3_) out.key("uid").string(of.uid);
  }

  static void origin(JsonOut& out, const ClockClass& clock) {
    if (clock.origin == ClockOrigin::kUnixEpoch) out.key("origin").string("unix-epoch");
    if (clock.origin != ClockOrigin::kCustom) return;
    out.key("origin").begin_object();
    const Identity& custom = clock.origin_identity;
    if (!custom.name_space.empty()) out.key("namespace").string(custom.name_space);
    out.key("name").string(custom.name);
    out.key("uid").string(custom.uid);
    out.end_object();
  }

  void offset(JsonOut& out, const ClockClass& clock, std::uint64_t frequency) {
    const ClockOffset offset = clock_offset(clock, frequency);
    if (offset.seconds == 0 && offset.cycles == 0) return;
    out.key(rc3_ ? "offset" : "offset-from-origin").begin_object();
    out.key("seconds").integer(offset.seconds);
    out.key("cycles").integer(offset.cycles);
    out.end_object();
  }

  // Aliases come first, inner ones before outer ones. They stay when what is to use them cannot be
  // written.
  template <class Fill>
  Result<void> fragment(std::string_view type, const std::vector<FieldClassPtr>& roots, Fill fill) {
    if (!rc3_) {
      for (const FieldClassPtr& root : roots) {
        if (root == nullptr) continue;
        if (auto aliased = add_aliases(root); !aliased) return aliased;
      }
    }
    return one_fragment(type, fill);
  }

  template <class Fill>
  Result<void> one_fragment(std::string_view type, Fill fill) {
    return pieces_.add([&]() -> Result<void> {
      text_.push_back('\x1e');
      std::size_t spelt = 0;
      ClassText text(pieces_, dialect_, aliases_, spelt);
      text.out().begin_object();
      text.out().key("type").string(type);
      fill(text);
      text.out().end_object();
      text_.push_back('\n');
      if (text.error()) return std::unexpected(*text.error());
      return {};
    });
  }

  // Gives names to the compound classes below `root` that are used more than once.
  Result<void> add_aliases(const FieldClassPtr& root) {
    std::unordered_set<const FieldClass*> seen;
    std::vector<FieldClassPtr> shared;  // in post-order
    if (!find_shared(root, seen, shared, 0))
      return fail(ErrorCode::kLimitExceeded, "field classes nested too deep");
    for (const FieldClassPtr& each : shared) {
      if (aliases_.contains(each.get())) continue;
      const std::string name = "class-" + std::to_string(aliases_.size());
      auto done = one_fragment("field-class-alias", [&](ClassText& text) {
        text.out().key("name").string(name);
        text.out().key("field-class");
        text.spelt(*each);
      });
      if (!done) return done;
      aliases_.emplace(each.get(), name);
      kept_.push_back(each);
    }
    return {};
  }

  // What a shared class contains comes before it: classes are entered once, and found shared on
  // the second way to them, when all below was seen.
  static bool find_shared(const FieldClassPtr& field_class,
                          std::unordered_set<const FieldClass*>& seen,
                          std::vector<FieldClassPtr>& shared, std::size_t depth) {
    if (depth > kClassNesting) return false;
    std::vector<FieldClassPtr> order;
    std::unordered_set<const FieldClass*> again;
    if (!walk(field_class, seen, again, order, depth)) return false;
    for (const FieldClassPtr& each : order) {
      if (again.contains(each.get())) shared.push_back(each);
    }
    return true;
  }

  static bool walk(const FieldClassPtr& field_class, std::unordered_set<const FieldClass*>& seen,
                   std::unordered_set<const FieldClass*>& again, std::vector<FieldClassPtr>& order,
                   std::size_t depth) {
    if (depth > kClassNesting) return false;
    if (!is_compound(*field_class)) return true;
    if (!seen.insert(field_class.get()).second) {
      again.insert(field_class.get());
      return true;
    }
    bool fine = true;
    for_each_child(*field_class, [&](const FieldClassPtr& child) {
      fine = fine && walk(child, seen, again, order, depth + 1);
    });
    order.push_back(field_class);
    return fine;
  }

  bool rc3_;
  Dialect dialect_;
  ClassText::Aliases aliases_;
  std::vector<FieldClassPtr> kept_;  // their addresses are keys
};

}  // namespace

std::unique_ptr<MetadataWriter> json_metadata_writer(Dialect dialect, MetadataText::Sink sink) {
  return std::make_unique<JsonMetadataWriter>(dialect, std::move(sink));
}

}  // namespace tracedeck::ctf
