"""Checks that the pages say what is so: links, tables made from lists in the source, commands, versions.

    python3 test/docs/check_docs.py [--command build/dev/cli/gallop] [--cc cc]

Standard library alone. Prints each mistake with its file and ends with status 1 if there is any.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"build", "out", "node_modules", ".git", ".venv", ".ruff_cache", ".pytest_cache"}
CHEAP = {  # lines of README and CONTRIBUTING that a test can afford to run; {gallop} is the command
    "./run gallop info models/walker.gallop": ["{gallop}", "info", "models/walker.gallop"],
    "./run gallop check models/walker.gallop": ["{gallop}", "check", "models/walker.gallop"],
    "./run gallop drive models/walker.gallop --input samples/walk_and_turn.csv -o out/poses.npy": [
        "{gallop}", "drive", "models/walker.gallop", "--input", "samples/walk_and_turn.csv", "-o", "{null}"],
}


def files(pattern: str) -> list[Path]:
    """Files of ours whose name is like that. What is not ours is not entered: builds and tests remove folders there meanwhile."""
    found = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in NOT_OURS]
        found += [Path(folder, name) for name in fnmatch.filter(names, pattern)]
    return sorted(found)


def pages() -> list[Path]:
    return files("*.md")


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links(page: Path, text: str) -> list[str]:
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or ROOT not in (target, *target.parents):
            wrong.append(f"no file for the link {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            wrong.append(f"no heading for the link {link}")
    return wrong


def check_words(text: str) -> list[str]:
    """No absolute paths of somebody's machine, and nothing left to be done."""
    wrong = [f"absolute path {m}" for m in re.findall(r"(?<![\w./:~-])/(?:home|root|work|tmp|Users|mnt)/\S*", text)]
    return wrong + [f"{m} left" for m in re.findall(r"\b(?:TODO|FIXME|XXX|TBD)\b|@[A-Z]+@", text)]


# ---- tables and their lists ----


def rules_of_source() -> list[tuple[str, ...]]:
    text = (ROOT / "src/contract/rules.def").read_text(encoding="utf-8")
    number = r"(-?[\d.]+)f?"
    found = re.findall(rf'^RULE\((\w+), {number}, {number}, {number}, "(.*)"\)$', text, flags=re.M)
    if len(found) != len(re.findall(r"^RULE\(", text, flags=re.M)):
        sys.exit("check_docs.py: cannot read every line of rules.def")
    return [(name, value, f"{least}..{most}", meaning) for name, value, least, most, meaning in found]


def check_rules() -> list[str]:
    text = (ROOT / "docs/controller.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (-?[\d.]+\.\.-?[\d.]+) \| (.+) \|$", text, flags=re.M)
    documented, source = [tuple(row) for row in rows], rules_of_source()
    wrong = [f"rules.def has {rule}, the table does not" for rule in source if rule not in documented]
    wrong += [f"the table has {rule}, rules.def does not" for rule in documented if rule not in source]
    if not wrong and documented != source:
        wrong.append("the table's order is not that of rules.def")
    prose = text.split("## The constants")[0]
    wrong += [f"no formula names the rule {name}" for name, *_ in source if not named(name, prose)]
    return wrong


def named(rule: str, prose: str) -> bool:
    """Whether the prose has the rule; `_responsive` and `_strafe` ones are said of their stem."""
    return re.sub(r"(_responsive)?(_strafe)?$", "", rule) in prose


def blocks_of_source() -> dict[str, set[str]]:
    text = (ROOT / "src/contract/blocks.def").read_text(encoding="utf-8")
    sides: dict[str, set[str]] = {"INPUT": set(), "OUTPUT": set()}
    for name, side in re.findall(r'^BLOCK\(\w+, "([^"]+)", (INPUT|OUTPUT),', text, flags=re.M):
        sides[side].add(name)
    return sides


