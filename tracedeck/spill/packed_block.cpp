#include "tracedeck/spill/packed_block.hpp"

#include <new>

#include "tracedeck/spill/sort_runs.hpp"
#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck {
namespace {

using RecordSize = std::uint64_t;

std::shared_ptr<std::uint8_t[]> allocate(std::size_t size) {
  // Not a vector: pages that stay untouched cost nothing.
  return std::shared_ptr<std::uint8_t[]>(new std::uint8_t[size]);
}

}  // namespace

// The entries are read from the last to the first.
class PackedBlock::Records final : public SortedRecords {
 public:
  explicit Records(const PackedBlock& block)
      : bytes_(block.bytes_),
        first_(block.index_.data()),
        at_(first_ + block.index_.size()),
        owner_(bytes_, bytes_.get()) {
    load();
  }

  [[nodiscard]] bool ended() const override { return at_ == first_; }
  [[nodiscard]] const OrderKey& key() const override { return key_; }
  [[nodiscard]] ByteSpan packed() const override { return packed_; }
  [[nodiscard]] Result<void> advance() override {
    --at_;
    load();
    return {};
  }
  [[nodiscard]] const std::shared_ptr<const void>& owner() const override { return owner_; }

 private:
  void load() {
    if (ended()) return;
    const Entry& entry = at_[-1];
    const std::uint8_t* from = bytes_.get() + entry.offset;
    key_ = {entry.coarse,
            OrderKey::needs_exact(entry.coarse) ? take_exact_time(from) : Nanoseconds{}};
    packed_ = {from + sizeof(RecordSize), load_le<RecordSize>(from)};
  }

  std::shared_ptr<std::uint8_t[]> bytes_;
  const Entry* first_;
  const Entry* at_;  // behind the entry at hand
  std::shared_ptr<const void> owner_;
  OrderKey key_;
  ByteSpan packed_;
};

PackedBlock::PackedBlock(std::size_t size)
    : bytes_(allocate(size)), capacity_(size / alignof(Entry) * alignof(Entry)) {
  // The array is aligned for any type; its end is where the size says.
  void* const end = bytes_.get() + capacity_;
  end_ = static_cast<Entry*>(end);
  index_ = {end_, 0};
}

bool PackedBlock::add(RecordCodec& codec, const OrderKey& key, const Record& record) {
  const std::size_t need = RecordCodec::bound(record) + kExactTimeSize + sizeof(RecordSize);
  // Sorting takes as much room as the index.
  const std::size_t index = (index_.size() + 1) * sizeof(Entry) * 2;
  if (capacity_ - used_ < index || capacity_ - used_ - index < need) return false;

  std::uint8_t* to = bytes_.get() + used_;
  Entry* const entry = new (index_.data() - 1) Entry{.coarse = key.coarse, .offset = used_};
  index_ = {entry, index_.size() + 1};
  if (OrderKey::needs_exact(key.coarse)) to = put_exact_time(to, key.exact);
  std::uint8_t* const packed = to + sizeof(RecordSize);
  std::uint8_t* const end = codec.pack(record, key.coarse, packed);
  store_le<RecordSize>(to, static_cast<RecordSize>(end - packed));
  used_ = static_cast<std::size_t>(end - bytes_.get());
  return true;
}

OrderKey PackedBlock::key_of(const Entry& entry) const {
  if (!OrderKey::needs_exact(entry.coarse)) return {entry.coarse, {}};
  const std::uint8_t* from = bytes_.get() + entry.offset;
  return {entry.coarse, take_exact_time(from)};
}

[[gnu::always_inline]] inline bool PackedBlock::before(const Entry& a, const Entry& b) const {
  if (a.coarse != b.coarse || !OrderKey::needs_exact(a.coarse)) [[likely]]
    return a.coarse < b.coarse;
  return key_of(a) < key_of(b);
}

void PackedBlock::sort() {
  sort_runs(index_.rbegin(), index_.rend(), index_.data() - index_.size(),
            [this](const Entry& a, const Entry& b) { return before(a, b); });
}

void PackedBlock::clear() {
  used_ = 0;
  index_ = {end_, 0};
}

std::unique_ptr<SortedRecords> PackedBlock::records() const {
  return std::make_unique<Records>(*this);
}

}  // namespace tracedeck
