"""Shows that the include check refuses what it must: a check that finds nothing proves nothing."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop())
import check_failpoints  # noqa: E402
import check_includes  # noqa: E402
import check_text  # noqa: E402
import doxygen_filter  # noqa: E402


class IncludeCheck(unittest.TestCase):
    def problems(self, path, include):
        return check_includes.check_source(path, f"// A comment.\n#include {include}\n")

    def test_downward_includes_pass(self):
        for path, include in (
            ("src/cell/row.cc", '"src/base/env.h"'),
            ("src/cell/row.cc", '"bennu/status.h"'),
            ("src/base/env.cc", "<fmt/format.h>"),
            ("src/wal/wal.cc", '"proto/hbase.pb.h"'),
        ):
            self.assertEqual(self.problems(path, include), [], (path, include))

    def test_upward_and_sideways_includes_fail(self):
        for path, include in (
            ("src/base/env.cc", '"src/cell/key_value.h"'),
            ("src/hfile/reader.cc", '"src/wal/wal.h"'),
            ("src/sql/types/type.cc", '"src/sql/parse/parser.h"'),
            ("src/engine/memstore/memstore.cc", '"src/engine/store/store.h"'),
        ):
            (problem,) = self.problems(path, include)
            self.assertEqual(problem[0], 2)
            self.assertIn("may not know", problem[1])

    def test_other_mistakes_fail(self):
        for path, include in (
            ("src/base/env.cc", '"env.h"'),
            ("src/cell/row.cc", '"src/base/no_such_header.h"'),
            ("src/sql/types/type.cc", '"proto/hbase.pb.h"'),
            ("src/nowhere/x.cc", "<vector>"),
        ):
            self.assertEqual(len(self.problems(path, include)), 1, (path, include))

    def test_public_headers_stand_alone(self):
        bad = '#include <fmt/format.h>\n#include "src/base/env.h"\n#include <string>\n'
        self.assertEqual([line for line, _ in check_includes.check_public(bad)], [1, 2])

    def test_guard_is_named_for_the_path(self):
        text = "#ifndef {0}\n#define {0}\n"
        path = "src/base/env.h"
        self.assertIsNone(check_includes.check_guard(path, text.format("BENNU_SRC_BASE_ENV_H_")))
        self.assertIsNotNone(check_includes.check_guard(path, text.format("BENNU_ENV_H_")))
        self.assertIsNone(
            check_includes.check_guard("include/bennu/cell.h", text.format("BENNU_CELL_H_")))


class FailpointCheck(unittest.TestCase):
    def problems(self, killed, elsewhere):
        points = {"a.first": "src/a.cc", "a.second": "src/a.cc"}
        return check_failpoints.check(points, killed, elsewhere, lambda path: "a.second=kill")

    def test_every_point_is_tried(self):
        self.assertEqual(self.problems({"a.first", "a.second"}, {}), [])
        self.assertEqual(self.problems({"a.first"}, {"a.second": "tests/a_test.cc"}), [])

    def test_mistakes_are_told(self):
        for killed, elsewhere, what in (
            ({"a.first"}, {}, "nobody dies at a.second"),
            ({"a.first", "a.second", "a.gone"}, {}, "a.gone is in a list"),
            ({"a.second"}, {"a.first": "tests/a_test.cc"}, "does not name a.first"),
            ({"a.first", "a.second"}, {"a.gone": "tests/a_test.cc"}, "a.gone is nowhere"),
        ):
            (problem,) = self.problems(killed, elsewhere)
            self.assertIn(what, problem)

    def test_points_are_found_in_sources(self):
        text = ('BENNU_FAILPOINT("a.b");\n  CrashPoint(\n      "c.d");\n PassFailpoint("e.f")\n'
                'EnvFailpoint("env.g"); InjectedErrno("env.h")')
        text += '\nconstexpr Points kMyPoints = {"i.j",\n   "k.l"};\nconstexpr int kOthers = 1;'
        self.assertEqual(check_failpoints.points_in(text),
                         ["a.b", "c.d", "e.f", "env.g", "env.h", "i.j", "k.l"])


class TextCheck(unittest.TestCase):
    def found(self, path, line):
        return [what for what, pattern, applies in check_text.RULES
                if applies(path) and pattern.search(line)]

    def test_machine_paths(self):
        self.assertTrue(self.found("src/a.cc", 'open("/' + 'home/me/x")'))
        self.assertTrue(self.found("src/a.cc", 'open("/' + 'tmp/x")'))
        self.assertFalse(self.found("tests/a.cc", 'open("/' + 'tmp/x")'))
        self.assertFalse(self.found("src/a.cc", "the framework/home/page"))

    def test_system_calls_past_env(self):
        for line in ("std::ofstream out(path);", "int fd = ::open(path, 0);",
                     "auto now = std::chrono::steady_clock::now();"):
            self.assertTrue(self.found("src/wal/wal.cc", line), line)
            self.assertFalse(self.found("src/base/posix_env.cc", line), line)
        self.assertFalse(self.found("src/wal/wal.cc", "reader->Open(env, path);"))

    def test_loops_over_what_a_temporary_points_to(self):
        for line in ("for (const auto& file : store->view()->files) {",
                     "  for (const auto& file : entry.store->view()->files) use(file);",
                     "for (const auto& region : *(*entry)->regions()) {",
                     "for (const auto& name : *Names(of)) {"):
            self.assertTrue(self.found("src/a.cc", line), line)
        for line in ("for (const auto& file : view->files) {",
                     "for (const auto& region : *regions) region->Close();",
                     "for (const auto& child : (*expr)->children) {",
                     "for (const RegionInfo& info : (*table)->regions()) {",
                     "for (const auto& file : files) file->reader()->SetInMemory(true);",
                     "for (auto& action : *region.mutable_action()) {",
                     "for (const auto& range : layout.slot(i).ranges) {"):
            self.assertFalse(self.found("src/a.cc", line), line)

    def test_blanks_and_markers(self):
        self.assertTrue(self.found("src/a.cc", "int a; "))
        self.assertTrue(self.found("README.md", "<" * 7 + " ours"))
        self.assertFalse(self.found("README.md", "two blanks end a line  "))


    def test_what_runs_leave_behind(self):
        for name in ("crash-" + "0123456789" * 4, "hbase.version", ".bennu.clock", "core.17"):
            self.assertTrue(check_text.LEFT_BEHIND.match(name), name)
        for name in ("crash.cc", "core_test.cc", "hbase.version.md", "crash-walk.md"):
            self.assertFalse(check_text.LEFT_BEHIND.match(name), name)


    def test_a_store_in_a_clone_is_its_owners(self):
        with tempfile.TemporaryDirectory() as root:
            def git(*arguments):
                subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
            git("init")
            for path in ("mydata/hbase.version", "mydata/hbase.id", "ignored/a.py", "new.py"):
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write("\ttab\n")
            with open(os.path.join(root, ".gitignore"), "w", encoding="utf-8") as file:
                file.write("/ignored/\n")
            (found,) = check_text.findings(root)
            self.assertIn("new.py:1: a tab", found)
            git("add", "mydata")
            self.assertEqual(len([line for line in check_text.findings(root)
                                  if "left behind" in line]), 2)


class DoxygenFilter(unittest.TestCase):
    def shown(self, *lines):
        return doxygen_filter.Filter("bennu/x.h", ["#ifndef X", *lines]).run()[1:]

    def test_comments_document_what_they_stand_at(self):
        self.assertEqual(
            self.shown("// A thing.", "struct Thing {", "  int size;  // in bytes,", "             // not rows",
                       "};"),
            ["/// A thing.", "struct Thing {", "  int size;  ///< in bytes,", "             ///< not rows",
             "};"])

    def test_the_first_comment_is_the_files(self):
        lines = ["// What it is.", "", "// A thing.", "int a;"]
        self.assertEqual(doxygen_filter.Filter("bennu/x.h", lines).run(),
                         ["/// @file bennu/x.h @brief What it is.", "", "/// A thing.", "int a;"])

    def test_a_comment_by_itself_documents_nothing(self):
        self.assertEqual(self.shown("// About all that follows.", "", "int a;"),
                         ["// About all that follows.", "", "int a;"])

    def test_groups_end_with_the_next_and_with_their_class(self):
        self.assertEqual(
            self.shown("class A {", "  // ---- reading", "  // In any order.", "", "  int a();",
                       "  // ---- writing", "  int b();", "};"),
            ["class A {", "  /** @name reading", "  In any order. */ /** @{ */", "", "  int a();",
             "  /** @} */ /** @name writing */ /** @{ */", "  int b();", "/** @} */ };"])

    def test_markup_is_text(self):
        self.assertEqual(self.shown("// Sets *out, a Result<T>; @ and \\x are bytes.", "int a;"),
                         ["/// Sets \\*out, a Result\\<T\\>; \\@ and \\\\x are bytes.", "int a;"])

    def test_layouts_stay_as_they_are(self):
        self.assertEqual(self.shown("// The layout:", "//", "//   <size> | *data", "int a;"),
                         ["/// The layout:", "///", "///       <size> | *data", "int a;"])

    def test_notes_for_other_tools_are_left_out(self):
        self.assertEqual(self.shown("A(int a);  // NOLINT(google-explicit-constructor)",
                                    "A(long a);  // NOLINT; counts"),
                         ["A(int a);", "A(long a);  ///< counts"])


if __name__ == "__main__":
    unittest.main()
