# Checks that the tools find what they should: planted faults, texts to accept, blocks of pages.
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OPENING = "// A file.\n// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"


def call(*command):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True)


class Layers(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "ARCHITECTURE.md").write_text("```layers\nbase:\nir: base\ntop: base\n```\n")
            for name, text in files.items():
                path = root / "include/autovec" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = call(ROOT / "tools/layers", root)
            lines = run.stdout.splitlines()
            self.assertEqual(run.returncode, 1 if len(lines) > 1 else 0, run.stderr)
            return lines[:-1]

    def one_fault(self, body, words, name="base/a.hpp", opening=OPENING):
        good = f"{OPENING}namespace autovec::inline v1 {{\n}}\n"
        faults = self.faults({"base/good.hpp": good, "ir/good.hpp": good, name: opening + body})
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def test_a_good_file_has_no_fault(self):
        body = '#include <vector>\n#include "autovec/base/b.hpp"\nnamespace autovec::inline v1 {\n' \
               "inline constexpr int x = 1;\ninline int f() { return x; }\n" \
               "inline bool operator==(int, int) { return y; }\ninline const int y = f();\nstatic_assert(x == 1);\n" \
               "struct S {\n  static int g();\n};\n}\n"
        other = OPENING + "namespace autovec::inline v1 {\n}\n"
        self.assertEqual(self.faults({"ir/a.hpp": OPENING + body, "base/b.hpp": other}), [])

    def test_each_rule_finds_its_fault(self):
        space = "namespace autovec::inline v1 {\n%s\n}\n"
        self.one_fault('#include "autovec/ir/good.hpp"\n', "base may not include ir")
        self.one_fault('#include "autovec/base/none.hpp"\n', "does not exist")
        self.one_fault('#include "good.hpp"\n', "our own headers")
        self.one_fault("#include <autovec/base/good.hpp>\n", "our own headers")
        self.one_fault("#include <Eigen/Core>\n", "exec/cpu/*-inl.hpp only")
        self.one_fault("#include <xsimd/xsimd.hpp>\n", "exec/cpu/*-inl.hpp only", "eigen.hpp")
        self.one_fault("#include <iostream>\n", "stays out")
        self.one_fault(space % "namespace {\n}", "anonymous namespace")
        self.one_fault(space % "static int f() { return 1; }", "no static function")
        self.one_fault(space % "inline int counter = 0;", "no mutable global")
        self.one_fault("#define AUTOVEC_X 1\n", "base/config.hpp only")
        self.one_fault(space % "inline void f() { std::abort(); }", "neither prints nor ends")
        self.one_fault(space % "// TO" "DO: later", "unfinished")
        self.one_fault("namespace autovec {\n}\n", "everything lives in")
        self.one_fault("", "no line in the layer table", "plan/a.hpp")
        self.one_fault("", "#pragma once", opening=OPENING.replace("#pragma once\n", ""))
        self.one_fault("", "must have the line", opening="// A file.\n#pragma once\n")
        self.one_fault("", "first line", opening=OPENING.replace("// A file.", "//"))
        self.one_fault(space % ("// " + 98 * "x"), "101 columns")
        self.one_fault(space % ("int x();\n" * 500), "over 500 lines")

    def test_includes_that_run_in_a_circle(self):
        a = OPENING + '#include "autovec/base/b.hpp"\n'
        b = OPENING + '#include "autovec/base/a.hpp"\n'
        faults = self.faults({"base/a.hpp": a, "base/b.hpp": b})
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("circle", faults[0])


class Accept(unittest.TestCase):
    def test_the_nearest_literal_with_the_expected_text_is_replaced(self):
        source = 'f(a, R"(old)");\n  g(b,\n    R"(old)");\nh(R"(other)");\n'
        with tempfile.TemporaryDirectory() as folder:
            path, records = Path(folder) / "x.cpp", Path(folder) / "accepted.jsonl"
            path.write_text(source)
            record = {"file": str(path), "line": 3, "expected": "old", "actual": "new\n  \"line\""}
            records.write_text(2 * (json.dumps(record) + "\n"))
            run = call(ROOT / "tools/accept", records)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertFalse(records.exists())
            self.assertEqual(path.read_text(), source.replace(
                '    R"(old)");', '    R"(\n        new\n          "line")");'))

    def test_a_text_that_is_not_there_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path, records = Path(folder) / "x.cpp", Path(folder) / "accepted.jsonl"
            path.write_text('f("old");\n')
            records.write_text(json.dumps({"file": str(path), "line": 1, "expected": "old", "actual": "n"}))
            self.assertEqual(call(ROOT / "tools/accept", records).returncode, 1)
            self.assertTrue(records.exists())


class Pages(unittest.TestCase):
    def test_blocks_become_programs(self):
        page = "```cpp\n#include <vector>\nint x = 1;\n```\nprints\n```text\n1\n...\n3\n```\n" \
               "```cpp\nint main() {}\n```\n```sh\nls\n```\n```text\nnot for it\n```\n" \
               "```cpp\n// file: model.hpp\nint f();\n```\n"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "p.md").write_text(page)
            run = call(ROOT / "tests/docs/extract.py", folder, folder / "p.md")
            self.assertEqual(run.stdout.split(), ["p_1", "p_2"], run.stderr)
            wrapped = (folder / "p_1.cpp").read_text()
            self.assertLess(wrapped.index("<vector>"), wrapped.index("int main"))
            self.assertEqual((folder / "p_1.txt").read_text(), "1\n...\n3\n")
            self.assertEqual((folder / "p_2.txt").read_text(), "")
            self.assertIn("int main() {}", (folder / "p_2.cpp").read_text())
            self.assertTrue((folder / "model.hpp").exists())

    def test_what_a_program_prints_is_compared(self):
        with tempfile.TemporaryDirectory() as name:
            program, text = Path(name) / "program", Path(name) / "text"
            text.write_text("1\n...\n3\n")
            for printed, status, good in (("1\n2\n2\n3", 0, True), ("1\n3 ", 0, True), ("1\n2", 0, False),
                                          ("1\n2\n3\n4", 0, False), ("1\n3", 1, False)):
                program.write_text(f"#!/bin/sh\nprintf '{printed}'\nexit {status}\n")
                program.chmod(0o755)
                run = call(ROOT / "tests/docs/compare.py", program, text)
                self.assertEqual(run.returncode == 0, good, printed)


class MustNotCompile(unittest.TestCase):
    def test_only_the_expected_refusal_counts(self):
        part = "#ifdef MUST_NOT_COMPILE\n%s\n#endif\n"
        refused = part % 'static_assert(false, "wrong count");'
        with tempfile.TemporaryDirectory() as name:
            source, flags = Path(name) / "x.cpp", Path(name) / "flags.rsp"
            flags.write_text("-std=c++20")
            for text, good in ((f"// expect: wrong count\n{refused}", True), (refused, False),
                               (f"// expect: other words\n{refused}", False),
                               (f"// expect: wrong count\n{part % ''}", False),
                               (f"// expect: wrong count\n{refused}int f() {{ return x; }}\n", False)):
                source.write_text(text)
                run = call(ROOT / "tests/compile_time/must_not_compile.py", "c++", flags, source)
                self.assertEqual(run.returncode == 0, good, run.stdout)


unittest.main()
