// What `diff` promises: of pairs of traces that are alike at most one in a hundred has any mark,
// whatever their values depend on; and what differs is found.
//
// TRACEDECK_ALIKE_PAIRS=10000 compares so many pairs of each kind, which takes long.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/timeline/comparison.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {
namespace {

using Random = std::mt19937_64;

// Values of one name in no unit, and when each ended, as a share of the trace's length.
struct Values {
  std::vector<double> values = {};
  std::vector<double> times = {};
};

double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }
double normal(Random& random) { return std::normal_distribution<double>()(random); }
double gap(Random& random) { return std::exponential_distribution<double>()(random); }
// How many there happen to be where `mean` are usual.
int happening(Random& random, double mean) {
  return std::max(2, std::poisson_distribution<int>(mean)(random));
}

void at_any_times(Values& made, Random& random) {
  for (std::size_t i = 0; i < made.values.size(); ++i) made.times.push_back(uniform(random));
  std::ranges::sort(made.times);
}
void at_regular_times(Values& made) {
  for (std::size_t i = 0; i < made.values.size(); ++i)
    made.times.push_back(static_cast<double>(i + 1) / static_cast<double>(made.values.size()));
}

// `form`, 0 to 1, is the same for both traces of a pair.
Values independent(Random& random, int count, double form) {
  Values made;
  const bool is_regular = form < 0.5;
  const int happened = is_regular ? count : happening(random, count);
  for (int i = 0; i < happened; ++i)
    made.values.push_back(std::exp((0.5 + 0.5 * form) * normal(random)));
  is_regular ? at_regular_times(made) : at_any_times(made, random);
  return made;
}

// 5 to 20 values close together are slow or fast together.
Values bursts(Random& random, int count, double form) {
  Values made;
  const int together = 5 + static_cast<int>(15 * form);
  const int many = happening(random, static_cast<double>(count) / together);
  std::vector<double> begins;
  for (int i = 0; i < many; ++i) begins.push_back(uniform(random));
  std::ranges::sort(begins);
  for (const double begin : begins) {
    const double level = std::exp(normal(random));
    double now = begin;
    for (int i = 0; i < together; ++i) {
      made.values.push_back(level * std::exp(0.3 * normal(random)));
      made.times.push_back(now += 0.01 * gap(random) / many);
    }
  }
  return made;
}

Values correlated(Random& random, int count, double length) {
  Values made;
  const double kept = std::exp(-1 / length);
  double level = normal(random);
  for (int i = 0; i < count; ++i) {
    made.values.push_back(std::exp(level));
    level = kept * level + std::sqrt(1 - kept * kept) * normal(random);
  }
  at_regular_times(made);
  return made;
}
Values correlated_over_10(Random& random, int count, double) {
  return correlated(random, count, 10);
}
Values correlated_over_50(Random& random, int count, double) {
  return correlated(random, count, 50);
}

// 6 to 20 levels in a trace, each as long as it happens to be.
Values levels(Random& random, int count, double form) {
  Values made;
  const double length = std::max(3.0, count / (6 + 14 * form));
  double level = 0;
  double left = 0;
  for (int i = 0; i < count; ++i, --left) {
    if (left <= 0) {
      left = 1 + length * gap(random);
      level = normal(random) / 2;
    }
    made.values.push_back(std::exp(level + normal(random) / 2));
  }
  at_regular_times(made);
  return made;
}

// What takes longer and longer, in both alike.
Values trend(Random& random, int count, double form) {
  Values made;
  for (int i = 0; i < count; ++i)
    made.values.push_back(std::exp((0.3 + 2 * form) * i / count + normal(random) / 2));
  at_regular_times(made);
  return made;
}

Values heavy_tail(Random& random, int count, double form) {
  Values made;
  const int happened = happening(random, count);
  for (int i = 0; i < happened; ++i)
    made.values.push_back(std::pow(1 - uniform(random), -1 / (0.8 + form)));
  at_any_times(made, random);
  return made;
}

Values ties(Random& random, int count, double form) {
  Values made;
  const bool is_regular = form < 0.5;
  const int happened = is_regular ? count : happening(random, count);
  for (int i = 0; i < happened; ++i)
    made.values.push_back(1 + std::floor(uniform(random) * (2 + 5 * form)));
  is_regular ? at_regular_times(made) : at_any_times(made, random);
  return made;
}

struct Generator {
  const char* name;
  Values (*make)(Random& random, int count, double form);
};
constexpr std::array kGenerators = {
    Generator{"independent", independent},
    Generator{"bursts", bursts},
    Generator{"correlated over 10", correlated_over_10},
    Generator{"correlated over 50", correlated_over_50},
    Generator{"levels", levels},
    Generator{"trend", trend},
    Generator{"heavy tail", heavy_tail},
    Generator{"ties", ties},
};

