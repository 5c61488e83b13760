// Data streams and packets in few bytes each.
//
// A trace may have hundreds of thousands of them, short segments of a recorder or small packets,
// and who puts its events aside has to have all of them at hand. As objects they would take more
// memory than everything else; packed a segment takes some 20 bytes, a packet some 60. They are
// distinguished by what they hold, so that one that is made again may be used for the one that it
// was made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tracedeck/model/record.hpp"

namespace tracedeck {

// Byte strings by number, from 1 on. They do not move.
class NumberedBytes {
 public:
  // Returns the number.
  std::uint64_t add(ByteSpan bytes);
  [[nodiscard]] ByteSpan operator[](std::uint64_t number) const;

 private:
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t used = 0;
    std::size_t size = 0;
    std::uint64_t first = 0;  // number of its first one
  };
  // Every so many of a chunk have their offset noted; the others are found from there.
  static constexpr std::size_t kStep = 8;

  std::vector<Chunk> chunks_;
  std::vector<std::vector<std::uint32_t>> offsets_;  // for each chunk
  std::uint64_t count_ = 0;
};

// One thread at a time. The classes that the objects refer to must outlive it and what it makes.
class PackedObjects {
 public:
  // The addresses of the objects that are packed from here on are those of another batch.
  void begin_batch() { ++batch_; }

  // A number by which the object can be made again; 0 for null. An object may get several.
  [[nodiscard]] std::uint64_t number_of(const DataStream* stream);
  [[nodiscard]] std::uint64_t number_of(const Packet* packet);

  // What was packed under a number, which is not 0, made again unless it is remembered. The
  // reference is valid until the next call.
  [[nodiscard]] const std::shared_ptr<const DataStream>& stream(std::uint64_t number);
  [[nodiscard]] const std::shared_ptr<const Packet>& packet(std::uint64_t number);

 private:
  static constexpr std::size_t kRemembered = 256;

  struct RememberedStream {
    EntityId entity = EntityId::none();
    std::uint64_t number = 0;
  };
  struct RememberedPacket {
    const Packet* packet = nullptr;
    std::uint64_t batch = 0;  // in which that is its address
    std::uint64_t number = 0;
  };
  template <class T>
  struct Made {
    std::uint64_t number = 0;
    std::shared_ptr<const T> object = {};
  };
  template <class T>
  using Remembered = std::array<T, kRemembered>;

  [[nodiscard]] std::uint64_t number_of(const DataStreamClass* stream_class);
  void pack(const DataStream& stream);
  void pack(const Packet& packet);
  [[nodiscard]] std::shared_ptr<const DataStream> make_stream(ByteSpan packed) const;
  [[nodiscard]] std::shared_ptr<const Packet> make_packet(ByteSpan packed);

  NumberedBytes streams_;
  NumberedBytes packets_;
  std::vector<const DataStreamClass*> classes_ = {nullptr};
  std::unordered_map<EntityId, std::uint64_t, EntityIdHash> class_numbers_;
  std::uint64_t batch_ = 0;
  Remembered<RememberedStream> known_streams_{};
  Remembered<RememberedPacket> known_packets_{};
  Remembered<std::uint64_t> last_packets_{};  // numbers, by what the packets hold
  Remembered<Made<DataStream>> made_streams_{};
  Remembered<Made<Packet>> made_packets_{};
  std::vector<std::uint8_t> scratch_;
};

}  // namespace tracedeck
