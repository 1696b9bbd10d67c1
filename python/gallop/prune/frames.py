"""Inputs that a controller meets: what pruning is measured on."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gallop import contract, modelfile
from gallop.modelfile import Model

if TYPE_CHECKING:
    from gallop.features import Dataset

EACH = 15  # frames of a life of which one is taken


@dataclass
class Frames:
    """Raw inputs [F, K] and phases [F, 1] or blends [F, E] of a controller under way."""

    x: np.ndarray
    given: np.ndarray

    def some(self, most: int, seed: int) -> Frames:
        """At most so many of them, drawn."""
        pick = np.random.default_rng(seed).permutation(len(self.x))[:most]
        return Frames(self.x[pick], self.given[pick])


def normal_inputs(model: Model, x: np.ndarray) -> np.ndarray:
    """What the layers are given for raw inputs."""
    std = model.input_std.astype(np.float64)
    fixed = (model.input_constant - model.input_mean) / std
    value = np.where(model.input_state == modelfile.MASKED, 0.0, (x - model.input_mean) / std)
    return np.where(model.input_state == modelfile.CONSTANT, fixed, value)


def blends(model: Model, frames: Frames, normal: np.ndarray) -> np.ndarray:
    """Coefficients [F, E] of the frames."""
    if model.gate == "network":
        return modelfile.gate_weights(model, normal)
    return modelfile.blend(model.gate, model.experts, frames.given.astype(np.float64))


def golden(model: Model, where: str) -> Frames:
    """The few frames that the file itself has."""
    if not model.golden:
        raise ValueError(f"{where}: no golden frames in the file; name some by --frames or --data")
    return Frames(model.golden.x, model.golden.blend)


def read(path: Path, model: Model) -> Frames:
    """Frames of an .npz file: x [F, K], and given [F, 1] phases or [F, E] blends if the gate takes
    any."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in ("x", "given") if name in arrays}
    except (zipfile.BadZipFile, ValueError, AttributeError, TypeError) as e:
        raise ValueError(f"{path}: no .npz file of arrays ({e})") from None
    width = model.experts if model.gate == "given" else 1
    x = _checked(path, found, "x", len(model.input_mean))
    if model.gate == "network" or (model.gate == "given" and model.experts == 1):
        return Frames(x, np.ones((len(x), 1)))
    given = _checked(path, {k: v.reshape(len(v), -1) for k, v in found.items() if v.ndim},
                     "given", width)
    if len(given) != len(x):
        raise ValueError(f"{path}: given has {len(given)} frames, x {len(x)}")
    return Frames(x, given)


def _checked(path: Path, found: dict[str, np.ndarray], name: str, width: int) -> np.ndarray:
    """The array [F, width] of a file, of finite numbers."""
    if name not in found:
        raise ValueError(f"{path}: no array '{name}'")
    array = found[name]
    if array.ndim != 2 or array.shape[1] != width or len(array) == 0:
        raise ValueError(f"{path}: {name} is {list(array.shape)}, expected [F, {width}]")
    if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise ValueError(f"{path}: {name} has what is no finite number")
    return array.astype(np.float64)


def of_motion(model: Model, folder: Path, where: str) -> Frames:
    """Frames of the motion that one of the project's controllers was trained on."""
    if model.provenance.get("model") == "dog":
        return _of_dog(model, folder)
    data = dataset(model, folder, where)
    return Frames(data.x[:, : len(model.input_mean)], data.phase[:, None])


def dataset(model: Model, folder: Path, where: str) -> Dataset:
    """The walker's or the runner's frames, of the style that it was given out in, or those of the
    motion that gallop.train --data was given. `folder` may be the file of the runner's clean clips
    (gallop.train --clips)."""
    kind = model.provenance.get("model", "")
    from gallop import features, person, runner, walker

    if not model.contract:
        raise ValueError(f"{where}: no contract, no motion fits it; name some --frames")
    rules = contract.parse(model.contract, where)
    if kind not in ("walker", "runner"):
        return _of_anyone(rules, folder, where)
    if kind == "walker":
        return features.build(
            rules, [take for take in walker.takes(folder) if take.style == walker.STYLE])
    if folder.is_file():
        with np.load(folder, allow_pickle=False) as kept:
            clips = person.unpacked(dict(kept))
    else:
        clips = runner.clips(folder)
    data = features.build(rules, runner.takes(clips))
    data.weight = runner.rarity(data)
    return data


def _of_anyone(rules: contract.Contract, folder: Path, where: str) -> Dataset:
    """Frames of anybody's motion, if the controller was trained on it."""
    from gallop import anyone, features

    takes, made, _ = anyone.prepare(folder, None, "phase.advance" in rules.output_names())
    if made.input_names() != rules.input_names():
        raise ValueError(f"{folder}: {where} was trained on other motion, or with --roles: make "
                         "--frames of that")
    return features.build(rules, takes)


def _of_dog(model: Model, folder: Path) -> Frames:
    """The dog's: as many of the data as of its life under random sticks."""
    import torch

    from gallop.dog import train as dog_train
    from gallop.dog.loop import Body
    from gallop.dog.rollout import Data

    alive = lived(model)
    rules, frames = dog_train.prepare(folder)
    pick = np.random.default_rng(0).permutation(len(frames))[: len(alive)]
    data, rows = Data(frames, "cpu"), torch.tensor(np.sort(pick))
    x = Body(rules, torch.device("cpu")).features(data.state(rows), data.path(rows),
                                                  data.jump[rows])
    return Frames(np.concatenate([x.numpy(), alive]), np.ones((len(rows) + len(alive), 1)))


def lived(model: Model, dogs: int = 1024, seconds: int = 10, seed: int = 5) -> np.ndarray:
    """Raw inputs [F, K] of dogs that live so long under random sticks, four of each a second."""
    import torch

    from gallop import dog
    from gallop.dog.control import Controller
    from gallop.prune.pads import Pads

    control = Controller(model, dogs)
    pads = Pads(dogs, control.rules, seed, torch.device("cpu"))
    found: list[np.ndarray] = []
    with torch.no_grad():
        for frame in range(round(seconds * dog.RATE)):
            control.step(pads.next())
            if frame % EACH == EACH - 1:
                found.append(control.x.numpy())
    return np.concatenate(found)
