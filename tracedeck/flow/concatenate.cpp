#include "tracedeck/flow/concatenate.hpp"

#include <utility>

namespace tracedeck::flow {
namespace {

class Concatenation final : public RecordSource {
 public:
  explicit Concatenation(std::vector<std::unique_ptr<RecordSource>> sources)
      : sources_(std::move(sources)) {}

  Result<BatchPtr> next() override {
    for (; at_ < sources_.size(); ++at_) {
      Result<BatchPtr> batch = sources_[at_]->next();
      if (!batch || *batch != nullptr) return batch;
      sources_[at_].reset();
    }
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<RecordSource>> sources_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<RecordSource> concatenate(std::vector<std::unique_ptr<RecordSource>> sources) {
  return std::make_unique<Concatenation>(std::move(sources));
}

}  // namespace tracedeck::flow
