// A table under construction: columns and how many rows they hold.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/columns/column.hpp"

namespace tracedeck::columns {

struct Table {
  explicit Table(std::string class_name, Column columns, std::string folders = {})
      : name(std::move(class_name)),
        partition(std::move(folders)),
        root(std::move(columns)),
        in_order(columns::in_order(root)) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // What distinguishes it from all others: an event class, with a suffix if others are called so.
  std::string name;
  std::string partition = {};  // folders below the one of the name: `date=2026-11-22/`, or ""
  Column root;
  std::vector<Column*> in_order;
  std::size_t rows = 0;           // that are in the columns
  std::uint64_t rows_before = 0;  // that were handed on
  std::uint64_t bytes = 0;        // that they take, about
  // Whether the rows ascend by time and all have one.
  bool sorted = true;
  std::int64_t last_time = 0;
  std::size_t number = 0;  // counts the tables from 0
};

}  // namespace tracedeck::columns
