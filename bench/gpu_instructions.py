"""Instructions of a device's kernels, out of what its driver made (bench_gpu_operators DEVICE FOLDER).

    python bench/gpu_instructions.py FOLDER

PTX is counted as it stands: all instructions of the kernel that does the work, those on whole numbers, divisions, and
multiplications that keep the upper half, which a division by a constant becomes. Of PoCL's binaries the machine code is
disassembled by objdump, and all of the kernel's instructions are counted.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

WORK = ("tile", "product", "stage")
WHOLE = re.compile(r"\.[subp](8|16|32|64)\b|\.pred")
OTHER = re.compile(r"(ld|st|mov|bra|bar|ret|tex|suld|cvta)\b")


def ptx_kernel(text: str) -> list[str]:
    """The opcodes of the first kernel that is one of WORK."""
    for stem in WORK:
        start = text.find(f".entry {stem}")
        if start >= 0:
            body = text[start : text.index("\n}", start)]
            lines = [
                line.split()
                for line in body.splitlines()
                if line.rstrip().endswith(";")
            ]
            return [
                words[1 if words[0].startswith("@") else 0]
                for words in lines
                if len(words) > 1
            ]
    return []


def count_ptx(text: str) -> str:
    opcodes = ptx_kernel(text)
    whole = [o for o in opcodes if WHOLE.search(o) and not OTHER.match(o)]
    divisions = [o for o in opcodes if re.match(r"(div|rem)\.[us]", o)]
    high = [o for o in opcodes if re.match(r"mul\.hi|(mul|mad)\.wide", o)]
    multiply_adds = [o for o in opcodes if o.startswith("fma")]
    return (
        f"{len(opcodes)} instructions, {len(whole)} on whole numbers, {len(divisions)} divisions, "
        f"{len(high)} high products; {len(multiply_adds)} multiply-adds"
    )


def count_machine_code(code: bytes) -> str:
    """Of PoCL: the ELF files in its binary, one for each kernel."""
    best: dict[str, list[str]] = {}
    for match in re.finditer(b"\x7fELF", code):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(code[match.start() :])
            file.flush()
            out = subprocess.run(
                ["objdump", "-d", file.name],
                capture_output=True,
                text=True,
                check=False,
            ).stdout
        opcodes: list[str] = []
        name = ""
        for line in out.splitlines():
            head = re.match(r"[0-9a-f]+ <(.+)>:", line)
            if head:
                name = head.group(1)
            parts = line.split("\t")
            if name.startswith("_pocl_kernel_") and len(parts) > 2:
                opcodes.append(parts[2].split()[0])
        best[name or str(match.start())] = opcodes
    opcodes = max(best.values(), key=len, default=[])
    divisions = [o for o in opcodes if o.startswith(("div", "idiv"))]
    products = [
        o
        for o in opcodes
        if o.startswith(("imul", "mul")) and not o.endswith(("ss", "ps"))
    ]
    return f"{len(opcodes)} instructions, {len(divisions)} divisions, {len(products)} products of whole numbers"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    for path in sorted(Path(sys.argv[1]).glob("*.bin")):
        code = path.read_bytes()
        text = code.decode("ascii", "replace")
        print(
            f"{path.stem:32} {count_ptx(text) if '.entry ' in text else count_machine_code(code)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
