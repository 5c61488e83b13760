// A value that is nearly always absent, and takes the space of a pointer then.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace tracedeck {

// As a std::optional, as far as it is needed. Copies copy the value.
template <class T>
class Rare {
 public:
  Rare() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): each stands for the other.
  Rare(const std::optional<T>& value) : value_(value ? std::make_unique<T>(*value) : nullptr) {}
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&& other) noexcept = default;
  Rare& operator=(const Rare& other) {
    Rare copy(other);
    value_ = std::move(copy.value_);
    return *this;
  }
  Rare& operator=(Rare&& other) noexcept = default;
  ~Rare() = default;

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::optional<T>() const {
    return value_ == nullptr ? std::nullopt : std::optional<T>(*value_);
  }
  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // Of one that is there.
  [[nodiscard]] const T& operator*() const { return *value_; }
  [[nodiscard]] const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace tracedeck
