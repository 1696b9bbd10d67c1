"""The judge: `gallop judge` runs a model file in the runtime and measures what it does.

Training has no judge of its own: what counts is what the runtime does with the file.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path


def command(named: Path | None) -> str:
    """The gallop command: as named, or as found on the path or built in the checkout."""
    build = Path(__file__).resolve().parents[2] / "build"
    built = [build / preset / "cli" / "gallop" for preset in ("release", "dev")]
    here = next((p for p in built if p.exists()), built[0])
    found = str(named or shutil.which("gallop") or here)
    found = str(Path(found).absolute()) if Path(found).exists() else found
    if not shutil.which(found):
        raise ValueError(f"{found}: no gallop command, which judges; `./run gallop` builds it, "
                         "--judge names one")
    return found


def is_there(named: Path | None) -> bool:
    """Whether there is that command."""
    try:
        command(named)
    except ValueError:
        return False
    return True


def check_bars(gallop: str, bars: Path) -> None:
    """Whether the command can read a file of bars: it does so before it looks for the model."""
    with tempfile.TemporaryDirectory() as folder:
        nobody = Path(folder) / "nobody.gallop"
        done = subprocess.run([gallop, "judge", str(nobody), "--bars", str(bars)],
                              capture_output=True, text=True, check=False)
    said = done.stderr.strip()
    if str(nobody) not in said:
        raise ValueError(said or f"{gallop} judge --bars {bars}: status {done.returncode}")


def _run(gallop: str, model: Path, seconds: float, *options: str) -> str:
    """What the command says; that bars are missed (status 1) is no error. ^C is not its own: who
    trains meanwhile decides what to do about it."""
    done = subprocess.run([gallop, "judge", str(model), "--seconds", f"{seconds:g}", *options],
                          capture_output=True, text=True, check=False,
                          start_new_session=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise ValueError(f"gallop judge {model}: {done.stderr.strip()}")
    return done.stdout


def figures(gallop: str, model: Path, seconds: float, bars: Path | None = None,
            threads: int | None = None) -> dict:
    """The figures of a model file, as the command's JSON has them; `bars` are its own. It takes
    all cores, or so many threads."""
    own = ("--bars", str(bars)) if bars else ()
    some = ("--threads", str(threads)) if threads else ()
    return json.loads(_run(gallop, model, seconds, "--json", *own, *some))


def table(gallop: str, model: Path, seconds: float = 60) -> str:
    """The figures as the command's tables."""
    return _run(gallop, model, seconds)
