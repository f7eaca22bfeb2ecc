# Takes the C++ programs, and what they should print, out of Markdown pages.
# SPDX-License-Identifier: Apache-2.0
"""extract.py FOLDER PAGE...: writes PAGE_N.cpp and PAGE_N.txt into FOLDER, prints each PAGE_N.

Each ```cpp block is a program. Without a `main` it becomes the body of one, with its #include lines
before, and autovec and <iostream> included; `av` names the library. A ```text block that follows a
program with no other block between is what it prints. A block whose first line is `// file: name`
is no program but a file that the page's other blocks can include.
"""
import re
import sys
from pathlib import Path

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.M | re.S)


def program(block, page, line):
    if re.search(r"\bint main\(", block):
        return f'#line {line} "{page}"\n{block}'
    includes = [text for text in block.splitlines() if text.startswith("#include")]
    body = "\n".join("" if text.startswith("#include") else text for text in block.splitlines())
    body = body.replace("namespace av = autovec;", "")
    head = "\n".join(["#include <autovec/autovec.hpp>", "#include <iostream>"] + includes)
    return f'{head}\nnamespace av = autovec;\nint main() {{\n#line {line} "{page}"\n{body}\n}}\n'


def write(path, text):
    """Leaves a file that is right already untouched, so that nothing is built again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def extract(page, folder):
    name, count, awaits_output = page.stem.lower().replace("-", "_"), 0, None
    text = page.read_text()
    for fence in FENCE.finditer(text):
        language, block = fence.group(1).strip(), fence.group(2)
        line = text.count("\n", 0, fence.start()) + 2
        if language == "cpp":
            file = re.match(r"// file: (\S+)\n", block)
            if file:
                write(folder / file.group(1), block)
                awaits_output = None
                continue
            count += 1
            awaits_output = f"{name}_{count}"
            write(folder / f"{awaits_output}.cpp", program(block, page.name, line))
            write(folder / f"{awaits_output}.txt", "")
            print(awaits_output)
        elif language == "text" and awaits_output:
            write(folder / f"{awaits_output}.txt", block)
            awaits_output = None
        elif language in ("c++", "C++", "cxx"):
            sys.exit(f"{page}:{line - 1}: C++ blocks are marked ```cpp, and are run")
        else:
            awaits_output = None


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for page in sys.argv[2:]:
    extract(Path(page), folder)
