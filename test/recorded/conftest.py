"""The published network and the recorded runs of the original program: never in the repository.

Where they are absent the tests are skipped, with that reason. GALLOP_SHARED_DATA names their folder;
the default is ../shared/data beside the checkout. GALLOP_COMMAND is the gallop command under test.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("GALLOP_SHARED_DATA", ROOT.parent / "shared" / "data"))
COMMAND = os.environ.get("GALLOP_COMMAND", str(ROOT / "build" / "dev" / "cli" / "gallop"))


def gallop(*arguments: object) -> str:
    """Runs the command and returns what it printed; a failure shows its words."""
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published folder of fifty sets."""
    maker = DATA / "holden" / "make_folder.py"
    if not maker.exists():
        pytest.skip(f"no published weights at {DATA}")
    folder = tmp_path_factory.mktemp("published")
    subprocess.run([sys.executable, str(maker), str(folder)], check=True)
    return folder


class Models:
    """Imports of the published folder, each made once."""

    def __init__(self, published: Path, folder: Path) -> None:
        self.published, self.folder = published, folder

    def get(self, mode: str) -> Path:
        """Mode: as recorded (`cubic` is the original's own shortcut), or `recovered`."""
        path = self.folder / f"{mode}.gallop"
        options = {"cubic": ["--samples", "0,12,25,37"], "recovered": [], "linear": ["--gate", "linear"],
                   "constant": ["--gate", "constant"]}[mode]
        if not path.exists():
            gallop("import", self.published, "-o", path, "--skeleton", DATA / "holden", *options)
        return path


@pytest.fixture(scope="session")
def models(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Models:
    return Models(published, tmp_path_factory.mktemp("models"))


class Run:
    """One recorded run."""

    def __init__(self, name: str) -> None:
        path = DATA / "runs" / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"no recorded run at {path}")
        self.data = np.load(path)
        self.frames = len(self.data["axes"])

    def __getitem__(self, key: str) -> np.ndarray:
        return self.data[key]


@pytest.fixture
def recorded():
    return Run
