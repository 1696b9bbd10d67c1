"""Makes anew what hangs on the bits of poses or of shipped models, in one command.

    ninja -C build/dev cli/gallop test/bits/poses test/fuzz_seeds
    python3 test/bits/renew.py [BUILD] [CARD ...]       # BUILD: build/dev; CARD: walker, runner, dog

- test/bits/golden_poses.txt, ten minutes of the crowd, and its last line in docs/numerics.md;
- the snapshots and recordings in fuzz/corpus, which have the walker's bits;
- the judge's tables in the cards that are named, 60 s a script (a minute each).

What a card says in words, and its bars, are looked at by hand.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAST = re.compile(r"^600 s [0-9a-f]{16}$", re.MULTILINE)
TABLE = re.compile(r"(?<=```\n)\w+: \d+ scripts of 60 s .*?(?=```)", re.DOTALL)


def renew_poses(build: Path) -> None:
    """The golden poses, and the page that has the last of their hashes."""
    lines = subprocess.run([build / "test/bits/poses", ROOT / "models"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    (ROOT / "test/bits/golden_poses.txt").write_text(lines)
    page = ROOT / "docs/numerics.md"
    text, found = LAST.subn(lines.strip().split("\n")[-1].strip(), page.read_text())
    if found != 1:
        raise ValueError(f"{page}: {found} lines with the last hash, 1 expected")
    if text != page.read_text():
        page.write_text(text)
        print(f"{page}: other poses. Run the builds that its table names, and date it.")


def renew_seeds(build: Path) -> None:
    """The corpus's snapshots and recordings of walkers."""
    with tempfile.TemporaryDirectory() as folder:
        for place in (ROOT / "fuzz/corpus").iterdir():
            (Path(folder) / place.name).mkdir()
        subprocess.run([build / "test/fuzz_seeds", folder], check=True)
        for kind in ("snapshot", "record"):
            for file in (Path(folder) / kind).iterdir():
                shutil.copy(file, ROOT / "fuzz/corpus" / kind / file.name)


def renew_card(build: Path, name: str) -> None:
    """The tables of a model's card."""
    model, card = ROOT / "models" / f"{name}.gallop", ROOT / "models" / f"{name}.md"
    said = subprocess.run([build / "cli/gallop", "judge", model], check=False,
                          stdout=subprocess.PIPE, text=True).stdout
    end = re.search(r"^finite: \w+, \d+ set back", said, re.MULTILINE)
    if not end:
        raise ValueError(f"{model}: not judged")
    text, found = TABLE.subn(lambda _: said[: end.end()] + "\n", card.read_text())
    if found != 1:
        raise ValueError(f"{card}: {found} tables of the judge, 1 expected")
    card.write_text(text)


def main() -> None:
    """Renew all that is asked for."""
    words = sys.argv[1:]
    build = Path(words.pop(0)).resolve() if words and "/" in words[0] else ROOT / "build/dev"
    renew_poses(build)
    renew_seeds(build)
    for name in words:
        renew_card(build, name)


if __name__ == "__main__":
    main()
