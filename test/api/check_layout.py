"""Checks a binding's structs against the public headers, by the C compiler.

    PROGRAM --layout | python3 test/api/check_layout.py CC

PROGRAM prints what its language has: `STRUCT SIZE`, and `STRUCT.FIELD OFFSET SIZE` for each field. Every line becomes
an assertion in C, and every struct of the headers whose first field is there must have all its fields there: one that
was added to a header is missed even where it fits into padding. Prints each mistake and ends with status 1 if there
is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def assertion(line: str) -> str:
    what, *numbers = line.split()
    if "." not in what:
        return f'_Static_assert(sizeof({what}) == {numbers[0]}, "{what}");'
    struct, field = what.split(".")
    return (f'_Static_assert(offsetof({struct}, {field}) == {numbers[0]} && '
            f'sizeof(((const {struct} *)0)->{field}) == {numbers[1]}, "{what}");')


def compiled(lines: list[str], cc: str) -> list[str]:
    source = "\n".join(["#include <gallop/crowd.h>", *map(assertion, lines)])
    done = subprocess.run([cc, "-std=c11", f"-I{ROOT}/include", "-fsyntax-only", "-x", "c", "-"], input=source,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return [f"not as in the headers: {line}" for line in re.findall(r"error: (.*)", done.stderr)]


def headers() -> dict[str, list[str]]:
    """Fields of every struct; a function pointer's name is in its first parentheses."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "include/gallop").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for name, body in re.findall(r"typedef struct (gal_\w+) \{(.*?)\n\} \1;", text, flags=re.S):
        fields = []
        for declaration in body.split(";"):
            pointer = re.match(r"\s*\w+ \(\*(\w+)\)", declaration)
            names = [pointer.group(1)] if pointer else re.findall(r"(\w+)(?:\[[^\]]*\])?\s*(?=,|$)", declaration.strip())
            fields += names
        found[name] = fields
    return found


def missing(lines: list[str]) -> list[str]:
    said = {line.split()[0] for line in lines}
    return [f"missing: {struct}.{field}" for struct, fields in headers().items() if struct in said
            for field in fields if f"{struct}.{field}" not in said]


def main() -> int:
    lines = [line.strip() for line in sys.stdin if line.strip()]
    mistakes = compiled(lines, sys.argv[1]) + missing(lines)
    if not lines:
        mistakes = ["no line on standard input"]
    print("\n".join(mistakes) if mistakes else f"{len(lines)} sizes and offsets as in C")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
