#include "tracedeck/io/pooled_file.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/open_files.hpp"

namespace tracedeck::io {
namespace {

class PooledFile;

// The files that are open, the one that was read last in front.
struct Pool {
  std::mutex mutex;  // held while one of them is read, so that none is parked meanwhile
  std::list<PooledFile*> open;
};

Pool& pool() {
  static Pool shared;
  return shared;
}

std::size_t count_open() {
  const std::lock_guard lock(pool().mutex);
  return pool().open.size();
}

class PooledFile final : public Input {
 public:
  explicit PooledFile(std::unique_ptr<ParkableInput> file) : file_(std::move(file)) {
    const std::lock_guard lock(pool().mutex);
    come_first();
  }
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;
  ~PooledFile() override {
    const std::lock_guard lock(pool().mutex);
    if (is_open_) pool().open.erase(place_);
  }

  const std::string& name() const override { return file_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    const std::lock_guard lock(pool().mutex);
    come_first();
    return file_->read(into, size);
  }
  Result<std::uint64_t> skip(std::uint64_t bytes) override {
    const std::lock_guard lock(pool().mutex);
    come_first();
    return file_->skip(bytes);
  }
  bool seekable() const override { return true; }
  Result<void> rewind() override {
    const std::lock_guard lock(pool().mutex);
    come_first();
    return file_->rewind();
  }
  std::optional<std::uint64_t> size() const override { return file_->size(); }
  std::uint64_t stored_position() const override { return file_->stored_position(); }
  bool stopped() const override { return file_->stopped(); }

 private:
  // Makes this the file that was read last, and parks others if need be.
  void come_first() {
    auto& open = pool().open;
    if (is_open_) {
      open.splice(open.begin(), open, place_);
      return;
    }
    while (!open.empty() && open.size() >= most_pooled_files()) {
      open.back()->file_->park();
      open.back()->is_open_ = false;
      open.pop_back();
    }
    open.push_front(this);
    place_ = open.begin();
    is_open_ = true;
  }

  std::unique_ptr<ParkableInput> file_;
  bool is_open_ = false;  // it is in the pool's list
  std::list<PooledFile*>::iterator place_;
};

}  // namespace

std::size_t most_pooled_files() {
  constexpr rlim_t kLeast = 4;
  constexpr rlim_t kMost = rlim_t{1} << 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeast;
  return static_cast<std::size_t>(std::clamp(limit.rlim_cur / 2, kLeast, kMost));
}

Result<std::unique_ptr<Input>> open_pooled_input(const std::string& path, std::stop_token stop) {
  allow_open_files(2 * count_open());
  auto file = open_parkable(path, std::move(stop));
  if (!file) return std::unexpected(std::move(file.error()));
  if (!(*file)->seekable()) return see_through_compression(*std::move(file));
  return see_through_compression(std::make_unique<PooledFile>(*std::move(file)));
}

}  // namespace tracedeck::io
