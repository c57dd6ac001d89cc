#include "tests/crash/walk_schedule.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/hfile/writer.h"

namespace bennu::walk {

namespace {

constexpr const char* kBorder = "m";  // of table t

engine::EngineOptions Options() {
  engine::EngineOptions options;
  options.block_cache_bytes = 1 << 20;
  options.wal_roll_bytes = 4 << 10;
  options.old_wal_files_max = 1;
  options.archive_keep_millis = 1;
  options.query_threads = 1;
  options.maintenance_threads = 1;
  // What is to be rewritten is told to; what the walk stops at is much the same each time then.
  options.background_compaction = false;
  options.background_split = false;
  return options;
}

TableName Name(const std::string& table) { return {"default", table}; }

// Family f is plain, g has stripes: its flushes and compactions put several files in place.
TableDescriptor Describe(const std::string& name, const std::string& families) {
  TableDescriptor table;
  table.name = Name(name);
  for (const char letter : families) {
    ColumnFamilyDescriptor family;
    family.name = std::string(1, letter);
    if (letter == 'g') {
      family.attributes = {{"hbase.hstore.engine.class", "StripeStoreEngine"},
                           {"hbase.store.stripe.initialStripeCount", "2"},
                           {"hbase.store.stripe.compaction.minFiles", "2"}};
    }
    table.families.push_back(std::move(family));
  }
  return table;
}

Effect Nothing() {
  return [](State* /*state*/) {};
}
Effect All(std::vector<Effect> effects) {
  return [effects = std::move(effects)](State* state) {
    for (const Effect& effect : effects) effect(state);
  };
}
Effect Set(std::string line, std::string value) {
  return [=](State* state) { (*state)[line] = value; };
}
Effect Remove(std::string line_begin) {
  return [=](State* state) { RemoveLines(line_begin, state); };
}
Effect NewTable(const std::string& table, const std::string& families, const std::string& borders) {
  const std::string prefix = TableLine(table);
  return All({Set(prefix + "families", families), Set(prefix + "borders", borders),
              Set(prefix + "enabled", "yes")});
}

Status Write(Run* run, const std::string& table, const std::function<void(MutationBatch*)>& fill) {
  ASSIGN_OR_RETURN(const auto opened, run->engine()->OpenTable(Name(table)));
  MutationBatch batch;
  fill(&batch);
  return opened->Write(&batch);
}

// All families of rows of one region.
Step Put(const std::string& table, const std::string& families, std::vector<std::string> rows,
         std::string value) {
  const std::string text = value + std::string(60, 'v');
  Step step;
  step.name = "put " + value;
  step.call = [=](Run* run) {
    return Write(run, table, [&](MutationBatch* batch) {
      for (const std::string& row : rows) {
        batch->StartRow(row);
        for (const char family : families) batch->Put(std::string(1, family), "q", text);
      }
    });
  };
  step.effect = [=](State* state) {
    for (const std::string& row : rows) {
      for (const char family : families) {
        (*state)[CellLine(table, row, std::string(1, family) + ":q")] = text;
      }
    }
  };
  return step;
}

// All of some rows of one region.
Step DeleteRows(const std::string& table, const std::string& families,
                std::vector<std::string> rows) {
  Step step;
  step.name = "delete";
  step.call = [=](Run* run) {
    return Write(run, table, [&](MutationBatch* batch) {
      for (const std::string& row : rows) {
        batch->StartRow(row);
        for (const char family : families) batch->DeleteFamily(std::string(1, family));
      }
    });
  };
  step.effect = [=](State* state) {
    for (const std::string& row : rows) RemoveLines(TableLine(table) + "cell " + row + " ", state);
  };
  return step;
}

Step Append(const std::string& table, const std::string& row, const std::string& text) {
  const std::string line = CellLine(table, row, "f:appended");
  return {"append",
          [=](Run* run) {
            return Write(run, table, [&](MutationBatch* batch) {
              batch->StartAppend(row);
              batch->Append("f", "appended", text);
            });
          },
          [=](State* state) { (*state)[line] += text; }};
}

Step Administer(std::string name, std::function<Status(Admin*)> call, Effect effect) {
  return {std::move(name), [call = std::move(call)](Run* run) { return call(run->admin()); },
          std::move(effect)};
}

Step Flush(const std::string& table) {
  return Administer(
      "flush", [=](Admin* admin) { return admin->Flush(Name(table)); }, Nothing());
}
Step Compact(const std::string& table, bool major) {
  return Administer(
      major ? "major compaction" : "compaction",
      [=](Admin* admin) { return admin->Compact(Name(table), major); }, Nothing());
}
Step Create(const std::string& table, const std::string& families,
            const std::vector<Bytes>& splits) {
  std::string names;
  for (const char letter : families) names += std::string(1, letter) + " ";
  std::string borders = "|";
  for (const Bytes& split : splits) borders += split + "|";
  return Administer(
      "create", [=](Admin* admin) { return admin->CreateTable(Describe(table, families), splits); },
      NewTable(table, names, borders));
}
Step Alter(const std::string& table, const std::string& families, Effect effect) {
  return Administer(
      "alter", [=](Admin* admin) { return admin->AlterTable(Describe(table, families)); },
      std::move(effect));
}
Step Enable(const std::string& table) {
  return Administer(
      "enable", [=](Admin* admin) { return admin->EnableTable(Name(table)); },
      Set(TableLine(table) + "enabled", "yes"));
}
Step Disable(const std::string& table) {
  return Administer(
      "disable", [=](Admin* admin) { return admin->DisableTable(Name(table)); },
      Set(TableLine(table) + "enabled", "no"));
}
Step Drop(const std::string& table) {
  return Administer(
      "drop", [=](Admin* admin) { return admin->DropTable(Name(table)); },
      Remove(TableLine(table)));
}
// Keeps the borders.
Step Truncate(const std::string& table) {
  return Administer(
      "truncate", [=](Admin* admin) { return admin->TruncateTable(Name(table), true); },
      All({Remove(TableLine(table) + "cell "), Set(TableLine(table) + "enabled", "yes")}));
}
Step Split(const std::string& table, const std::string& row, const std::string& borders) {
  return Administer(
      "split", [=](Admin* admin) { return admin->SplitTable(Name(table), Bytes(row)); },
      Set(TableLine(table) + "borders", borders));
}
// The first two regions.
Step Merge(const std::string& table, const std::string& borders) {
  Step step;
  step.name = "merge";
  step.call = [=](Run* run) -> Status {
    ASSIGN_OR_RETURN(const auto opened, run->engine()->OpenTable(Name(table)));
    const auto regions = opened->regions();
    return run->admin()->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()});
  };
  step.effect = Set(TableLine(table) + "borders", borders);
  return step;
}
Step TakeSnapshot(const std::string& table, const std::string& name) {
  return Administer(
      "snapshot", [=](Admin* admin) { return admin->SnapshotTable(name, Name(table), {}); },
      [=](State* state) {
        CopyLines(TableLine(table), SnapshotLine(name), state);
        state->erase(SnapshotLine(name) + "enabled");
        (*state)[SnapshotLine(name)] = "there";
      });
}
Step Clone(const std::string& snapshot, const std::string& table) {
  return Administer(
      "clone", [=](Admin* admin) { return admin->CloneSnapshot(snapshot, Name(table)); },
      [=](State* state) {
        CopyLines(SnapshotLine(snapshot), TableLine(table), state);
        state->erase(TableLine(table));
        (*state)[TableLine(table) + "enabled"] = "yes";
      });
}
Step Restore(const std::string& snapshot, const std::string& table) {
  return Administer(
      "restore", [=](Admin* admin) { return admin->RestoreSnapshot(snapshot); },
      [=](State* state) {
        RemoveLines(TableLine(table), state);
        CopyLines(SnapshotLine(snapshot), TableLine(table), state);
        state->erase(TableLine(table));
        (*state)[TableLine(table) + "enabled"] = "no";
      });
}
Step DeleteSnapshot(const std::string& name) {
  return Administer(
      "delete the snapshot", [=](Admin* admin) { return admin->DeleteSnapshot(name); },
      Remove(SnapshotLine(name)));
}
Step Open() {
  return {"open", [](Run* run) { return run->Open(); }, Nothing()};
}
Step Close() {
  return {"close", [](Run* run) { return run->Close(); }, Nothing()};
}

