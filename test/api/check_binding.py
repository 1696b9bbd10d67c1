"""Checks that python/gallop/library.py says what the public headers say: sizes and offsets of every struct
by the compiler, names and counts of arguments by the declarations' text, enumerations by their order.

    python3 test/api/check_binding.py CC

Standard library alone. Prints each mistake and ends with status 1 if there is any.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def load_binding() -> ModuleType:
    """library.py without the package around it, which needs numpy."""
    spec = importlib.util.spec_from_file_location("library", ROOT / "python/gallop/library.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assertions(struct: type[ctypes.Structure]) -> list[str]:
    name = struct.__name__
    lines = [f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "size of {name}");']
    for field, *_ in struct._fields_:
        place = getattr(struct, field)
        lines.append(f'_Static_assert(offsetof({name}, {field}) == {place.offset} && '
                     f'sizeof(((const {name} *)0)->{field}) == {place.size}, "{name}.{field}");')
    return lines


def check_structs(binding: ModuleType, cc: str) -> list[str]:
    source = "\n".join(["#include <gallop/crowd.h>", *(a for s in binding.STRUCTS for a in assertions(s))])
    done = subprocess.run([cc, "-std=c11", f"-I{ROOT}/include", "-fsyntax-only", "-x", "c", "-"], input=source,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return []
    found = re.findall(r'error: .*?(size of gal_\w+|gal_\w+\.\w+)"?$', done.stderr, flags=re.M)
    return [f"not as in the headers: {what}" for what in found] or [done.stderr]


def headers() -> str:
    texts = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "include/gallop").glob("*.h"))]
    return re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.S)


def check_functions(binding: ModuleType, text: str) -> list[str]:
    declared = {}
    for name, arguments in re.findall(r"GAL_API[^;(]*?(gal_\w+)\(([^;]*)\);", text):
        declared[name] = 0 if arguments.strip() == "void" else arguments.count(",") + 1
    wrong = []
    for name, (_, arguments) in binding.FUNCTIONS.items():
        if declared.get(name) != len(arguments):
            wrong.append(f"{name}: {len(arguments)} arguments, the headers say {declared.get(name)}")
    return wrong


def check_enumerations(binding: ModuleType, text: str) -> list[str]:
    """As many names as values, each the value's own: GAL_ISA_NEON_A55 is "neon-a55"."""
    wrong = []
    lists = {"gal_isa": binding.ISAS, "gal_form": binding.FORMS, "gal_precision": binding.PRECISIONS,
             "gal_gate_kind": binding.GATES}
    for kind, names in lists.items():
        body = re.search(rf"typedef enum {kind} \{{([^}}]*)\}}", text).group(1)
        values = re.findall(r"GAL_[A-Z]+_(\w+)", body)[:-1]
        expected = tuple(value.lower().replace("_", "-") for value in values)
        if names != expected:
            wrong.append(f"{kind}: {names}, the headers say {expected}")
    statuses = re.findall(r"GAL_\w+", re.search(r"typedef enum gal_status \{([^}]*)\}", text).group(1))
    if statuses.index("GAL_NOT_FOUND") != binding.NOT_FOUND:
        wrong.append("NOT_FOUND is not GAL_NOT_FOUND")
    return wrong


def main() -> int:
    binding, text = load_binding(), headers()
    mistakes = check_structs(binding, sys.argv[1]) + check_functions(binding, text) + check_enumerations(binding, text)
    print("\n".join(mistakes) if mistakes else f"{len(binding.STRUCTS)} structs, {len(binding.FUNCTIONS)} functions")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
