// Journal: what the writer under the axe was told, kept where its death cannot reach.
//
// One line per event, appended by one write(2), so that it outlives a SIGKILL of the writer. An
// event comes in two lines: a capital letter before the call, a small one after its
// acknowledgement.
//   B/b batch   D/d deletion of a batch   I/i counter value   C/c create table   R/r drop table
//   S/s snapshot of a table   X/x a row more in it   O/o restore of the snapshot
//   L/l clone of the snapshot   K/k drop of the clone   E/e deletion of the snapshot
//   P/p backup   (a bulk load is a batch: B/b)
#ifndef BENNU_TESTS_CRASH_JOURNAL_H_
#define BENNU_TESTS_CRASH_JOURNAL_H_

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace bennu::testing {

class JournalWriter {
 public:
  explicit JournalWriter(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  ~JournalWriter() { ::close(fd_); }
  bool Note(char event, int64_t number) {
    const std::string line = std::string(1, event) + " " + std::to_string(number) + "\n";
    return ::write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  }

 private:
  const int fd_;
};

struct JournalState {
  struct Thing {
    bool begun = false, done = false, removal_begun = false, removed = false;
  };
  std::map<int64_t, Thing> batches;
  std::map<int64_t, Thing> tables;
  std::map<int64_t, Thing> snapshots;
  std::map<int64_t, Thing> clones;
  std::map<int64_t, Thing> changes;      // the row more; removed by the restore
  std::map<int64_t, Thing> truncations;  // of the clone
  struct Backup {
    std::set<int64_t> batches;  // that were acknowledged before it began
    bool done = false;
  };
  std::map<int64_t, Backup> backups;
  int64_t counter_acknowledged = 0;
  int64_t counter_begun = 0;
  int64_t next = 1;  // number of no event so far

  static JournalState Read(const std::string& path) {
    JournalState state;
    std::ifstream in(path);
    char event;
    int64_t number;
    while (in >> event >> number) {
      switch (event) {
        case 'B': state.batches[number].begun = true; break;
        case 'b': state.batches[number].done = true; break;
        case 'D': state.batches[number].removal_begun = true; break;
        case 'd': state.batches[number].removed = true; break;
        case 'C': state.tables[number].begun = true; break;
        case 'c': state.tables[number].done = true; break;
        case 'R': state.tables[number].removal_begun = true; break;
        case 'r': state.tables[number].removed = true; break;
        case 'S': state.snapshots[number].begun = true; break;
        case 's': state.snapshots[number].done = true; break;
        case 'E': state.snapshots[number].removal_begun = true; break;
        case 'e': state.snapshots[number].removed = true; break;
        case 'L': state.clones[number].begun = true; break;
        case 'l': state.clones[number].done = true; break;
        case 'K': state.clones[number].removal_begun = true; break;
        case 'k': state.clones[number].removed = true; break;
        case 'X': state.changes[number].begun = true; break;
        case 'x': state.changes[number].done = true; break;
        case 'O': state.changes[number].removal_begun = true; break;
        case 'o': state.changes[number].removed = true; break;
        case 'T': state.truncations[number].begun = true; break;
        case 't': state.truncations[number].done = true; break;
        case 'P': state.backups[number].batches = state.AcknowledgedBatches(); break;
        case 'p': state.backups[number].done = true; break;
        case 'I': ++state.counter_begun; continue;
        case 'i': state.counter_acknowledged = number; continue;
        default: continue;
      }
      if (number >= state.next) state.next = number + 1;
    }
    return state;
  }

  std::set<int64_t> AcknowledgedBatches() const {
    std::set<int64_t> numbers;
    for (const auto& [number, batch] : batches) {
      if (batch.done && !batch.removal_begun) numbers.insert(number);
    }
    return numbers;
  }
};

// ---- what the numbers mean

// A batch has rows in each of three regions: prefixes, and the first rows of the second and third.
inline constexpr char kPrefixes[] = {'b', 'h', 'p'};
inline constexpr const char* kSplits[] = {"d", "m"};
inline int RowsPerRegion(int64_t batch) { return 1 + static_cast<int>(batch % 5); }
inline std::string RowKey(char prefix, int64_t batch, int index) {
  char text[40];
  std::snprintf(text, sizeof(text), "%c%010lld-%02d", prefix, static_cast<long long>(batch), index);
  return text;
}
// Where backup 'number' of a store goes, and the folder of files that batch 'number' is loaded
// from.
inline std::string BackupDirectory(const std::string& store, int64_t number) {
  return store + "-backups/" + std::to_string(number);
}
inline std::string LoadFolder(const std::string& store, int64_t number) {
  return store + "-loads/" + std::to_string(number);
}
inline std::string CellValue(int64_t batch) {
  return std::to_string(batch) + std::string(static_cast<size_t>(batch % 400), 'v');
}

}  // namespace bennu::testing

#endif  // BENNU_TESTS_CRASH_JOURNAL_H_