def blocks_of_row(cell: str) -> list[str]:
    """Names in a table's first cell: arguments (capitals) dropped, `.z` short for the last name's sister."""
    names: list[str] = []
    for word in re.findall(r"`([^`]+)`", cell):
        name = re.sub(r"( [A-Z]+)+$", "", word)
        names.append(names[-1].rsplit(".", 1)[0] + name if name.startswith(".") else name)
    return names


def check_blocks() -> list[str]:
    text = (ROOT / "docs/format.md").read_text(encoding="utf-8")
    wrong = []
    for side, heading in (("INPUT", "Input blocks"), ("OUTPUT", "Output blocks")):
        part = text[text.index(f"\n{heading}"):]
        table = re.search(r"(?:^\|.*\n)+", part, flags=re.M)
        rows = table.group(0).splitlines()[2:] if table else []
        documented = {name for row in rows for name in blocks_of_row(row.split("|")[1])}
        source = blocks_of_source()[side]
        wrong += [f"{heading}: {name} is in blocks.def alone" for name in sorted(source - documented)]
        wrong += [f"{heading}: {name} is in the table alone" for name in sorted(documented - source)]
    return wrong


def check_layers() -> list[str]:
    """The tables of kinds and activations are their lists: numbers, names, formulas."""
    text = (ROOT / "docs/format.md").read_text(encoding="utf-8")
    wrong = []
    for path, macro in (("src/network/layers.def", "LAYER"), ("src/kernels/activations.def", "(?:ROW_)?ACTIVATION")):
        source = (ROOT / path).read_text(encoding="utf-8")
        for number, (name, formula) in enumerate(re.findall(rf'^{macro}\(\w+, (\w+),.*"([^"]+)"\)$', source, flags=re.M)):
            shown = f" | `{formula}` |" if "ACTIVATION" in macro else ""
            if not re.search(rf"^\| {number} \| `{name}`.*{re.escape(shown)}", text, flags=re.M):
                wrong.append(f"{path}: no row | {number} | `{name}`{shown}")
    return wrong


def check_compiler() -> list[str]:
    """The compiler's tables are its lists: targets, passes."""
    text = (ROOT / "docs/compiler.md").read_text(encoding="utf-8")
    wrong = []
    for path, pattern, row in (
        ("targets.def", r'^TARGET\("([^"]+)"', "| `{0}` |"),
        ("pass/passes.def", r"^PASS\((\w+),", "| `{0}` |"),
    ):
        source = (ROOT / "src/compiler" / path).read_text(encoding="utf-8")
        for found in re.findall(pattern, source, flags=re.S | re.M):
            wanted = row.format(*([found] if isinstance(found, str) else found))
            wrong += [] if wanted in text else [f"{path}: no row with {wanted}"]
    return wrong


# ---- the version ----

# Where else the version of include/gallop/base.h stands: which files, and the line.
VERSIONED = (
    ("__init__.py", r'^__version__ = "([^"]+)"'),
    ("package.json", r'^\s*"version": "([^"]+)"'),
    ("Cargo.toml", r'^version = "([^"]+)"'),
    ("*.uplugin", r'^\s*"VersionName": "([^"]+)"'),
    ("plugin.cfg", r'^version="([^"]+)"'),
)


def check_version() -> list[str]:
    header = (ROOT / "include/gallop/base.h").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"^#define GAL_VERSION_\w+ (\d+)$", header, flags=re.M))
    wrong = []
    for name, pattern in VERSIONED:
        for path in files(name):
            found = re.search(pattern, path.read_text(encoding="utf-8"), flags=re.M)
            if found and found.group(1) != version:
                wrong.append(f"{path.relative_to(ROOT)}: version {found.group(1)}, base.h says {version}")
    return wrong


# ---- commands ----


def commands_of_run() -> set[str]:
    """What any command says when it is asked for help, in place of its work."""
    usage = subprocess.run(["./run", "docs", "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  (\w+)", usage, flags=re.M))


def commands_of_gallop(command: str) -> set[str]:
    usage = subprocess.run([command, "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  (\w+) ", usage, flags=re.M))


def shell_lines(text: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M)
    return [re.sub(r"\s+#.*", "", line).strip() for block in blocks for line in block.splitlines() if line.strip()]


