"""Writes functions of random instructions, one by one, as assembly: each loads registers from memory, computes, stores them.

    python3 random_blocks.py OPERATIONS.def SEED COUNT >blocks.s

What the packer makes of them must leave the same memory. r0 to r7 and v0 to v7 are numbers, r8 to r10 point into memory and are
moved on in steps, r12 points to its begin.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

SAMPLE = re.compile(r'^PACKER_OPERATION\("([^"]*)", "[^"]*", (\w+), "([^"]*)"\)$', re.M)
CONTROL = {"jump", "jump_register", "loop"}
MEMORY = {"load", "store", "vector_load", "vector_store", "vector_load_unaligned", "vector_store_unaligned"}


def some_register(rng: random.Random, found: re.Match[str]) -> str:
    letter, is_pair = found.group(1), found.group(3)
    number = rng.randrange(8 if letter in "rv" else 4)
    return f"{letter}{number | 1}:{(number | 1) - 1}" if is_pair else f"{letter}{number}"


def with_registers(rng: random.Random, text: str) -> str:
    return re.sub(r"\b([rvpq])(\d+)(:\d+)?", lambda found: some_register(rng, found), text)


def memory_instruction(rng: random.Random, word: str, unit: str) -> str:
    base = f"r{rng.randrange(8, 11)}"
    is_vector = unit.startswith("vector")
    offset = rng.randrange(-3, 4) * (1 if is_vector else 8)
    after = word in ("memw", "memd", "vmem", "vmemu") and rng.random() < 0.3
    address = f"{base}{'++' if after else '+'}#{offset}"
    value = with_registers(rng, "v0" if is_vector else "r1:0" if word == "memd" else "r0")
    guard = rng.choice(["", "", "", "if (p0) ", "if (!p1) "]) if not after and offset >= 0 else ""
    if "unaligned" in unit:
        guard = ""
    text = f"{word}({address}) = {value}" if "store" in unit else f"{value} = {word}({address})"
    return with_registers(rng, guard) + text


def instruction(rng: random.Random, samples: list[tuple[str, str, str]]) -> str:
    word, unit, text = rng.choice(samples)
    if rng.random() < 0.1:
        base = f"r{rng.randrange(8, 11)}"
        return f"{base} = add({base},#{rng.choice([8, -8, 128, -128, 16])})"
    if unit in MEMORY or rng.random() < 0.2:
        word, unit, _ = rng.choice([s for s in samples if s[1] in MEMORY])
        return memory_instruction(rng, word, unit)
    made = with_registers(rng, text)
    if "(#" in text and unit == "long_alu":  # its result is its operand
        made = re.sub(r"asl\(r\d", "asl(" + made.split(" ")[0], made)
    return made


def function(rng: random.Random, samples: list[tuple[str, str, str]], number: int) -> str:
    lines = ["r12 = r0", "r8 = add(r0,#4096)", "r9 = add(r0,#8192)", "r10 = add(r0,#8192)"]
    lines += [f"v{i} = vmem(r12+#{i})" for i in range(8)]
    lines += [f"r{i} = memw(r12+#{1024 + 4 * i})" for i in range(8)]
    lines += [f"p{i} = r{i}" for i in range(4)] + [f"q{i} = vand(v{i},r{i})" for i in range(4)]
    lines += [instruction(rng, samples) for _ in range(rng.randrange(8, 60))]
    lines += [f"vmem(r12+#{i}) = v{i}" for i in range(8)]
    lines += [f"memw(r12+#{1024 + 4 * i}) = r{i}" for i in range(11)]
    for i in range(4):
        lines += [f"r0 = p{i}", f"memw(r12+#{1088 + 4 * i}) = r0", f"v0 = vand(q{i},r0)", f"vmem(r12+#{i - 8}) = v0"]
    lines[-16:] = [line.replace("r12+#-", "r11+#-") for line in lines[-16:]]
    lines.insert(len(lines) - 16, "r11 = add(r12,#3072)")
    body = "".join(f"\t{line}\n" for line in [*lines, "jumpr r31"])
    return f"block_{number}:\n{body}\t.size block_{number}, .-block_{number}\n"


def main() -> None:
    samples = [(word, unit, text) for word, unit, text in SAMPLE.findall(Path(sys.argv[1]).read_text(encoding="utf-8"))
               if unit not in CONTROL]
    rng = random.Random(int(sys.argv[2]))
    count = int(sys.argv[3])
    print("\t.text")
    print("".join(function(rng, samples, i) for i in range(count)), end="")
    print("\t.section .rodata\n\t.p2align 2\n\t.globl random_blocks\nrandom_blocks:")
    print("".join(f"\t.word block_{i}\n" for i in range(count)) + "\t.word 0")


main()
