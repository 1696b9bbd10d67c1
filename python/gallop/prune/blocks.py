"""Patches of a controller's blended layers: which go, and what stays solved anew.

A patch is 16 outputs x 8 inputs of all experts of a dense layer (docs/format.md): what is left out
is neither stored nor read, so that half of the patches take about half of the time. Which go is
told by frames that the controller has met: those of all layers together without which the outputs
change the least (gallop.masks; it needs PyTorch), or of each layer those whose products are the
smallest. What stays is then solved anew, layer by layer, so that the layer says what it said
before, by least squares on those frames; a ridge keeps it near to where it was where the frames do
not tell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gallop import kinds, modelfile, patches
from gallop.modelfile import Layer, Model
from gallop.progress import Progress
from gallop.prune.frames import Frames, blends, normal_inputs

LEAST = 4  # columns of patches of a layer from which leaving some out pays
DRAWN = 256  # frames at once where outputs tell
STORED = ("f32", "f16", "bf16")  # what a sparse layer keeps of a dense one's type


def products(layer: Layer, w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[F, E (K + 1)]: what a layer's weights and biases, expert by expert, are multiplied by."""
    mix = w if len(layer.weights) > 1 else np.ones((len(x), 1))
    one = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    return (mix[:, :, None] * one[:, None, :]).reshape(len(x), -1)


def unknowns(layer: Layer) -> np.ndarray:
    """Weights and biases in the order of `products`: [E (K + 1), N]."""
    both = np.concatenate([layer.weights, layer.bias[:, :, None]], axis=2).astype(np.float64)
    return both.transpose(0, 2, 1).reshape(-1, layer.outputs)


def chosen(layer: Layer, energy: np.ndarray, share: float) -> np.ndarray:
    """The mask [rows, columns] without that share of patches. energy [E (K + 1)]: the mean squares
    of the products' inputs."""
    each = energy.reshape(len(layer.weights), -1)[:, None, :-1]
    score = patches.norms(layer.weights * np.sqrt(each))
    out = round(share * score.size)
    mask = np.ones(score.size, bool)
    mask[np.argsort(score, axis=None, kind="stable")[:out]] = False
    return mask.reshape(score.shape)


def solved(layer: Layer, mask: np.ndarray, z: np.ndarray, target: np.ndarray,
           ridge: float) -> Layer:
    """The layer with the mask whose kept weights make `target` [F, N] of products `z`, nearly."""
    e, n, k = layer.weights.shape
    gram, cross = z.T @ z / len(z), z.T @ target / len(z)
    old, new = unknowns(layer), np.zeros((e * (k + 1), n))
    weight = ridge * np.trace(gram) / len(gram)
    for row in range(len(mask)):
        outputs = slice(row * patches.OUTPUTS, min(n, (row + 1) * patches.OUTPUTS))
        inputs = np.append(np.repeat(mask[row], patches.INPUTS)[:k], True)  # and the bias
        kept = np.flatnonzero(np.tile(inputs, e))
        left = gram[np.ix_(kept, kept)] + weight * np.eye(len(kept))
        right = cross[kept, outputs] + weight * old[kept, outputs]
        new[kept, outputs] = np.linalg.solve(left, right)
    both = new.reshape(e, k + 1, n).transpose(0, 2, 1).astype(np.float32)
    type_kept = layer.type if layer.type in STORED else "f32"
    return replace(layer, kind="sparse", type=type_kept, block=0, scales=None, mask=mask,
                   weights=np.ascontiguousarray(both[:, :, :k]),
                   bias=np.ascontiguousarray(both[:, :, k]))


def is_prunable(layer: Layer) -> bool:
    """A dense layer wide enough for it to pay."""
    return layer.kind == "dense" and patches.counts(1, layer.weights.shape[2])[1] >= LEAST


def by_outputs(model: Model, frames: Frames, share: float, seed: int = 0) -> list[np.ndarray]:
    """The masks [rows, columns] of all layers, without that share of all patches together."""
    import torch

    from gallop import masks
    from gallop.torch_layers import FileModule

    net, host = FileModule(model), np.random.default_rng(seed)

    def run() -> torch.Tensor:
        pick = host.integers(0, len(frames.x), DRAWN)
        x, given = (torch.tensor(a[pick], dtype=torch.float32) for a in (frames.x, frames.given))
        return net(x, given) / net.output_std

    there = masks.Masks(net)
    there.leave_out(share, masks.scores(there, run, seed))
    return [mask.numpy() for mask in there.there]


def pruned(model: Model, frames: Frames, share: float, ridge: float, quiet: bool = False,
           there: list[np.ndarray] | None = None) -> Model:
    """The model without that share of the patches of its layers, solved for the frames. `there`:
    what stays of each layer, by default that share of each by the smallest products."""
    normal = normal_inputs(model, frames.x.astype(np.float64))
    w = blends(model, frames, normal)
    dense, sparse = [normal], [normal]  # values of the model as it was, and as it becomes
    bar = Progress(len(model.layers), f"pruning {share:.0%}", quiet)
    layers: list[Layer] = []
    for i, layer in enumerate(model.layers):
        read = kinds.sources_of(model.layers, i, normal.shape[1])
        was, now = (np.concatenate([v[at][:, f : f + c] for at, f, c in read], axis=1)
                    for v in (dense, sparse))
        if is_prunable(layer) if there is None else not there[i].all():
            z = products(layer, w, now)
            mask = chosen(layer, np.square(z).mean(0), share) if there is None else there[i]
            target = products(layer, w, was) @ unknowns(layer)
            layers.append(solved(layer, mask, z, target, ridge))
        else:
            layers.append(layer)
        dense.append(kinds.run_one(layer, w, was))
        sparse.append(kinds.run_one(layers[-1], w, now))
        bar.step(i + 1)
    out = replace(model, layers=layers, golden=None, provenance=dict(model.provenance))
    out.provenance["pruned"] = f"{share:.0%} of the patches of {patches.OUTPUTS} x {patches.INPUTS}"
    if model.golden:
        y = modelfile.run(out, model.golden.x, model.golden.blend).astype(np.float32)
        out.golden = replace(model.golden, y=y)
    return out


def error(model: Model, other: Model, frames: Frames) -> float:
    """Root mean square difference of the outputs, each in its own deviation."""
    a, b = (modelfile.run(m, frames.x, frames.given) / m.output_std for m in (model, other))
    return float(np.sqrt(np.square(a - b).mean()))


def share_of(model: Model) -> float:
    """The share of the patches of layers wide enough that is not there."""
    there = total = 0
    for layer in model.layers:
        if layer.kind == "sparse" and layer.mask is not None:
            there, total = there + int(layer.mask.sum()), total + layer.mask.size
        elif is_prunable(layer):
            count = int(np.prod(patches.counts(*layer.weights.shape[1:])))
            there, total = there + count, total + count
    return 1 - there / total if total else 0.0