// ---- bulk load: a file across the border of t

void Must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "crash_walk: preparing: %s\n", status.ToString().c_str());
  std::_Exit(1);
}

void WriteLoad(Run* run) {
  const std::string folder = run->directory() + ".load/f";
  std::filesystem::remove_all(run->directory() + ".load");
  std::filesystem::create_directories(folder);
  auto writer = hfile::Writer::Create(Env::Default(), folder + "/file", hfile::WriterOptions());
  Must(writer.status());
  for (const char* row : {"b-load", "x-load"}) {
    Bytes key;
    cell::AppendFlatKey(&key, row, "f", "q", Env::Default()->NowMillis(), CellType::kPut);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = "loaded";
    cell.value_length = 6;
    Must((*writer)->Append(cell));
  }
  Must((*writer)->Finish().status());
}

Step Load(const std::string& table) {
  const Effect lower = Set(CellLine(table, "b-load", "f:q"), "loaded");
  const Effect upper = Set(CellLine(table, "x-load", "f:q"), "loaded");
  Step step;
  step.name = "bulk load";
  step.call = [=](Run* run) {
    BulkLoadOptions options;
    options.copy = false;
    return run->admin()->BulkLoad(Name(table), run->directory() + ".load", options).status();
  };
  step.effect = All({lower, upper});
  step.partials = {lower, upper};
  return step;
}

