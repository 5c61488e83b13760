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
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/flow/output_batch.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

// Descriptions, streams and packets, taken over from batches.
class LastingPins {
 public:
  void take_over(const Batch& batch) {
    for (const auto& owner : batch.lasting_pins()) {
      if (known_.insert(owner.get()).second) owners_.push_back(owner);
    }
  }

 private:
  std::unordered_set<const void*> known_;
  std::vector<std::shared_ptr<const void>> owners_;
};

class RecordCodec {
 public:
  // Keeps alive what the records of `batch` refer to. Before any of them is packed.
  void take_over(const Batch& batch) { pins_->take_over(batch); }

  // The bytes that `pack` takes at most.
  [[nodiscard]] static std::size_t bound(const Record& record);
  // Writes the record and returns the end of it. `coarse` is that of its key.
  std::uint8_t* pack(const Record& record, std::uint64_t coarse, std::uint8_t* to);

  // Appends the record packed at `from` to `output`. Values point into the packed bytes when
  // `owner` says who keeps them alive, else they are copied. Returns false, and adds nothing, when
  // `output` has to be handed on first.
  bool unpack(const std::uint8_t* from, std::uint64_t coarse,
              const std::shared_ptr<const void>& owner, OutputBatch& output) const;

 private:
  // Objects of one kind, numbered in the order in which they are met. The pins keep them, so that
  // their addresses tell them apart.
  template <class T>
  class Numbers {
   public:
    std::uint64_t operator()(const T* object) {
      if (object != last_) {
        last_ = object;
        const auto [place, is_new] = numbers_.try_emplace(object, objects_.size());
        if (is_new) objects_.push_back(object);
        last_number_ = place->second;
      }
      return last_number_;
    }
    [[nodiscard]] const T* object(std::uint64_t number) const { return objects_[number]; }

   private:
    std::unordered_map<const T*, std::uint64_t> numbers_ = {{nullptr, 0}};
    std::vector<const T*> objects_ = {nullptr};
    const T* last_ = nullptr;
    std::uint64_t last_number_ = 0;
  };
  struct ClassNumber {
    explicit ClassNumber(const EventClass& of) : event_class(&of) {}
    const EventClass* event_class;
    std::uint64_t number = 0;
  };

  std::uint8_t* pack_event(const Event& event, std::uint64_t coarse, std::uint8_t* to);
  bool unpack_event(unsigned head, const std::uint8_t* from, std::uint64_t coarse,
                    const std::shared_ptr<const void>& owner, OutputBatch& output) const;
  void unpack_notice(RecordKind kind, const std::uint8_t* from, OutputBatch& output) const;
  std::uint64_t number_of(const EventClass& event_class);

  ClassTable<ClassNumber> class_numbers_;
  std::vector<const EventClass*> classes_;
  Numbers<DataStream> streams_;
  Numbers<Packet> packets_;
  std::shared_ptr<LastingPins> pins_ = std::make_shared<LastingPins>();
};

}  // namespace tracedeck::flow