def check_line(line: str, run: set[str], gallop: set[str] | None) -> list[str]:
    words = line.split()
    if words[0] == "./run":
        if len(words) > 1 and words[1] not in run:
            return [f"no such command: {line}"]
        words = words[1:] if words[1:2] == ["gallop"] else []
    elif not re.fullmatch(r"build/\S*gallop|gallop", words[0]):
        return []
    known = not words[1:] or words[1].startswith("-") or gallop is None or words[1] in gallop
    return [] if known else [f"no such command: {line}"]


def run_cheap(line: str, command: str) -> list[str]:
    done = subprocess.run([w.format(gallop=command, null=os.devnull) for w in CHEAP[line]], cwd=ROOT,
                          capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{line}: exit status {done.returncode}: {done.stderr.strip()}"]


def check_commands(text: str, run: set[str], command: str | None) -> list[str]:
    gallop = commands_of_gallop(command) if command else None
    wrong = []
    for line in shell_lines(text):
        wrong += check_line(line, run, gallop)
        if command and line in CHEAP:
            wrong += run_cheap(line, command)
    return wrong


# ---- code ----


def program_of(code: str) -> str:
    """A page's C as a program: its includes, then all else as the body of main."""
    lines = code.splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if line not in includes]
    return "\n".join([*includes, "int main(void) {", *body, "return 0;", "}"])


def check_readme(cc: str, flags: list[str]) -> list[str]:
    """README's first program walks in the checkout, and elsewhere says that the model is not there."""
    code = re.search(r"^```c\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S | re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run([cc, "-std=c11", "-Iinclude", "-x", "c", "-", "-x", "none", *flags, "-lm", "-o", f"{folder}/it"],
                               input=program_of(code), cwd=ROOT, capture_output=True, text=True)
        if built.returncode != 0:
            return [f"README.md: its program does not link: {built.stderr.strip()}"]
        here, there = (subprocess.run([f"{folder}/it"], cwd=place, capture_output=True, text=True) for place in (ROOT, folder))
    wrong = [] if here.returncode == 0 else [f"README.md: its program ends with {here.returncode}: {here.stderr.strip()}"]
    if there.returncode != 1 or there.stderr != "models/walker.gallop: No such file or directory\n":
        wrong.append(f"README.md: its program without the model ends with {there.returncode}: {there.stderr.strip()}")
    return wrong


def check_code(text: str, cc: str) -> list[str]:
    """C in a page compiles: its includes, then all else as a function's body."""
    wrong = []
    for code in re.findall(r"^```c\n(.*?)^```", text, flags=re.S | re.M):
        source = program_of(code)
        done = subprocess.run([cc, "-std=c11", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror", "-fsyntax-only",
                               "-Iinclude", "-x", "c", "-"], input=source, cwd=ROOT, capture_output=True, text=True)
        wrong += [] if done.returncode == 0 else [f"C that does not compile: {done.stderr.strip()}"]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", help="the gallop command; without it its commands are not checked")
    parser.add_argument("--cc", help="a C compiler; without it code is not checked")
    parser.add_argument("--link", help="what README's program is linked with: the library, flags; without it it is not run")
    options = parser.parse_args()
    command = str(Path(options.command).resolve()) if options.command else None
    mistakes = [f"docs/controller.md: {w}" for w in check_rules()]
    mistakes += [f"docs/format.md: {w}" for w in check_blocks() + check_layers()]
    mistakes += [f"docs/compiler.md: {w}" for w in check_compiler()]
    mistakes += check_version()
    mistakes += check_readme(options.cc, options.link.split()) if options.cc and options.link else []
    run = commands_of_run()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        wrong = check_links(page, text) + check_words(text) + check_commands(text, run, command)
        wrong += check_code(text, options.cc) if options.cc else []
        mistakes += [f"{page.relative_to(ROOT)}: {w}" for w in wrong]
    print("\n".join(mistakes) if mistakes else f"{len(pages())} pages, nothing wrong")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