// Of table o: what it does to the mirror, in the same unit.
Step Mirrored(Step step) {
  step.effect = [effect = std::move(step.effect)](State* state) {
    effect(state);
    RemoveLines(TableLine("om") + "cell ", state);
    const std::string cells = TableLine("o") + "cell ";
    State rows;
    for (const auto& [line, value] : *state) {
      if (!line.starts_with(cells)) continue;
      std::string place = line.substr(cells.size());  // "row family:qualifier"
      place[place.find(' ')] = '|';
      rows[CellLine("om", value + "|" + place, "f:")] = "";
    }
    state->merge(rows);
  };
  return step;
}

Step Backup() {
  Step step;
  step.name = "backup";
  step.call = [](Run* run) {
    // What a failed one left is no store, and in the way.
    std::filesystem::remove_all(run->directory() + ".backup");
    return run->admin()->Backup(run->directory() + ".backup");
  };
  step.effect = Set("backup", "there");
  return step;
}

}  // namespace

Status Run::Open() {
  if (engine_ != nullptr) return Status::Ok();
  engine::EngineOptions options = Options();
  options.env = env_;
  auto opened = engine::OpenEngine(directory_, options);
  if (!opened.ok()) return opened.status();
  engine_ = std::move(opened).value();
  return engine_->SetWriteObservers(&observers_);
}

Status Run::Close() {
  if (engine_ == nullptr) return Status::Ok();
  const Status status = engine_->Close();
  engine_.reset();
  return status;
}

