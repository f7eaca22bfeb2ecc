# Measures what a program costs the compiler and compares it with a budget.
# SPDX-License-Identifier: Apache-2.0
"""budget.py lines|seconds BUDGET COMPILER FLAGS.rsp SOURCE"""
import os
import statistics
import subprocess
import sys
import tempfile

# The budgets in seconds are meant for a quiet machine of today; tests run on busy ones.
PATIENCE = 2.0


def preprocessed_lines(command, source):
    text = subprocess.run(command + ["-E", "-P", source], check=True, capture_output=True).stdout
    return text.count(b"\n")


def seconds(command, source):
    """Processor seconds of the compiler, the median of three: waiting for others does not count."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            before = os.times()
            subprocess.run(command + ["-c", source, "-o", os.path.join(folder, "out.o")], check=True)
            after = os.times()
            times.append(after.children_user + after.children_system
                         - before.children_user - before.children_system)
    return statistics.median(times)


what, budget, compiler, flags, source = sys.argv[1:]
command = [compiler, "@" + flags]
if what == "lines":
    measured, limit = preprocessed_lines(command, source), float(budget)
    print(f"{measured} preprocessed lines, budget {budget}")
else:
    measured, limit = seconds(command, source), PATIENCE * float(budget)
    print(f"{measured:.2f} s, budget {budget} s (fails above {limit:g} s)")
sys.exit(measured > limit)
