#include "tracedeck/columns/parquet/thrift_compact.hpp"

#include <cstddef>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::parquet {

void ThriftWriter::field(int id, ThriftType type) {
  const int delta = id - last_;
  last_ = id;
  const unsigned bits = std::to_underlying(type);
  if (delta > 0 && delta <= 15) {
    out_ += static_cast<char>(static_cast<unsigned>(delta) << 4 | bits);
    return;
  }
  out_ += static_cast<char>(bits);
  append_signed(id);
}

void ThriftWriter::begin_list(int id, ThriftType element, std::size_t size) {
  constexpr std::size_t kShort = 15;
  field(id, ThriftType::kList);
  const unsigned type = std::to_underlying(element);
  if (size < kShort) {
    out_ += static_cast<char>(static_cast<unsigned>(size) << 4 | type);
    return;
  }
  out_ += static_cast<char>(0xF0U | type);
  put_varint(out_, size);
}

}  // namespace tracedeck::parquet
