// Paths to the values of an event, such as `label`, `header.flags[2]`, and where they lead in the
// events of one class: the language of `model/path_steps.hpp`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/path_steps.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/value.hpp"

namespace tracedeck {

// The way from the first slot of a structure's members to a value, prepared from its class. What no
// class can say, elements of arrays and what is inside of optionals, variants and maps, is looked
// up in each event.
class FieldRoute {
 public:
  // `members` is a structure, or null: then the path leads nowhere. Keeps the path.
  FieldRoute(std::string_view path, const FieldClass* members);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Whether events may have the value.
  [[nodiscard]] bool leads_somewhere() const { return field_class_ != nullptr; }

  // The value among the slots of the members. No value where there is none.
  [[nodiscard]] Value in(std::span<const Slot> slots) const {
    if (field_class_ == nullptr || direct_ >= slots.size()) return {};
    const Slot* slot = slots.data() + direct_;
    if (!plain_) return follow(slot);
    return {slot, field_class_};
  }

 private:
  // `values` are passed over, then the head of a structure is stepped into.
  struct Step {
    std::uint32_t values = 0;
    bool into = false;
  };

  void pass(std::span<const Member> members, std::uint32_t head);
  [[nodiscard]] Value follow(const Slot* slot) const;

  std::string path_;
  std::vector<PathStep> rest_;  // what is looked up in each event
  std::uint32_t direct_ = 0;
  bool plain_ = true;  // there are no steps and no rest
  std::vector<Step> steps_;
  const FieldClass* field_class_ = nullptr;
};

// The ways into the contexts of an event, in the order in which they are tried.
class ContextRoute {
 public:
  ContextRoute(std::string_view path, const EventClass& event_class);

  [[nodiscard]] const std::string& path() const { return specific_.path(); }
  // The value in the first context of the event that has it. No value where none has.
  [[nodiscard]] Value in(const Event& event) const;

 private:
  FieldRoute specific_;
  FieldRoute common_;
  FieldRoute packet_;
};

// The routes that were asked for, found by the addresses of their paths in a few instructions.
template <class Route>
class RouteTable {
 public:
  // `make()` is the route of `path`, which is called when the path is first asked for.
  template <std::invocable Make>
  [[nodiscard, gnu::always_inline]] const Route& find(std::string_view path, Make make) {
    // A literal has one address; that its content is the same is looked at all the same.
    Line& line = lines_[index_of(path)];
    if (line.text != path.data() || !is(line.route->path(), path)) [[unlikely]]
      line = {path.data(), &find_or_make(path, make)};
    return *line.route;
  }

 private:
  struct Line {
    const char* text = nullptr;
    const Route* route = nullptr;
  };
  static constexpr unsigned kLineBits = 4;
  // Programs that make paths up get this many routes before the old ones are forgotten.
  static constexpr std::size_t kMost = 1024;

  // Eight bytes at a time, inline: of a literal the length is known when it is compiled.
  static bool is(const std::string& known, std::string_view path) {
    if (known.size() != path.size()) return false;
    std::size_t at = 0;
    for (; at + 8 <= path.size(); at += 8) {
      if (load<std::uint64_t>(known.data() + at) != load<std::uint64_t>(path.data() + at))
        return false;
    }
    for (; at < path.size(); ++at) {
      if (known[at] != path[at]) return false;
    }
    return true;
  }
  template <class T>
  static T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static std::size_t index_of(std::string_view path) {
    return reinterpret_cast<std::uintptr_t>(path.data()) * 0x9E3779B97F4A7C15U >> (64U - kLineBits);
  }

  template <std::invocable Make>
  [[gnu::noinline]] const Route& find_or_make(std::string_view path, Make make) {
    for (const Route& route : routes_) {
      if (route.path() == path) return route;
    }
    if (routes_.size() >= kMost) {
      lines_.fill({});
      routes_.clear();
    }
    return routes_.emplace_back(make());
  }

  std::array<Line, 1U << kLineBits> lines_{};
  std::deque<Route> routes_;
};

// The routes that were asked for in the events of one class. Lives no longer than the class.
class ClassRoutes {
 public:
  explicit ClassRoutes(const EventClass& event_class) : event_class_(event_class) {}

  // The way of a path into the payload.
  [[nodiscard]] const FieldRoute& payload(std::string_view path) {
    return payload_.find(path, [&] { return FieldRoute(path, event_class_.payload.get()); });
  }
  // And into the contexts.
  [[nodiscard]] const ContextRoute& context(std::string_view path) {
    return context_.find(path, [&] { return ContextRoute(path, event_class_); });
  }

 private:
  const EventClass& event_class_;
  RouteTable<FieldRoute> payload_;
  RouteTable<ContextRoute> context_;
};

}  // namespace tracedeck
