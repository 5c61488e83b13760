#include "tracedeck/columns/parquet/levels.hpp"

#include <algorithm>

#include "tracedeck/columns/places.hpp"

namespace tracedeck::parquet {
namespace {

using columns::Column;
using columns::ColumnType;

void add_paths(const Column& column, LeafPath& path, std::vector<LeafPath>& paths) {
  for (const Column& child : column.children) {
    path.push_back(&child);
    if (child.is_leaf()) {
      paths.push_back(path);
    } else {
      add_paths(child, path, paths);
    }
    path.pop_back();
  }
}

// Goes through the instances of a path's columns in their order.
class LevelWalk {
 public:
  LevelWalk(const LeafPath& path, Levels& levels) : levels_(levels) {
    for (const Column* const column : path) {
      Step step{.column = column};
      if (column->type == ColumnType::kList) step.list = ++levels.most_repeated;
      if (column->nullable) ++levels.most_defined;
      if (step.list != 0) ++levels.most_defined;
      steps_.push_back(step);
    }
  }

  void row() { instance(0, 0, 0); }

 private:
  struct Step {
    const Column* column;
    std::uint8_t list = 0;       // the repetition level of a further element; 0: it is no list
    std::size_t next_valid = 0;  // of the column's `valid`
    std::size_t next_list = 0;   // of its lengths
  };

  void entry(std::uint8_t repeated, std::uint8_t defined) {
    levels_.repeated.push_back(repeated);
    levels_.defined.push_back(defined);
  }

  // `defined`: what is defined outside of step `depth`. As deep as the columns are nested.
  void instance(std::size_t depth, std::uint8_t repeated, std::uint8_t defined) {
    if (depth == steps_.size()) return entry(repeated, defined);
    Step& step = steps_[depth];
    if (step.column->nullable) {
      if (step.column->valid[step.next_valid++] == 0) return entry(repeated, defined);
      ++defined;
    }
    if (step.list == 0) return instance(depth + 1, repeated, defined);
    const std::uint32_t length = step.column->words32[step.next_list++];
    if (length == 0) return entry(repeated, defined);
    ++defined;
    if (depth + 2 == steps_.size() && is_value(*steps_[depth + 1].column)) {
      entry(repeated, defined);
      levels_.repeated.append(length - 1, step.list);
      levels_.defined.append(length - 1, defined);
      return;
    }
    instance(depth + 1, repeated, defined);
    for (std::uint32_t i = 1; i < length; ++i) instance(depth + 1, step.list, defined);
  }

  static bool is_value(const Column& column) { return column.is_leaf() && !column.nullable; }

  Levels& levels_;
  std::vector<Step> steps_;
};

// The same as a walk, where nothing is null and `list`, null for none, is the only list.
void fill_levels(Levels& levels, const LeafPath& path, const Column* list, std::size_t rows) {
  if (list == nullptr) {
    levels.defined.append(rows, levels.most_defined);
    return;
  }
  std::size_t entries = 0;
  for (const std::uint32_t length : list->words32) entries += std::max(length, 1U);
  levels.defined.append(entries, levels.most_defined);
  levels.repeated.append(entries, 1);
  std::uint8_t defined = 0;  // of an empty list
  for (const Column* const column : path) {
    if (column->nullable) ++defined;
    if (column == list) break;
  }
  std::size_t entry = 0;
  for (const std::uint32_t length : list->words32) {
    levels.repeated[entry] = 0;
    if (length == 0) levels.defined[entry] = defined;
    entry += std::max(length, 1U);
  }
}

}  // namespace

std::vector<LeafPath> leaf_paths(const Column& root) {
  std::vector<LeafPath> paths;
  LeafPath path;
  add_paths(root, path, paths);
  return paths;
}

Levels levels_of(const LeafPath& path, std::size_t rows) {
  Levels levels;
  LevelWalk walk(path, levels);
  if (path.size() == 1 && levels.most_repeated == 0) {
    // A leaf in the row itself: its levels are there already.
    levels.defined = path.front()->valid;
    levels.entries = rows;
    return levels;
  }
  if (levels.most_repeated <= 1 && levels.most_defined != 0 &&
      std::ranges::all_of(path, [](const Column* column) { return columns::all_there(*column); })) {
    const auto list = std::ranges::find(path, ColumnType::kList, &Column::type);
    fill_levels(levels, path, list == path.end() ? nullptr : *list, rows);
  } else if (levels.most_defined != 0) {
    for (std::size_t i = 0; i < rows; ++i) walk.row();
  }
  levels.entries = levels.most_defined == 0 ? rows : levels.defined.size();
  if (levels.most_repeated == 0) levels.repeated = {};
  return levels;
}

}  // namespace tracedeck::parquet
