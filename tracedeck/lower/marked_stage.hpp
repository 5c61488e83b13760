// Reads the marks of classes: what restoring knows of the classes as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/lower/restoring_stage.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::lower {

// One of the traces that marks describe.
struct MarkedTrace {
  MarkedTrace(std::uint64_t number_of, const std::string& input, std::int64_t clock_shift)
      : number(number_of), reader(input, clock_shift) {}
  std::uint64_t number;  // in the marks
  DescriptionReader reader;
  std::uint64_t classes = 0;           // that were announced
  std::optional<bool> has_heads = {};  // of another dialect: packets have those that they had
  bool lacked_stream_ids = false;      // those did not say which data stream they are of
};

// A data stream class as it is stored, as its mark says.
struct StoredStreamClass {
  MarkedTrace* trace = nullptr;
  const DataStreamClass* source = nullptr;
  std::vector<std::string> keys = {};
  std::optional<std::uint64_t> only = {};  // the ordinal of the data stream that it was made for
  std::shared_ptr<const NestedContext> common = {};
  std::unique_ptr<const NestedPacket> packets = {};  // set: they stay what they are
  bool same_times = false;              // its clock says the same times as the source's
  std::vector<bool> packet_users = {};  // which members of the stored context are no bookkeeping

  // Whether its data streams are those of several of the source, one after the other.
  [[nodiscard]] bool has_parts() const { return source->streams_are_parts && !only; }
};

// What is known of an event class as it is stored.
struct StoredClass {
  explicit StoredClass(const EventClass&) {}
  bool is_loss = false;
  const StoredStreamClass* streams = nullptr;
  std::unique_ptr<NestedClass> lowered = {};  // null: it is shown as it is stored
  bool faulty = false;                        // an event did not fit
  bool moved = false;                         // an event had another time
};

// A mark that does not fit its class is left out of account, with a finding.
class MarkedStage : public RestoringStage {
 protected:
  MarkedStage(std::unique_ptr<Reader> stored, const TargetProfile& profile,
              const ReadOptions& options)
      : RestoringStage(std::move(stored), options, true), nested_(*profile.nested) {}

  // Those of the classes that have come.
  void take_marks();

  // That texts of the traces are missing, if some are.
  void report_missing_texts();

  // Says of the traces, by the classes that have come, whether packets may be passed over.
  void note_ordered_packets();

  // Null: it is shown as it is stored.
  [[nodiscard]] const StoredStreamClass* stream_class_of(const DataStream& stored) const {
    const auto found = stream_classes_.find(stored.stream_class->entity);
    return found == stream_classes_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] StoredClass& class_of(const Event& stored) { return classes_[*stored.event_class]; }
  [[nodiscard]] const NestedClass& loss_class() const { return loss_class_; }

 private:
  [[nodiscard]] bool has_ordered_packets() const;
  void ignore(std::string_view of, std::string_view name, std::string_view why);
  [[nodiscard]] MarkedTrace* trace_of(const AttributeMark& mark, std::string_view of,
                                      std::string_view name);
  void announce(MarkedTrace& trace);
  // The mark of a class, if it is to have one; a finding where it cannot be read or is missing.
  template <class Class>
  [[nodiscard]] std::optional<AttributeMark> mark_of(const Class& stored, std::string_view of,
                                                     std::string_view name, bool wanted);
  template <class Lowered, class Fits, class... Of>
  [[nodiscard]] std::unique_ptr<Lowered> as_lowered(const Fits& fits, const Of&... of) const;
  [[nodiscard]] static bool take_heads(StoredStreamClass& streams, const DataStreamClass& stored);
  void take_mark(const DataStreamClass& stored, const AttributeMark& mark);
  void take_mark(const EventClass& stored, const AttributeMark& mark);

  const NestedProfile& nested_;
  std::map<std::uint64_t, MarkedTrace> traces_;  // by their numbers
  std::unordered_map<EntityId, StoredStreamClass, EntityIdHash> stream_classes_;
  ClassTable<StoredClass> classes_;
  NestedClass loss_class_ = nested_loss_class(nested_);
  std::size_t stream_classes_seen_ = 0;
  std::size_t event_classes_seen_ = 0;
};

}  // namespace tracedeck::lower