// A trace of slices, `length` times as long as usual.
class Made {
 public:
  explicit Made(double length = 1) : length_(length), compared_(*ComparedTrace::make({})) {
    timeline_.add_track({.kind = TrackKind::kThread, .name = "worker"});
  }

  void add(const std::string& name, const Values& values) {
    constexpr double kDuration = 10'000;  // ns
    constexpr double kTime = 1e9;
    constexpr std::int64_t kBegin = 100'000'000'000'000;
    Mark mark;
    mark.kind = MarkKind::kSliceEnd;
    mark.track = 1;
    mark.name = timeline_.add_name("", name);
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      mark.time = kBegin + static_cast<std::int64_t>(values.times[i] * length_ * kTime);
      mark.begin = mark.time - static_cast<std::int64_t>(values.values[i] * kDuration);
      timeline_.note_time(mark.time);
      marks_.push_back(mark);
    }
    EXPECT_TRUE(compared_->take(timeline_, marks_));
    marks_.clear();
  }
  const ComparedTrace& finish() {
    EXPECT_TRUE(compared_->finish(timeline_));
    return *compared_;
  }

 private:
  double length_;
  Timeline timeline_;
  std::vector<Mark> marks_;
  std::unique_ptr<ComparedTrace> compared_;
};

int pairs_wanted(int usual) {
  const char* const wanted = std::getenv("TRACEDECK_ALIKE_PAIRS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

constexpr int kFewestInPair = 15;
constexpr int kMostInPair = 10'000;

// As many as there are as likely to be as ten times as many.
int some_count(Random& random) {
  return static_cast<int>(kFewestInPair *
                          std::pow(double{kMostInPair} / kFewestInPair, uniform(random)));
}

bool marks_any(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows(), &ComparedRow::is_beyond);
}

bool compare_alike(Random& random, const Generator& generator) {
  const double length = std::exp(0.3 * normal(random));
  Made a;
  Made b(length);
  const int names = 1 + static_cast<int>(random() % 20);
  for (int i = 0; i < names; ++i) {
    const double form = uniform(random);
    const int count = some_count(random);
    const auto other = std::max(2, static_cast<int>(count * length));
    const std::string name = "name " + std::to_string(i);
    a.add(name, generator.make(random, count, form));
    b.add(name, generator.make(random, other, form));
  }
  return marks_any(Comparison(a.finish(), b.finish()));
}

// How often a greater median of one of `names` names is found, in percent.
double found_of(Random& random, int pairs, int names, int count, double factor) {
  int found = 0;
  for (int i = 0; i < pairs; ++i) {
    Made a;
    Made b;
    for (int j = 0; j < names; ++j) {
      const std::string name = "name " + std::to_string(j);
      constexpr double kForm = 1;  // lognormal, sigma 1
      Values greater = independent(random, count, kForm);
      if (j == 0) {
        for (double& each : greater.values) each *= factor;
      }
      a.add(name, independent(random, count, kForm));
      b.add(name, greater);
    }
    const Comparison comparison(a.finish(), b.finish());
    found += std::ranges::any_of(comparison.rows(), [](const ComparedRow& row) {
      return row.either().label() == "name 0" && row.of(ComparedFigure::kMedian).is_beyond;
    });
  }
  return 100.0 * found / pairs;
}

// With 95 % certainty no more than 1.3 % where there are 10,000 pairs; fewer say less.
TEST(AlikePairs, HaveNoMark) {
  const int pairs = pairs_wanted(20);
  for (const Generator& generator : kGenerators) {
    Random random(11);
    int marked = 0;
    for (int i = 0; i < pairs; ++i) marked += compare_alike(random, generator) ? 1 : 0;
    constexpr double kOneSided95 = 1.645;
    const double share = static_cast<double>(marked) / pairs;
    const double bound = share + kOneSided95 * std::sqrt(std::max(share, 1.0 / pairs) / pairs);
    std::printf("%-20s %d of %d alike pairs have a mark, with 95 %% at most %.2f %%\n",
                generator.name, marked, pairs, 100 * bound);
    std::fflush(stdout);
    EXPECT_LE(bound, std::max(0.013, 4.0 / pairs)) << generator.name;
  }
}

TEST(AlikePairs, DifferencesAreFound) {
  const int pairs = std::min(pairs_wanted(100), 1000);
  Random random(12);
  const double of_1000 = found_of(random, pairs, 1, 1000, 1.3);
  const double of_300 = found_of(random, pairs, 1, 300, 2);
  const double of_300_among_5 = found_of(random, pairs, 5, 300, 2);
  std::printf("found: +30 %% of 1,000 in %.1f %%, twice of 300 in %.1f %%, among 5 in %.1f %%\n",
              of_1000, of_300, of_300_among_5);
  const double margin = pairs >= 1000 ? 0 : 4;
  EXPECT_GE(of_1000, 95 - margin);
  EXPECT_GE(of_300, 90 - margin);
  EXPECT_GE(of_300_among_5, 90 - margin);
}

}  // namespace
}  // namespace tracedeck::timeline
