// Field locations (CTF2-SPECRC-3.0, field-loc-dec): where each leads, and whether it can.
//
// Every location is followed once, when its class is added, through the classes of the fields that
// are decoded by then. What cannot lead anywhere is a fault; what depends on data (an optional that
// is not there, another option of a variant) is left to decoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/stream/class_fault.hpp"
#include "tracedeck/ctf/stream/registers.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"

namespace tracedeck::ctf {

// The root fields of an event record and its packet, and to whom each belongs.
struct RootScopes {
  struct Scope {
    const FieldClass* field_class = nullptr;
    const void* owner = nullptr;
  };
  static constexpr std::size_t kCount = 7;  // by FieldLocation::Root; kRelative is not used
  std::array<Scope, kCount> scopes = {};

  [[nodiscard]] const Scope& operator[](FieldLocation::Root root) const {
    return scopes[static_cast<std::size_t>(root)];
  }
  [[nodiscard]] Scope& operator[](FieldLocation::Root root) {
    return scopes[static_cast<std::size_t>(root)];
  }
  [[nodiscard]] Anchor anchor(FieldLocation::Root root) const {
    return {(*this)[root].owner, root};
  }
};

// Finds members by name, in large structures without looking at each. The classes must outlive it.
class MemberNames {
 public:
  // The index of the first member of that name; without one, how many there are.
  [[nodiscard]] std::size_t find(const StructureClass& structure, const std::string& name);

 private:
  std::unordered_map<const StructureClass*, NameIndex> names_;
};

class LocationChecker {
 public:
  LocationChecker(Registers& registers, Dialect dialect)
      : registers_(registers), dialect_(dialect) {}
  void set_dialect(Dialect dialect) { dialect_ = dialect; }

  // What a root field class, and all of a trace, come to when every class is written out wherever
  // it is used, beside the uses that the metadata hold: classes that are shared, as aliases are,
  // can double from line to line, and an event has a value of each.
  static constexpr std::uint64_t kMostInRoot = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kMostInTrace = std::uint64_t{1} << 18;

  // Follows every location in root field `root`; the roots before it are decoded by then. Adds
  // registers for what they lead to. `owner`: the name of the class that has the root, for
  // messages.
  [[nodiscard]] std::vector<ClassFault> check(const RootScopes& scopes, FieldLocation::Root root,
                                              std::string_view owner = {});

  // Whether the program of a class does not depend on where it is used, fields captured in it
  // apart.
  [[nodiscard]] bool is_closed(const FieldClass* field_class) const {
    return closed_.contains(field_class);
  }

 private:
  // A compound class that contains the one at hand, and which part of it is at hand.
  struct Frame {
    const FieldClass* field_class;
    std::size_t part = 0;  // of a structure, the member; of a variant, the option
  };
  struct Need;
  class Follow;

  // How far out the locations in a class lead: how many structures around it; kAbsolute: at a root.
  static constexpr std::size_t kAbsolute = ~std::size_t{0};
  // Returns that.
  std::size_t visit(const FieldClass& field_class);
  std::size_t refer(const FieldClass& field_class, const FieldLocation& location, const Need& need);
  void fault(const FieldClass& field_class, StreamRule rule, std::string text);

  Registers& registers_;
  Dialect dialect_;
  MemberNames members_;
  // How deep others are nested in a class, and how many there are in it, itself among them, when
  // each is written out.
  struct Measure {
    std::uint32_t height = 0;
    std::uint32_t size = 1;  // or `kEndless`
  };
  static constexpr std::uint32_t kEndless = ~std::uint32_t{0};
  void check_size(const FieldClass& root, std::string_view owner);

  // The classes with parts or locations that no location in them leads out of.
  std::unordered_map<const FieldClass*, Measure> closed_;
  std::unordered_set<const FieldClass*> open_;  // visited, and not closed
  // Visits of those again, over the whole trace: a program has the steps of each.
  std::uint64_t budget_ = std::uint64_t{1} << 17;
  std::uint64_t uses_ = 0;  // of classes, over the whole trace
  std::uint64_t size_ = 0;  // of all root field classes

  // While checking.
  const RootScopes* scopes_ = nullptr;
  FieldLocation::Root root_ = FieldLocation::Root::kPayload;
  std::vector<Frame> chain_;
  Measure measure_;  // of the class that was visited last
  std::vector<ClassFault> faults_;
  std::unordered_set<const FieldClass*> blamed_;
};

}  // namespace tracedeck::ctf
