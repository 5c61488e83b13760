#include "tracedeck/io/input_sequence.hpp"

#include <utility>

namespace tracedeck::io {
namespace {

class Once final : public InputSequence {
 public:
  explicit Once(std::unique_ptr<Input> input) : name_(input->name()), input_(std::move(input)) {}

  const std::string& name() const override { return name_; }
  bool repeats() const override { return false; }
  Result<std::unique_ptr<Input>> next() override { return std::move(input_); }

 private:
  std::string name_;
  std::unique_ptr<Input> input_;
};

}  // namespace

std::unique_ptr<InputSequence> single_input(std::unique_ptr<Input> input) {
  return std::make_unique<Once>(std::move(input));
}

}  // namespace tracedeck::io
