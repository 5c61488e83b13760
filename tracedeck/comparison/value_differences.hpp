// Where the values of two events differ.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"

namespace tracedeck::comparison {

// A value with its name, among others: a member of a structure.
struct NamedValue {
  std::string_view name = {};
  const Slot* slot = nullptr;
  const FieldClass* field_class = nullptr;  // may be null
};

// The members of a structure that lie one after the other without a head. `structure` may be null:
// then they are called by their numbers.
[[nodiscard]] std::vector<NamedValue> named_members(std::span<const Slot> slots,
                                                    const FieldClass* structure);

// What a packet says of the events in it: the members of its header and its context that have no
// role. `packet` may be null.
[[nodiscard]] std::vector<NamedValue> packet_members(const Packet* packet);

// The same members of a class alone.
[[nodiscard]] StructureClass members_without_roles(const FieldClass* structure);

// Called with each value that differs; null: it is on one side only.
using DifferentValue =
    std::function<void(const std::string& path, const Slot* left, const Slot* right)>;

// Pairs members by their names, those of the same name in their order. `prefix` is put before each
// path, with a dot unless it is "". Values compare as
// `same_values` does, but that wide integers may take more bytes than they need.
void compare_members(const std::string& prefix, std::span<const NamedValue> left,
                     std::span<const NamedValue> right, const DifferentValue& report);

// A value in a few words, for people. `slot` may be null.
[[nodiscard]] std::string words_of(const Slot* slot);

}  // namespace tracedeck::comparison
