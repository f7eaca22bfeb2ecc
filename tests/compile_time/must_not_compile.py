# Compiles a program twice: as it is it must compile, with MUST_NOT_COMPILE it must be refused.
# SPDX-License-Identifier: Apache-2.0
"""must_not_compile.py COMPILER FLAGS.rsp SOURCE

Each `// expect: words` line of the source must appear in what the compiler says of the refusal, so
that the program cannot fail for another reason than the one it is about.
"""
import re
import subprocess
import sys

compiler, flags, source = sys.argv[1:]
command = [compiler, "@" + flags, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source]
expected = re.findall(r"^// expect: (.+?)\s*$", open(source).read(), re.M)
faults = []

plain = subprocess.run(command, capture_output=True, text=True)
refused = subprocess.run(command + ["-DMUST_NOT_COMPILE"], capture_output=True, text=True)
if not expected:
    faults.append("has no `// expect: words` line")
if plain.returncode != 0:
    faults.append("does not compile without MUST_NOT_COMPILE:\n" + plain.stderr)
if refused.returncode == 0:
    faults.append("compiles with MUST_NOT_COMPILE")
else:
    for words in expected:
        if words not in refused.stderr:
            faults.append(f"was not refused with `{words}` but with:\n{refused.stderr}")
for fault in faults:
    print(f"{source}: {fault}")
sys.exit(bool(faults))
