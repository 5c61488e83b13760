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

  // Follows every location in root field `root`; the roots before it are decoded by then. Adds
  // registers for what they lead to.
  [[nodiscard]] std::vector<ClassFault> check(const RootScopes& scopes, FieldLocation::Root root);

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
  // The classes with parts or locations that no location in them leads out of, and how deep others
  // are nested in each.
  std::unordered_map<const FieldClass*, std::size_t> closed_;
  std::unordered_set<const FieldClass*> open_;  // visited, and not closed
  // Visits of those again, over the whole trace: a program has the steps of each.
  std::uint64_t budget_ = std::uint64_t{1} << 17;

  // While checking.
  const RootScopes* scopes_ = nullptr;
  FieldLocation::Root root_ = FieldLocation::Root::kPayload;
  std::vector<Frame> chain_;
  std::size_t height_ = 0;  // how deep others are nested in the class that was visited last
  std::vector<ClassFault> faults_;
  std::unordered_set<const FieldClass*> blamed_;
};

}  // namespace tracedeck::ctf
