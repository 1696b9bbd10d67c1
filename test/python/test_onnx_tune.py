"""From ranges of a size to code that picks by it: `gallop tune` and `compile` with --sizes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from onnx_c import COMMAND, CompiledModel

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.skipif(
    not COMMAND.exists() or not shutil.which("cc"),
    reason="no gallop command (name it in GALLOP_COMMAND), or no C compiler",
)
RANGES = "length=1..8+9..64"
COLUMNS = 256


def product(place: Path) -> tuple[Path, np.ndarray]:
    """A model of one product: x[length, 64] times weights, and these."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.random.default_rng(3).normal(size=(64, COLUMNS)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "dense")],
        "g",
        [helper.make_tensor_value_info("x", kind, ["length", 64])],
        [helper.make_tensor_value_info("y", kind, ["length", COLUMNS])],
        [helper.make_tensor("w", kind, weights.shape, weights.tobytes(), raw=True)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (place / "m.onnx").write_bytes(model.SerializeToString())
    return place / "m.onnx", weights


def run(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def compiled(path: Path, folder: Path, *told: str | Path) -> CompiledModel:
    folder.mkdir()
    return CompiledModel(path, folder, sizes=RANGES, told=tuple(map(str, told)))


def check(model: CompiledModel, beside: CompiledModel, weights: np.ndarray) -> None:
    for length in (1, 2, 8, 9, 23, 64):
        x = np.random.default_rng(length).normal(size=(length, 64)).astype(np.float32)
        (got,), (expected,) = model([x], {"length": length}), beside([x], {"length": length})
        assert got.tobytes() == expected.tobytes(), f"length {length}: a schedule changes no bit"
        np.testing.assert_allclose(got, x @ weights, rtol=1e-4, atol=1e-4)


def test_each_range_is_tuned_and_picked(tmp_path: Path) -> None:
    path, weights = product(tmp_path)
    log = tmp_path / "log.jsonl"
    said = run("tune", path, "--sizes", RANGES, "--minutes", "0.01", "--log", log)
    tuned = re.findall(rf"^MatMul (\d+) x {COLUMNS}, sums of 64", said, re.MULTILINE)
    assert sorted(map(int, tuned)) == [1, 24], "each range has its search, at a size within"
    said = run("compile", path, "--sizes", RANGES, "--log", log, "-o", tmp_path / "said")
    served = re.search(r"^(\d) of 2 groups with sums in tiles by schedules of", said, re.MULTILINE)
    assert served and int(served.group(1)) > 0, said
    by_log = compiled(path, tmp_path / "log", "--log", log)
    assert "if (size_length >= 1 && size_length <= 8)" in (tmp_path / "log/model.c").read_text()
    check(by_log, compiled(path, tmp_path / "rules"), weights)
    said = run("compile", path, "--sizes", "length=1..64", "--log", log, "-o", tmp_path / "other")
    assert "0 of 1 groups" in said, "of other ranges nothing was measured"


@pytest.mark.parametrize(("small", "served"), [("4", 2), ("2", 1)])
def test_versions_share_their_constants(small: str, served: int, tmp_path: Path) -> None:
    """Panels are those of the range with the most steps; a record that wants others is not used."""
    path, weights = product(tmp_path)
    log = tmp_path / "log.jsonl"
    run("tune", path, "--sizes", RANGES, "--way", "hand", "--minutes", "0.01", "--log", log)
    records = {}
    for line in log.read_text().splitlines():
        record = json.loads(line)
        records[record["group"]] = record
    assert len(records) == 2
    for group, record in records.items():
        panel = small if group.startswith("MatMul 1 ") else "4"
        record |= {"schedule": f"vectorize i1 16; split i1 {panel}; split i0 3", "ratio": 0.1}
        if (lanes := re.search(r"vectorize i1 (\d+)", log.read_text())) is not None:
            record["schedule"] = record["schedule"].replace("i1 16", f"i1 {lanes.group(1)}")
    log.write_text("".join(json.dumps(record) + "\n" for record in records.values()))
    said = run("compile", path, "--sizes", RANGES, "--log", log, "-o", tmp_path / "said")
    assert f"{served} of 2 groups with sums in tiles by schedules of" in said
    by_log = compiled(path, tmp_path / "log", "--log", log)
    check(by_log, compiled(path, tmp_path / "rules"), weights)
