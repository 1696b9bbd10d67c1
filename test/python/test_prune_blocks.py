"""Sparse layers: their place in files, and leaving patches out of a model."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gallop import modelfile, patches
from gallop.modelfile import Layer, ModelError
from gallop.prune import blocks
from gallop.prune.__main__ import main
from gallop.prune.frames import Frames


def sparse_layer(type="f32", n=37, k=21, experts=2, seed=3):
    host = np.random.default_rng(seed)
    mask = host.random(patches.counts(n, k)) < 0.5
    weights = host.normal(size=(experts, n, k)).astype(np.float32)
    weights *= patches.spread(mask, n, k)
    bias = host.normal(size=(experts, n)).astype(np.float32)
    return Layer(weights, bias, "elu", type, "sparse", mask=mask)


def model_of(layers, inputs, gate="linear", experts=2):
    one, n = np.ones(inputs, np.float32), layers[-1].outputs
    return modelfile.Model(layers, gate, experts, 0 * one, one, np.zeros(n, np.float32),
                           np.ones(n, np.float32), np.zeros(inputs, np.uint32), 0 * one)


@pytest.mark.parametrize("type", ["f32", "f16", "bf16"])
def test_round_trip(type):
    model = model_of([sparse_layer(type)], 21)
    data = modelfile.encode(model)
    back = modelfile.decode(data)
    assert modelfile.encode(back) == data
    assert (back.layers[0].mask == model.layers[0].mask).all()
    x, phase = np.random.default_rng(1).normal(size=(5, 21)), np.linspace(0, 6, 5)[:, None]
    dense = modelfile.decode(data)
    dense.layers[0].kind = "dense"
    assert (modelfile.run(back, x, phase) == modelfile.run(dense, x, phase)).all()


def test_what_does_not_fit_its_mask_is_refused():
    layer = sparse_layer()
    layer.weights[:] = 1
    with pytest.raises(ModelError, match="outside of the mask"):
        modelfile.encode(model_of([layer], 21))
    layer.mask = None
    with pytest.raises(ModelError, match="without a mask"):
        modelfile.encode(model_of([layer], 21))


def test_a_wrong_mask_is_refused():
    data = bytearray(modelfile.encode(model_of([sparse_layer()], 21)))
    with pytest.raises(ValueError, match="counts of the mask"):
        patches.decode_mask(lambda dtype, *shape: np.ones(shape, dtype), 37, 21)
    assert data


def test_what_stays_is_solved_anew():
    """Inputs of few dimensions leave something to make up with: solving is better than zeros."""
    host = np.random.default_rng(5)
    k, n, frames = 64, 48, 800
    dense = Layer(host.normal(size=(2, n, k)).astype("f4"), host.normal(size=(2, n)).astype("f4"))
    model = model_of([dense], k)
    x = host.normal(size=(frames, 12)) @ host.normal(size=(12, k))
    some = Frames(x, host.uniform(0, 6, (frames, 1)))
    out = blocks.pruned(model, some, 0.5, 1e-6, quiet=True)
    mask = out.layers[0].mask
    assert out.layers[0].kind == "sparse" and mask.mean() == 0.5
    cut = model_of([Layer(dense.weights * patches.spread(mask, n, k), dense.bias)], k)
    assert blocks.error(model, out, some) < 0.02 * blocks.error(model, cut, some)
    assert modelfile.encode(modelfile.decode(modelfile.encode(out)))


@pytest.fixture
def folder(tmp_path):
    """A dense model of 64 inputs, and frames for it."""
    host = np.random.default_rng(7)
    dense = Layer(host.normal(size=(2, 48, 64)).astype("f4"), np.zeros((2, 48), "f4"), type="f16")
    modelfile.write(model_of([dense], 64), tmp_path / "dense.gallop")
    narrow = Layer(host.normal(size=(2, 48, 16)).astype("f4"), np.zeros((2, 48), "f4"))
    modelfile.write(model_of([narrow], 16), tmp_path / "narrow.gallop")
    x, given = host.normal(size=(300, 64)), host.uniform(0, 6, 300)
    np.savez(tmp_path / "frames.npz", x=x, given=given)
    np.savez(tmp_path / "wide.npz", x=np.zeros((3, 65)), given=given[:3])
    np.savez(tmp_path / "nameless.npz", x=x)
    np.savez(tmp_path / "short.npz", x=x, given=given[:2])
    np.savez(tmp_path / "wild.npz", x=x + np.inf, given=given)
    (tmp_path / "text.npz").write_text("no arrays")
    return tmp_path


def ran(folder, words, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["gallop.prune", *words.split()])
    return main()


@pytest.mark.parametrize("choose", ["outputs", "inputs"])
def test_the_command_prunes_and_reports(folder, monkeypatch, choose):
    words = "dense.gallop -o half.gallop --frames frames.npz --report r.json --quiet --choose "
    assert ran(folder, words + choose, monkeypatch) == 0
    half, report = modelfile.read(folder / "half.gallop"), json.loads(
        (folder / "r.json").read_text())
    assert half.layers[0].kind == "sparse" and half.layers[0].type == "f16"
    assert blocks.share_of(half) == 0.5 == report["share"]
    assert report["bytes"][0] < 0.7 * report["bytes"][1]


@pytest.mark.parametrize("words, message", [
    ("dense.gallop -o o --share 1.2", "--share 1.2, expected 0.01..0.95"),
    ("dense.gallop -o o --most 0", "--most 0, expected 1.."),
    ("dense.gallop -o o --seconds 1", "--seconds 1, expected 5.."),
    ("dense.gallop -o o --bars b", "--bars without --judge"),
    ("dense.gallop -o o --polish 3", "--polish without --data"),
    ("dense.gallop -o o --learn 3 --train 3", "--learn without --data"),
    ("dense.gallop -o o --means 0.5", "--means without --learn"),
    ("dense.gallop -o o --train 3 --learn 3 --polish 3 --data . --judge --means 1",
     "--means 1, expected shares"),
    ("dense.gallop -o o --start o --train 3", "--start with --train"),
    ("dense.gallop -o o --polish-rate -1", "--polish-rate -1, expected"),
    ("dense.gallop -o nowhere/o", "no folder nowhere"),
    ("dense.gallop -o .", "a folder, a file expected"),
    ("dense.gallop -o dense.gallop", "the model itself"),
    ("none.gallop -o o", "gallop.prune: none.gallop: No such file or directory"),
    ("text.npz -o o", "text.npz"),
    ("narrow.gallop -o o", "no dense layer of 32 inputs or more"),
    ("dense.gallop -o o", "no golden frames in the file"),
    ("dense.gallop -o o --data .", "dense.gallop: no contract, no motion fits it"),
    ("dense.gallop -o o --frames text.npz", "text.npz: no .npz file"),
    ("dense.gallop -o o --frames wide.npz", "wide.npz: x is [3, 65], expected [F, 64]"),
    ("dense.gallop -o o --frames nameless.npz", "nameless.npz: no array 'given'"),
    ("dense.gallop -o o --frames short.npz", "short.npz: given has 2 frames, x 300"),
    ("dense.gallop -o o --frames wild.npz", "wild.npz: x has what is no finite number"),
])
def test_wrong_arguments_are_refused_with_their_place(folder, words, message, monkeypatch, capsys):
    assert ran(folder, words, monkeypatch) == 2
    said = capsys.readouterr().err
    assert said.startswith("gallop.prune: ") and message in said
    assert not (folder / "o").exists()


@pytest.mark.parametrize("missing, command, words", [
    ("torch", "prune.digits -o made", "gallop.prune.digits: needs torch"),
    ("sklearn", "prune.digits -o made", "gallop.prune.digits: the digits come with scikit-learn"),
    ("torch", "prune dense.gallop -o o --frames frames.npz --quiet", "gallop.prune: needs torch"),
    ("torch", "prune dense.gallop -o o --frames frames.npz --quiet --choose inputs", ""),
])
def test_what_is_not_installed_is_named(folder, missing, command, words):
    (folder / f"{missing}.py").write_text(
        f"raise ModuleNotFoundError('no {missing}', name='{missing}')\n")
    python = str(Path(modelfile.__file__).parents[1])
    done = subprocess.run([sys.executable, "-m", *f"gallop.{command}".split()],
                          env={"PYTHONPATH": f"{folder}:{python}"}, capture_output=True,
                          text=True, check=False, cwd=folder)
    assert bool(done.returncode) == bool(words) and done.stderr.startswith(words)
    assert not (folder / "made").exists()
