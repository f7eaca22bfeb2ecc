# Runs a program and compares what it prints with a text.
# SPDX-License-Identifier: Apache-2.0
"""compare.py PROGRAM TEXT: an empty text asks only that the program succeeds.

Blanks at line ends don't count; a line `...` in the text stands for any number of lines.
"""
import difflib
import re
import subprocess
import sys
from pathlib import Path

program, text = sys.argv[1:]
expected = [line.rstrip() for line in Path(text).read_text().rstrip().splitlines()]
run = subprocess.run([program], capture_output=True, text=True)
actual = [line.rstrip() for line in run.stdout.rstrip().splitlines()]
pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in expected)
if run.returncode != 0:
    sys.exit(f"exit status {run.returncode}\n{run.stdout}{run.stderr}")
if expected and not re.fullmatch(pattern, "".join(line + "\n" for line in actual)):
    sys.exit("\n".join(difflib.unified_diff(expected, actual, "the page", "the program", lineterm="")))
