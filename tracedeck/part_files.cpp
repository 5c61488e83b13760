#include "tracedeck/part_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tracedeck/io/compressing_output.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck {
namespace {

// Adds what is written to `size`.
class CountedOutput final : public io::Output {
 public:
  CountedOutput(std::unique_ptr<io::Output> output, std::uint64_t& size)
      : output_(std::move(output)), size_(size) {}

  [[nodiscard]] const std::string& name() const override { return output_->name(); }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    size_ += bytes.size();
    return output_->write(bytes);
  }
  [[nodiscard]] Result<void> flush() override { return output_->flush(); }
  [[nodiscard]] Result<void> finish() override { return output_->finish(); }
  void discard() override { output_->discard(); }

 private:
  std::unique_ptr<io::Output> output_;
  std::uint64_t& size_;
};

// The file of a directory in which its classes are described: what all parts have.
constexpr std::string_view kDescriptionFile = "metadata";

class CountedDirectory final : public io::OutputDirectory {
 public:
  CountedDirectory(std::unique_ptr<io::OutputDirectory> directory, std::uint64_t& size)
      : directory_(std::move(directory)), size_(size) {}

  [[nodiscard]] const std::string& name() const override { return directory_->name(); }
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_file(const std::string& file) override {
    auto made = directory_->create_file(file);
    if (!made || file == kDescriptionFile) return made;
    return std::make_unique<CountedOutput>(*std::move(made), size_);
  }
  [[nodiscard]] Result<void> finish() override { return directory_->finish(); }
  void discard() override { directory_->discard(); }

 private:
  std::unique_ptr<io::OutputDirectory> directory_;
  std::uint64_t& size_;
};

// How many bytes of the name the ending takes, which says what is in it: ".dial9.gz".
std::size_t ending_size(const std::string& name, const OutputKind& kind) {
  std::string_view rest = name;
  const bool directory = kind.makes == OutputKind::Makes::kDirectory;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (!directory && rest.size() > packed.size() && rest.ends_with(packed)) {
      rest.remove_suffix(packed.size());
      break;
    }
  }
  const auto is_known = [&](std::string_view suffix) {
    return !suffix.empty() && rest.size() > suffix.size() && rest.ends_with(suffix);
  };
  const auto* const known = std::ranges::find_if(kind.suffixes, is_known);
  if (known != kind.suffixes.end()) {
    rest.remove_suffix(known->size());
  } else if (!directory) {
    rest.remove_suffix(std::filesystem::path(rest).extension().string().size());
  }
  return name.size() - rest.size();
}

constexpr std::size_t kDigits = 4;  // of a part's number at least

}  // namespace

std::string part_name(const std::string& path, const OutputKind& kind, std::uint64_t number) {
  const std::filesystem::path whole(path);
  std::string name = whole.filename().string();
  name.insert(name.size() - ending_size(name, kind), fmt::format("-{:0{}}", number, kDigits));
  return (whole.parent_path() / name).string();
}

bool is_part_name(const std::string& name, const std::string& path, const OutputKind& kind) {
  const std::string part = std::filesystem::path(name).filename().string();
  const std::string whole = std::filesystem::path(path).filename().string();
  const std::size_t ending = ending_size(whole, kind);
  const std::string begin = whole.substr(0, whole.size() - ending) + '-';
  const std::string end = whole.substr(whole.size() - ending);
  if (part.size() < begin.size() + kDigits + end.size() || !part.starts_with(begin) ||
      !part.ends_with(end))
    return false;
  const std::string_view number =
      std::string_view(part).substr(begin.size(), part.size() - begin.size() - end.size());
  return std::ranges::all_of(number, [](char digit) { return '0' <= digit && digit <= '9'; });
}

PartFiles::PartFiles(const OutputKind& kind, OutputSettings settings, std::string path,
                     std::stop_token stop)
    : kind_(kind), settings_(std::move(settings)), path_(std::move(path)), stop_(std::move(stop)) {
  settings_.write.part_of_source = true;
}

PartFiles::~PartFiles() = default;

std::string PartFiles::next_name() const { return part_name(path_, kind_, names_.size() + 1); }

Result<Writer*> PartFiles::begin() {
  const std::string name = next_name();
  size_ = 0;
  OutputSettings settings = settings_;
  // Parts are results of their own, which may come to lie side by side.
  if (!settings.tables.segment.empty())
    settings.tables.segment += fmt::format("-{:0{}}", names_.size() + 1, kDigits);
  Result<std::unique_ptr<Writer>> writer = nullptr;
  if (kind_.in_directory(settings_.tables.one_table ? TableLayout::kOne : TableLayout::kUsual)) {
    auto directory = io::OutputDirectory::create(name);
    if (!directory) return std::unexpected(std::move(directory.error()));
    directory_ = std::make_unique<CountedDirectory>(*std::move(directory), size_);
    writer = create_writer(kind_, *directory_, settings);
  } else {
    auto file = io::create_file(name, stop_);
    if (!file) return std::unexpected(std::move(file.error()));
    file_ = std::make_unique<CountedOutput>(
        io::compress(*std::move(file), io::compression_named(name)), size_);
    writer = create_writer(kind_, *file_, settings);
  }
  if (!writer) {
    discard();
    return std::unexpected(std::move(writer.error()));
  }
  writer_ = *std::move(writer);
  return writer_.get();
}

Result<void> PartFiles::end() {
  writer_.reset();
  if (auto ended = directory_ != nullptr ? directory_->finish() : file_->finish(); !ended)
    return ended;
  names_.push_back(next_name());
  directory_.reset();
  file_.reset();
  return {};
}

Result<std::uint64_t> PartFiles::size() {
  // The files of a directory have whole packets, which a flush would end.
  if (directory_ == nullptr) {
    if (auto flushed = writer_->flush(); !flushed) return std::unexpected(flushed.error());
  }
  return size_;
}

Result<void> PartFiles::flush() { return file_ == nullptr ? Result<void>() : file_->flush(); }

void PartFiles::discard() {
  writer_.reset();
  if (directory_ != nullptr) directory_->discard();
  if (file_ != nullptr) file_->discard();
  directory_.reset();
  file_.reset();
}

std::string PartFiles::unfinished() const {
  if (directory_ == nullptr && file_ == nullptr) return {};
  const std::string name = next_name();
  return kind_.makes == OutputKind::Makes::kDirectory ? io::OutputDirectory::part_path(name)
                                                      : io::part_path(name);
}

}  // namespace tracedeck
