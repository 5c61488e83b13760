// The classes that data streams are decoded by, of a trace whose metadata grow while they are read.
#pragma once

#include <memory>

#include "tracedeck/ctf/packet_job.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

// What one data stream file knows of them. `trace` must outlive it.
class GrowingSchema {
 public:
  explicit GrowingSchema(Trace& trace) : trace_(trace) {}

  // Takes over what is known by now.
  void update() { schema_ = trace_.metadata().schema(); }
  [[nodiscard]] const TraceSchema& operator*() const { return *schema_; }
  [[nodiscard]] const TraceSchema* operator->() const { return schema_.get(); }

  // Looks for more metadata; what was added and found there goes to `batch`. Returns whether
  // classes were added.
  [[nodiscard]] bool reload(Batch& batch);

  // The same for a packet that was decoded elsewhere up to a class that is missing. Returns whether
  // decoding is worth another try, and sets what that needs.
  [[nodiscard]] bool renew(PacketJob& job, Batch& batch);

 private:
  Trace& trace_;
  std::shared_ptr<const TraceSchema> schema_;
};

}  // namespace tracedeck::ctf
