// What the blocks of TSDL say of a trace: trace, env, clock, stream and event (CTF 1.8.3, 7.4, 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/tsdl_roles.hpp"
#include "tracedeck/ctf/metadata/tsdl_types.hpp"

namespace tracedeck::ctf::tsdl {

// Puts declarations into a `Metadata`, as they come. What needs something that is not known yet
// (any type the byte order of the trace, an event its stream) waits for it.
class BlockReader {
 public:
  BlockReader(Metadata& metadata, TextFindings& findings)
      : metadata_(metadata),
        findings_(findings),
        values_(findings),
        nodes_(findings),
        types_(findings, nodes_),
        roles_(findings, nodes_) {}

  // The next declaration of the text.
  void add(TopLevel declaration);
  // No more for now: what waits goes on without what it waits for, or is reported.
  // `is_incomplete`: what is missing may be in text that could not be parsed.
  void settle(bool is_incomplete);

 private:
  struct Stream {
    RootClasses roots = {};
    bool is_faulty = false;
    bool has_events = false;
  };
  // What a conversion says of a class.
  struct Mark {
    std::string text = {};
    Place place = {};
    bool is_reported = false;
  };

  void add_in_order(TopLevel declaration);
  void begin(TopLevel trace);
  void declare_types(const Block& block, TypeScope& scope);
  // The class of an attribute that takes a type; null: not given, or faulty, which `valid` says.
  [[nodiscard]] FieldClassPtr root_class(const AttributeSet& given, std::size_t index,
                                         TypeScope& scope, FieldLocation::Root root,
                                         const RootClasses& roots, bool& valid);
  [[nodiscard]] Attributes unknown_attributes(const AttributeSet& given) const;
  // The same with the mark of the block's class.
  [[nodiscard]] Attributes attributes(const AttributeSet& given, const Block& block,
                                      const std::string& mark);
  [[nodiscard]] bool take_mark(const Assignment& entry);
  [[nodiscard]] std::string take_next_mark();
  void report_unused_marks();
  void report_faults(const std::vector<ClassFault>& faults);

  void add_trace(const Block& block);
  void check_version(const AttributeSet& given, const Block& block);
  void add_environment(const Block& block);
  void add_clock(const Block& block);
  void set_offset(const AttributeSet& given, std::uint64_t frequency, ClockClass& clock);

  void add_stream(Block block);
  void retry_streams(const std::string& clock);
  [[nodiscard]] std::optional<std::uint64_t> stream_id(const AttributeSet& given,
                                                       const Block& block);
  // The clock that the roots of a stream are mapped to. `missing`: one that may still come; empty:
  // any.
  [[nodiscard]] const ClockClass* default_clock(const std::vector<RoledClass>& roots, bool& valid,
                                                std::optional<std::string>& missing);
  void add_implicit_stream();

  void add_event(Block block);
  void add_event_to(std::uint64_t stream_id, const AttributeSet& given, const Block& block);
  void make_event(std::uint64_t stream_id, const AttributeSet& given, const Block& block);
  void retry_events(std::optional<std::uint64_t> stream_id);
  void check_log_level(const Expression* value);

  Metadata& metadata_;
  TextFindings& findings_;
  ValueReader values_;
  NodeTable nodes_;
  TypeBuilder types_;
  RoleGiver roles_;

  TypeScope root_scope_;
  std::deque<Declaration> declarations_;  // of `root_scope_`
  bool has_begun_ = false;                // types can be made
  bool has_trace_ = false;
  bool is_settling_ = false;
  std::vector<TopLevel> waiting_;  // for the `trace` block
  RootClasses trace_roots_ = {};
  bool has_stream_ids_ = false;  // in packet headers
  std::map<std::string, const ClockClass*> clocks_;
  std::map<std::string, Mark> marks_;               // whose names say their classes
  std::vector<Mark> next_marks_;                    // before the next block of a stream or event
  std::map<std::string, std::size_t> environment_;  // where entries are in the description
  std::map<std::uint64_t, Stream> streams_;
  std::map<std::string, std::vector<Block>> waiting_streams_;  // by clock; empty: for any
  // For a stream of that id, or any.
  std::map<std::optional<std::uint64_t>, std::vector<Block>> waiting_events_;
};

}  // namespace tracedeck::ctf::tsdl
