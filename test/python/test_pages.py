"""The Python in the pages and samples runs as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gallop import library

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    try:
        library.load()
    except OSError as e:
        pytest.skip(str(e))
    (tmp_path / "models").mkdir()
    shutil.copy(ROOT / "models/walker.gallop", tmp_path / "models")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_a_page(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M))
    assert "gallop" in code
    if "safetensors" in code:
        pytest.importorskip("safetensors", reason="safetensors is not installed")
    exec(compile(code, page, "exec"), {})


def test_the_sample():
    sample = [sys.executable, ROOT / "samples/crowd.py", "models/walker.gallop"]
    done = subprocess.run(sample, text=True, capture_output=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    speeds = [float(line.split()[0]) for line in done.stdout.splitlines()]
    assert len(speeds) == 8 and speeds[0] > 50 and speeds[-1] > 1.3 * speeds[0]
