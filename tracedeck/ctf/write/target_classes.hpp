// Field classes of a dialect as they are written, and the programs that write values of them.
//
// Classes that the dialect lacks are lowered before (tracedeck/lower). Widths, byte orders and
// where lengths and selectors are stay as they are; alignment is added where the byte order changes
// inside a byte, and heads may be others.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/ctf/write/mapper_options.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::ctf {

// Alignments beyond are lowered to this: bits.
inline constexpr std::uint32_t kMostAlignment = 1U << 15;

// What was written in another way.
struct MapperCounts {
  std::uint64_t realigned = 0;  // fields that had to begin at a byte
  std::uint64_t left_out = 0;   // members of headers that CTF 2 does not allow there
};

// Maps the root structures of one event record class, or the packet context of a data stream class,
// into one program.
class ClassMapper {
 public:
  explicit ClassMapper(const MapperOptions& options);
  ~ClassMapper();
  ClassMapper(ClassMapper&&) noexcept;
  ClassMapper& operator=(ClassMapper&&) noexcept;

  // The packet context that locations may lead into. It must outlive the mapper.
  void use_packet_context(const ClassMapper& packet_context);

  struct Mapped {
    FieldClassPtr target = nullptr;
    std::uint32_t node = 0;  // of the program
  };
  // Roots come in the order in which they lie. `source` is a structure. Errors: kLimitExceeded,
  // kUnsupported: a class that the dialect lacks.
  [[nodiscard]] Result<Mapped> add_root(FieldLocation::Root root, const FieldClassPtr& source);

  [[nodiscard]] const EncodeProgram& program() const;
  [[nodiscard]] const MapperCounts& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether every class in it is one that the dialect has.
[[nodiscard]] bool is_expressible(const FieldClassPtr& field_class, Dialect dialect);

}  // namespace tracedeck::ctf
