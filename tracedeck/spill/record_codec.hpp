// Records as short runs of bytes, to be put aside and taken up again by the same process.
//
// An event takes about as many bytes as on the wire of a compact format:
//
//   byte      kind of the record, and which of the optional parts below are there
//   varints   event class, stream, packet*: numbers given by the codec
//             time* (8 bytes) and end time* (difference), unless known from key and time
//             offset, size, slots of the common* and the specific context*, slots
//   slots     each a byte with kind and flags, then an integer as a varint, a real as 8 bytes, or a
//   length and
//             the bytes that the slot points to
//
// The bytes mean nothing to another codec. They are trusted: nothing is checked on the way back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/spill/packed_objects.hpp"

namespace tracedeck {

// Descriptions, taken over from batches.
class LastingPins {
 public:
  void take_over(const std::shared_ptr<const void>& owner) {
    if (known_.insert(owner.get()).second) owners_.push_back(owner);
  }

 private:
  std::unordered_set<const void*> known_;
  std::vector<std::shared_ptr<const void>> owners_;
};

class RecordCodec {
 public:
  // Keeps what the records of `batch` refer to, data streams and packets in packed form. Before any
  // of them is packed, and while the batch lives.
  void take_over(const Batch& batch);

  // The bytes that `pack` takes at most.
  [[nodiscard]] static std::size_t bound(const Record& record);
  // Writes the record and returns the end of it. `coarse` is that of its key.
  std::uint8_t* pack(const Record& record, std::uint64_t coarse, std::uint8_t* to);

  // Whether what is packed there is an event.
  [[nodiscard]] static bool is_event(const std::uint8_t* packed);

  // Appends the record packed at `from` to `output`. Values point into the packed bytes when
  // `owner` says who keeps them alive, else they are copied. Returns false, and adds nothing, when
  // `output` has to be handed on first.
  bool unpack(const std::uint8_t* from, std::uint64_t coarse,
              const std::shared_ptr<const void>& owner, OutputBatch& output) const;

 private:
  struct ClassNumber {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    explicit ClassNumber(const EventClass& of) : event_class(&of) {}
    const EventClass* event_class;
    std::uint64_t number = kNone;  // until it is packed for the first time
  };

  std::uint8_t* pack_event(const Event& event, std::uint64_t coarse, std::uint8_t* to);
  bool unpack_event(unsigned head, const std::uint8_t* from, std::uint64_t coarse,
                    const std::shared_ptr<const void>& owner, OutputBatch& output) const;
  void unpack_loss(const std::uint8_t* from, OutputBatch& output) const;
  [[nodiscard]] const DataStream* stream(std::uint64_t number, OutputBatch& output) const;
  [[nodiscard]] const Packet* packet(std::uint64_t number, OutputBatch& output) const;
  void unpack_notice(RecordKind kind, const std::uint8_t* from, OutputBatch& output) const;
  std::uint64_t number_of(const EventClass& event_class);

  ClassTable<ClassNumber> class_numbers_;
  std::vector<const EventClass*> classes_;
  std::unique_ptr<PackedObjects> objects_ = std::make_unique<PackedObjects>();
  std::shared_ptr<LastingPins> pins_ = std::make_shared<LastingPins>();
  std::vector<const void*> passing_;  // data streams and packets of the batch at hand
};

}  // namespace tracedeck
