"""What `gallop inspect --shapes` says: which sizes follow from others, which only running tells."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onnx_c import COMMAND

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.skipif(
    not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND"
)


def inspect(place: Path, nodes: list, shape: list | None, *options: str) -> str:
    """Of a model of one input x, of that shape, and weights of 64 rows; its output is y."""
    helper, kind = onnx.helper, onnx.TensorProto
    weights = helper.make_tensor("w", kind.FLOAT, [64, 2], [0.5] * 128)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind.FLOAT, shape)],
        [helper.make_tensor_value_info("y", kind.FLOAT, None)],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (place / "m.onnx").write_bytes(model.SerializeToString())
    return subprocess.run(
        [COMMAND, "inspect", place / "m.onnx", "--shapes", *options],
        check=False,
        capture_output=True,
        text=True,
    ).stdout


def test_a_size_follows_from_weights(tmp_path: Path) -> None:
    said = inspect(
        tmp_path, [onnx.helper.make_node("MatMul", ["x", "w"], ["y"], "dense")], ["b", "k"]
    )
    assert "input   x  f32[b, 64]" in said
    assert 'k            is 64: node 0 "dense" (MatMul)' in said
    assert "shapes of 1 results: 0 numbers, 1 sizes of inputs" in said


def test_a_rank_follows_from_who_reads(tmp_path: Path) -> None:
    nodes = [
        onnx.helper.make_node("Relu", ["x"], ["r"]),
        onnx.helper.make_node("Gemm", ["r", "w"], ["y"]),
    ]
    assert "input   x  f32[size_1, 64]" in inspect(tmp_path, nodes, None)


def test_who_tells_a_size_is_named(tmp_path: Path) -> None:
    nodes = [
        onnx.helper.make_node("NonZero", ["x"], ["i"], "find"),
        onnx.helper.make_node("Cast", ["i"], ["y"], to=1),
    ]
    said = inspect(tmp_path, nodes, ["a", "b"])
    assert 'chosen_1     at most a*b; elements decide it: node 0 "find" (NonZero)' in said
    assert "2 told by running" in said


def test_what_is_asked_for_and_cannot_be_is_refused(tmp_path: Path) -> None:
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["y"], "dense")]
    inspect(tmp_path, nodes, ["b", "k"])
    done = subprocess.run(
        [COMMAND, "inspect", tmp_path / "m.onnx", "--sizes", "k=2..32"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert 'node 0 "dense" (MatMul): ' in done.stderr
    assert "never the same" in done.stderr or "not in 2..32" in done.stderr
