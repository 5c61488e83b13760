// Field classes of a dialect as they are written, and the programs that write values of them.
//
// Classes that the dialect lacks are lowered before (tracedeck/lower), and refused here. Classes
// stay as they are but for alignment, which is added where the byte order changes inside a byte,
// and for heads, which may be others.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/ctf/write/head_selectors.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::ctf {

// Alignments beyond are lowered to this: bits.
inline constexpr std::uint32_t kMostAlignment = 1U << 15;

struct MapperOptions {
  Dialect dialect = Dialect::kFinal;
  // Roles stay, and a packet context stands by itself. Else fields with roles are plain, and the
  // members of a packet context follow those of the packet layout.
  bool keep_roles = false;
  // Fields that say how long packets are get 64 bits: what is written may take more room than it
  // did.
  bool widen_sizes = false;
  // What is selected by: fields in headers that CTF 2 does not allow there select something from
  // now on, or are left out where they cannot. Null: all stay as they are.
  const HeadSelectors* head_selectors = nullptr;
};

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
  // The same, in as much memory as it takes, when all roots are there.
  [[nodiscard]] EncodeProgram take_program() &&;
  [[nodiscard]] const MapperCounts& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tracedeck::ctf
