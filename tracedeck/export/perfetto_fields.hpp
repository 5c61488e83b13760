// Numbers of Perfetto's messages, as far as they are written here (protos/perfetto/trace/ of
// Perfetto 58). Those that end in "V57" and the like are known to no version before.
#pragma once

#include <cstdint>

namespace tracedeck::exporting::perfetto {

namespace trace_field {
inline constexpr std::uint32_t kPacket = 1;
}  // namespace trace_field

namespace packet_field {
inline constexpr std::uint32_t kClockSnapshot = 6;
inline constexpr std::uint32_t kTimestamp = 8;
inline constexpr std::uint32_t kSequenceId = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kTimestampClockId = 58;
inline constexpr std::uint32_t kDefaults = 59;
inline constexpr std::uint32_t kTrackDescriptor = 60;
inline constexpr std::uint32_t kKernelTaskState = 117;
inline constexpr std::uint32_t kKernelProcessTree = 122;
inline constexpr std::uint32_t kTraceAttributes = 126;
}  // namespace packet_field

// Of packet_field::kSequenceFlags.
inline constexpr std::uint64_t kStateCleared = 1;
inline constexpr std::uint64_t kNeedsState = 2;

namespace defaults_field {
inline constexpr std::uint32_t kTimestampClockId = 58;
}  // namespace defaults_field

namespace snapshot_field {
inline constexpr std::uint32_t kClocks = 1;
inline constexpr std::uint32_t kPrimaryClock = 2;
inline constexpr std::uint32_t kClockId = 1;  // of one of the clocks, from here on
inline constexpr std::uint32_t kTimestamp = 2;
inline constexpr std::uint32_t kIsIncremental = 3;
}  // namespace snapshot_field

enum class ClockId : std::uint8_t {
  kRealtime = 1,
  kMonotonic = 3,
  kBoottime = 6,    // of packets that name none
  kTraceFile = 11,  // none that the system knows
  kDelta = 64,      // ours, of this sequence alone: times since the packet before
  kAbsolute = 65,   // ours: times
};

namespace track_field {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParentUuid = 5;
inline constexpr std::uint32_t kCounter = 8;
inline constexpr std::uint32_t kChildOrdering = 11;
inline constexpr std::uint32_t kSiblingOrderRank = 12;
inline constexpr std::uint32_t kSiblingMergeBehavior = 15;
inline constexpr std::uint32_t kSiblingMergeKeyInt = 17;
inline constexpr std::uint32_t kStateV57 = 18;
inline constexpr std::uint32_t kProcessOrdering = 19;
inline constexpr std::uint32_t kThreadOrdering = 20;
}  // namespace track_field

inline constexpr std::uint64_t kOrderExplicitly = 3;  // of track_field::kChildOrdering
inline constexpr std::uint64_t kOrderByRank = 1;      // of kProcessOrdering, kThreadOrdering
inline constexpr std::uint64_t kMergeNone = 2;        // of kSiblingMergeBehavior
inline constexpr std::uint64_t kMergeByKey = 3;

namespace process_field {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kName = 6;
}  // namespace process_field

namespace thread_field {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kTid = 2;
inline constexpr std::uint32_t kName = 5;
}  // namespace thread_field

namespace counter_field {
inline constexpr std::uint32_t kUnit = 3;  // 1 ns, 2 count, 3 bytes
inline constexpr std::uint32_t kUnitName = 6;
}  // namespace counter_field

namespace event_field {
inline constexpr std::uint32_t kCategoryIids = 3;
inline constexpr std::uint32_t kAnnotations = 4;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kExtraCounterValues = 12;
inline constexpr std::uint32_t kCategories = 22;
inline constexpr std::uint32_t kName = 23;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kExtraCounterTracks = 31;
inline constexpr std::uint32_t kDoubleCounterValue = 44;
inline constexpr std::uint32_t kFlowIds = 47;
inline constexpr std::uint32_t kTerminatingFlowIds = 48;
inline constexpr std::uint32_t kCallstackIid = 56;
}  // namespace event_field

enum class EventType : std::uint8_t {
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstant = 3,
  kCounter = 4,
  kStateV57 = 5,  // no name: idle
};

namespace annotation_field {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kBool = 2;
inline constexpr std::uint32_t kUint = 3;
inline constexpr std::uint32_t kInt = 4;
inline constexpr std::uint32_t kDouble = 5;
inline constexpr std::uint32_t kString = 6;
inline constexpr std::uint32_t kPointer = 7;
inline constexpr std::uint32_t kName = 10;
}  // namespace annotation_field

namespace interned_field {
inline constexpr std::uint32_t kCategories = 1;
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kFunctionNames = 5;
inline constexpr std::uint32_t kFrames = 6;
inline constexpr std::uint32_t kCallstacks = 7;
inline constexpr std::uint32_t kSourcePaths = 18;
inline constexpr std::uint32_t kMappings = 19;
inline constexpr std::uint32_t kIid = 1;   // of one of them
inline constexpr std::uint32_t kName = 2;  // of what is a text
}  // namespace interned_field

namespace frame_field {
inline constexpr std::uint32_t kFunctionName = 2;
inline constexpr std::uint32_t kMapping = 3;
inline constexpr std::uint32_t kRelativePc = 4;
inline constexpr std::uint32_t kSourcePath = 5;
inline constexpr std::uint32_t kLine = 6;
}  // namespace frame_field

namespace callstack_field {
inline constexpr std::uint32_t kFrames = 2;  // outermost first
}  // namespace callstack_field

namespace task_field {
inline constexpr std::uint32_t kCpu = 1;
inline constexpr std::uint32_t kComm = 2;
inline constexpr std::uint32_t kTid = 3;
inline constexpr std::uint32_t kState = 4;
}  // namespace task_field

enum class TaskState : std::uint8_t {
  kUnknown = 0,  // never written
  kCreated = 1,
  kRunnable = 2,
  kRunning = 3,
  kSleeping = 4,
  kUninterruptible = 5,
  kStopped = 6,
  kDead = 7,
  kDestroyed = 8,
};

namespace process_tree_field {
inline constexpr std::uint32_t kThreads = 2;
inline constexpr std::uint32_t kTid = 1;  // of a thread, from here on
inline constexpr std::uint32_t kPid = 2;
inline constexpr std::uint32_t kComm = 3;
}  // namespace process_tree_field

namespace attributes_field {
inline constexpr std::uint32_t kAttribute = 1;
inline constexpr std::uint32_t kKey = 1;  // of an attribute, from here on
inline constexpr std::uint32_t kLong = 2;
inline constexpr std::uint32_t kString = 3;
}  // namespace attributes_field

}  // namespace tracedeck::exporting::perfetto