std::vector<Act> MakeSchedule() {
  const std::string t = TableLine("t");
  std::vector<Act> acts;
  acts.push_back({"new store",
                  {{"open", [](Run* run) { return run->Open(); },
                    All({Set("namespace default", "there"), Set("namespace hbase", "there")})}},
                  /*starts_closed=*/true});
  acts.push_back({"create", {Create("t", "fg", {kBorder}), Put("t", "fg", {"a", "b"}, "v1")}});
  acts.push_back({"write",
                  {Put("t", "fg", {"p", "q", "r"}, "v2"), DeleteRows("t", "fg", {"p"}),
                   Append("t", "a", "x"), Append("t", "a", "y")}});
  acts.push_back({"recover", {Open()}, /*starts_closed=*/true});
  acts.push_back({"flush", {Put("t", "fg", {"a", "c"}, "v3"), Flush("t"), Append("t", "a", "z")}});
  acts.push_back(
      {"compact",
       {Put("t", "fg", {"a", "d"}, "v4"), Flush("t"), DeleteRows("t", "fg", {"c"}),
        Put("t", "fg", {"x", "y"}, "v5"), Flush("t"), Compact("t", false), Compact("t", true)}});
  acts.push_back(
      {"mirror",
       {Create("om", "f", {}), Create("o", "f", {kBorder}),
        Mirrored(Put("o", "f", {"a", "b"}, "w1")), Flush("o"),
        Mirrored(Put("o", "f", {"a", "c"}, "w2")), Mirrored(Append("o", "a", "x")),
        Mirrored(DeleteRows("o", "f", {"b"})), Flush("om"), Mirrored(Append("o", "a", "y"))}});
  acts.push_back({"recover the mirror", {Open()}, /*starts_closed=*/true});
  acts.push_back({"mirror among changes",
                  {Mirrored(Put("o", "f", {"a", "d"}, "w3")), Split("o", "c", "|c|m|"),
                   Mirrored(Put("o", "f", {"a", "b"}, "w4")), Split("om", "w3", "|w3|"),
                   Mirrored(Put("o", "f", {"a", "b"}, "w2"))}});
  acts.push_back(
      {"drop the mirror", {Mirrored(DeleteRows("o", "f", {"a"})), Drop("o"), Drop("om")}});
  acts.push_back({"compact to nothing",
                  {Create("e", "f", {}), Put("e", "f", {"a", "b"}, "v6"), Flush("e"),
                   DeleteRows("e", "f", {"a", "b"}), Flush("e"), Compact("e", true), Drop("e")}});
  acts.push_back({"roll", {}});
  for (int i = 0; i < 12; ++i) {
    acts.back().steps.push_back(
        Put("t", "fg", {"a", "b", "c", "d", "e"}, "roll" + std::to_string(i)));
    if (i % 4 == 3) acts.back().steps.push_back(Flush("t"));
  }
  acts.push_back(
      {"alter",
       {Alter("t", "fgh", Set(t + "families", "f g h ")), Put("t", "fgh", {"a", "e"}, "v7"),
        Flush("t"), Alter("t", "fg", All({Set(t + "families", "f g "), [](State* state) {
                                            std::erase_if(*state, [](const auto& item) {
                                              return item.first.ends_with(" h:q");
                                            });
                                          }}))}});
  acts.push_back({"split",
                  {Put("t", "fg", {"a", "g"}, "v8"), Split("t", "e", "|e|m|"),
                   Put("t", "fg", {"e", "f"}, "v9"), Compact("t", true)}});
  acts.push_back({"merge",
                  {Put("t", "fg", {"a", "b"}, "v10"), Merge("t", "|m|"),
                   Put("t", "fg", {"e", "f"}, "v11"), Compact("t", true)}});
  acts.push_back({"snapshot",
                  {Put("t", "fg", {"a", "b"}, "v12"), TakeSnapshot("t", "s"),
                   Put("t", "fg", {"a", "k"}, "v13"), Compact("t", true)}});
  acts.push_back({"clone", {Clone("s", "c"), Put("c", "fg", {"a", "n"}, "v14")}});
  // Not of one region.
  acts.back().steps.back() = Put("c", "fg", {"a", "b"}, "v14");
  acts.push_back(
      {"restore", {Disable("t"), Restore("s", "t"), Enable("t"), Put("t", "fg", {"a"}, "v15")}});
  acts.push_back({"delete the snapshot", {Drop("c"), DeleteSnapshot("s"), Compact("t", true)}});
  acts.push_back({"bulk load", {Load("t"), Put("t", "fg", {"b-load"}, "v16")}});
  acts.back().prepare = WriteLoad;
  acts.push_back({"backup", {Put("t", "fg", {"a"}, "v17"), Backup()}});
  acts.push_back({"truncate",
                  {Create("u", "fg", {"m"}), Put("u", "fg", {"a", "b"}, "v18"), Flush("u"),
                   Disable("u"), Truncate("u"), Put("u", "fg", {"b", "c"}, "v18b"), Flush("u"),
                   Disable("u"), Drop("u"), Create("u", "fg", {}), Put("u", "fg", {"c"}, "v19")}});
  acts.push_back(
      {"namespaces",
       {Administer(
            "create a namespace", [](Admin* admin) { return admin->CreateNamespace("n"); },
            Set("namespace n", "there")),
        Administer(
            "drop a namespace", [](Admin* admin) { return admin->DropNamespace("n"); },
            Remove("namespace n"))}});
  acts.push_back({"close",
                  {Put("t", "fg", {"a"}, "v20"), Close()},
                  /*starts_closed=*/false,
                  /*ends_closed=*/true});
  acts.push_back({"open", {Open(), Put("t", "fg", {"a"}, "v21")}, /*starts_closed=*/true});
  acts.push_back({"drop", {Drop("u"), Drop("t")}});
  return acts;
}

}  // namespace bennu::walk
