// The receipt of targets that are poorer than the model: what does not come back, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// What such a target does not hold as it was, in the order of the receipt.
enum class Lost : std::uint8_t {
  kTrace,
  kTraceName,
  kEnvironment,
  kEnvironmentText,
  kEnvironmentAdded,
  kClockName,
  kClockTick,
  kClockOffset,
  kClockOrigin,
  kClockIdentity,
  kClockText,
  kStream,
  kStreamText,
  kEventAdded,
  kNoEvents,
  kMarker,
  kClassIdentity,
  kClassPurpose,
  kAttributes,
  kContext,
  kLabels,
  kField,
  kTooLong,
  kDuration,
  kNoDuration,
  kNoTime,
  kTimeLeftOut,
  kNominalTime,
  kTimeRange,
  kTimeFraction,
  kOtherOrigin,
  kResolution,
  kLosses,
  kCount,
};

// Where something was lost first.
struct FirstPlace {
  std::string_view input = {};
  std::uint64_t offset = 0;  // bytes
};

// What of each event of a class is lost, and the paths of fields.
using LossList = std::vector<std::pair<Lost, std::string>>;

// Its memory follows what differs, not how many traces there are: what is lost alike is one. Behind
// the first `kMostPlaces` places what is lost is counted together, at the path `kOthers`; of
// classes with events the first loss is named, as one of the whole class.
class LossReceipt {
 public:
  static constexpr std::size_t kMostPlaces = 10'000;
  static constexpr std::string_view kOthers = "(others)";

  // `event_class`: its name, or empty: of none, or one without a name. `path`: as in
  // `ReceiptEntry`.
  void add(Lost loss, std::string_view event_class, std::string_view path, const FirstPlace& first,
           std::uint64_t count = 1);
  // Of so many more, which are not named.
  void add_others(Lost loss, std::uint64_t count);
  // To be increased at each event of the class. Stays where it is.
  [[nodiscard]] std::uint64_t& events_of(std::string class_name, LossList lost,
                                         const FirstPlace& first);

  // Classes without events do not count.
  [[nodiscard]] Receipt entries() const;

 private:
  struct Place {
    std::uint64_t count = 0;
    std::string input = {};
    std::uint64_t offset = 0;
  };
  std::map<std::tuple<Lost, std::string, std::string>, Place> places_;
  std::map<Lost, std::uint64_t> others_;
  std::map<std::pair<std::string, LossList>, Place> classes_;
  std::size_t class_places_ = 0;
};

}  // namespace tracedeck::lower
