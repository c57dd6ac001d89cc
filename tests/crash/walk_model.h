// What a store holds, as lines of text that can be compared: the model of the walk, and what it is
// compared with.
#ifndef BENNU_TESTS_CRASH_WALK_MODEL_H_
#define BENNU_TESTS_CRASH_WALK_MODEL_H_

#include <map>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"

namespace bennu::walk {

// Line -> value, for example "table t: cell a f:q" -> "v1".
using State = std::map<std::string, std::string>;

inline std::string TableLine(const std::string& table) { return "table " + table + ": "; }
inline std::string CellLine(const std::string& table, const std::string& row,
                            const std::string& column) {
  return TableLine(table) + "cell " + row + " " + column;
}
inline std::string SnapshotLine(const std::string& name) { return "snapshot " + name + ": "; }

// All lines that begin with 'from' again, beginning with 'to'.
inline void CopyLines(const std::string& from, const std::string& to, State* state) {
  State copies;
  for (const auto& [line, value] : *state) {
    if (line.starts_with(from)) copies[to + line.substr(from.size())] = value;
  }
  state->merge(copies);
}
inline void RemoveLines(const std::string& from, State* state) {
  std::erase_if(*state, [&](const auto& item) { return item.first.starts_with(from); });
}

// What the two differ in; empty when they are the same.
std::string Difference(const State& found, const State& expected);

// Reads the store. 'deep': also the rows of disabled tables and of snapshots, for which it enables
// and clones: of a store that nobody uses afterwards. Snapshots of failed restores are left out.
Result<State> ReadState(Connection* connection, bool deep);
// What a shallow reading finds of what a deep one has found.
State Shallow(const State& state);

}  // namespace bennu::walk

#endif  // BENNU_TESTS_CRASH_WALK_MODEL_H_
