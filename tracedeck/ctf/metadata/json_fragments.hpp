// Fragments of JSON metadata (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, "Metadata stream").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/ctf/metadata/json_properties.hpp"
#include "tracedeck/ctf/metadata/json_root_class.hpp"
#include "tracedeck/ctf/metadata/json_scope.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"

namespace tracedeck::ctf {

// Puts fragments into a `Metadata` in the order of the stream.
class JsonFragments {
 public:
  // Both must outlive it.
  JsonFragments(Metadata& metadata, JsonFindings& findings)
      : metadata_(metadata), findings_(findings), scope_(findings), roots_(scope_) {}

  void set_dialect(Dialect dialect) { scope_.dialect = dialect; }
  // Something of the stream could not be read: what is missed later may have been there.
  void note_gap();
  void read(const std::shared_ptr<const JsonText>& text);
  // Judges what can only be known when there are no more fragments for now.
  // `is_empty`: there was not a byte.
  void finish(bool is_empty);

  // Whether there is a clock class; those of the two dialects differ in what they do not say.
  [[nodiscard]] bool has_clocks() const { return !clocks_.empty(); }

 private:
  // A fragment in hand.
  struct Fragment {
    const std::shared_ptr<const JsonText>& text;
    JsonRef root;
    FoundProperties found;
  };

  void read_typed(const FragmentInfo& info, const std::shared_ptr<const JsonText>& text);
  void check_order(FragmentType type, JsonRef root);
  void read_preamble(const Fragment& fragment);
  void read_alias(const Fragment& fragment);
  void read_trace_class(const Fragment& fragment);
  void read_clock(const Fragment& fragment);
  void read_stream_class(const Fragment& fragment);
  void read_event_class(const Fragment& fragment);

  void declare_extensions(JsonRef extensions);
  void read_environment(JsonRef environment);
  void check_clock(JsonRef at, const ClockClass& clock);
  [[nodiscard]] bool read_default_clock(const Fragment& fragment, DataStreamClass& stream_class);
  // False: the root class is there and faulty.
  [[nodiscard]] bool read_root(const Fragment& fragment, std::string_view name,
                               FieldLocation::Root root, RootClassReader::Context context,
                               FieldClassPtr& into);
  void set_trace_class(TraceClass trace_class, const Fragment& fragment);
  // Whether there were none.
  bool report(const std::vector<ClassFault>& faults, const Fragment& fragment);
  [[nodiscard]] Attributes attributes(const Fragment& fragment) const;

  Metadata& metadata_;
  JsonFindings& findings_;
  JsonScope scope_;
  RootClassReader roots_;

  std::uint64_t fragments_ = 0;
  bool has_gaps_ = false;
  bool has_preamble_ = false;
  bool has_trace_class_ = false;
  bool trace_class_faulty_ = false;  // then no data stream class is added
  bool has_stream_class_ = false;
  bool reported_incomplete_ = false;
  bool has_uuid_ = false;      // there is one in the preamble, be it faulty
  std::optional<Uuid> uuid_;   // of the preamble, until the trace class has it
  bool clocks_known_ = true;   // else one whose name is not known may be the one that is missed
  bool streams_known_ = true;  // the same
  std::set<std::string, std::less<>> clocks_;  // by key, faulty ones too
  // Of clocks, by what would be their key in the other document.
  std::map<std::string, std::string, std::less<>> other_clock_keys_;
  std::set<Uuid> clock_uuids_;
  std::map<std::pair<std::string, std::pair<std::string, std::string>>, ClockClass> identities_;
  std::map<std::uint64_t, bool> stream_classes_;  // by id: whether it was added
  std::set<std::pair<std::uint64_t, std::uint64_t>> event_classes_;
};

}  // namespace tracedeck::ctf
