"""Leaves out patches of a controller's weights: python -m gallop.prune_blocks MODEL -o OUT

A patch is 16 outputs x 8 inputs of all experts of a dense layer (docs/format.md): what is left out
is neither stored nor read, so that half of the patches take about half of the time. Those go
first whose products are the smallest on frames that the controller has met. What stays is then
solved anew, layer by layer, so that the layer says what it said before, by least squares on those
frames; a ridge keeps it near to where it was where the frames do not tell.

With --judge the share grows step by step from the dense model, each is judged in the runtime
(`gallop judge`), and the last that misses no bar that the dense model meets is kept. What was done
is kept beside OUT and not done again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gallop import contract, features, judge, kinds, modelfile, patches, walker
from gallop.modelfile import Layer, Model
from gallop.progress import Progress

LEAST = 4  # columns of patches of a layer from which leaving some out pays
STEP = 0.1  # of shares that are judged


@dataclass
class Frames:
    """Raw inputs [F, K] and phases [F, 1] or blends [F, E] of a controller under way."""

    x: np.ndarray
    given: np.ndarray


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
    return replace(layer, kind="sparse", type="f32", block=0, scales=None, mask=mask,
                   weights=np.ascontiguousarray(both[:, :, :k]),
                   bias=np.ascontiguousarray(both[:, :, k]))


def is_prunable(layer: Layer) -> bool:
    """A dense layer wide enough for it to pay."""
    return layer.kind == "dense" and patches.counts(1, layer.weights.shape[2])[1] >= LEAST


def pruned(model: Model, frames: Frames, share: float, ridge: float, quiet: bool = False) -> Model:
    """The model without that share of the patches of its layers, solved for the frames."""
    normal = normal_inputs(model, frames.x.astype(np.float64))
    w = blends(model, frames, normal)
    dense, sparse = [normal], [normal]  # values of the model as it was, and as it becomes
    bar = Progress(len(model.layers), f"pruning {share:.0%}", quiet)
    layers: list[Layer] = []
    for i, layer in enumerate(model.layers):
        read = kinds.sources_of(model.layers, i, normal.shape[1])
        was, now = (np.concatenate([v[at][:, f : f + c] for at, f, c in read], axis=1)
                    for v in (dense, sparse))
        if is_prunable(layer):
            z = products(layer, w, now)
            mask = chosen(layer, np.square(z).mean(0), share)
            target = products(layer, w, was) @ unknowns(layer)
            layers.append(solved(layer, mask, z, target, ridge))
        else:
            layers.append(layer)
        dense.append(kinds.run_one(layer, w, was))
        sparse.append(kinds.run_one(layers[-1], w, now))
        bar.step(i + 1)
    out = replace(model, layers=layers, golden=None, provenance=dict(model.provenance))
    out.provenance["pruned"] = f"{share:.0%} of the patches of 16 x 8"
    if model.golden:
        y = modelfile.run(out, model.golden.x, model.golden.blend).astype(np.float32)
        out.golden = replace(model.golden, y=y)
    return out


def error(model: Model, other: Model, frames: Frames) -> float:
    """Root mean square difference of the outputs, each in its own deviation."""
    a, b = (modelfile.run(m, frames.x, frames.given) / m.output_std for m in (model, other))
    return float(np.sqrt(np.square(a - b).mean()))


# ---- frames ----


def frames_of(args: argparse.Namespace, model: Model) -> Frames:
    """What --frames and --walker name; else the file's golden frames."""
    if args.frames:
        with np.load(args.frames) as arrays:
            given = arrays["given"] if "given" in arrays else np.zeros((len(arrays["x"]), 1))
            return Frames(arrays["x"], given.reshape(len(given), -1))
    if args.walker:
        rules = contract.parse(model.contract, str(args.model))
        data = features.build(rules, walker.takes(args.walker))
        pick = np.random.default_rng(args.seed).permutation(len(data.x))[: args.most]
        return Frames(data.x[pick][:, : len(model.input_mean)], data.phase[pick][:, None])
    if not model.golden:
        raise ValueError(f"{args.model}: no golden frames; name some by --frames")
    return Frames(model.golden.x, model.golden.blend)


# ---- judging ----


def misses(gallop: str, model: Path, bars: Path | None, seconds: float) -> set[tuple[str, str]]:
    """Bars that the model misses: (figure, script)."""
    words = [gallop, "judge", str(model), "--json", "--seconds", f"{seconds:g}"]
    words += ["--bars", str(bars)] if bars else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise ValueError(f"gallop judge {model}: {done.stderr.strip()}")
    return {(m["figure"], m["script"]) for m in json.loads(done.stdout)["missed"]}


def searched(args: argparse.Namespace, model: Model, frames: Frames) -> tuple[float, Model | None]:
    """The largest share up to the asked one, in steps, that misses no bar that the dense meets."""
    gallop = judge.command(args.gallop)
    dense = misses(gallop, args.model, args.bars, args.seconds)
    print(f"dense: {len(dense)} bars missed")
    share, best = 0.0, None
    for tried in np.arange(STEP, args.share + STEP / 2, STEP):
        path = args.output.with_suffix(f".{round(100 * tried)}.gallop")
        if not path.exists():
            modelfile.write(pruned(model, frames, float(tried), args.ridge, args.quiet), path)
        new = misses(gallop, path, args.bars, args.seconds) - dense
        sparse = modelfile.read(path)
        print(f"{tried:.0%}: error {error(model, sparse, frames):.4f}, "
              f"{len(new)} bars missed that the dense model meets")
        for figure, script in sorted(new)[:5]:
            print(f"  {figure}, {script}")
        if new:
            break
        share, best = float(tried), sparse
    return share, best


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m gallop.prune_blocks", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", type=Path)
    p.add_argument("-o", "--output", type=Path, required=True)
    p.add_argument("--share", type=float, default=0.5, help="of the patches to leave out (0.5)")
    p.add_argument("--frames", type=Path, help="x [F, K] and given [F, 1 or E] as .npz")
    p.add_argument("--walker", type=Path, metavar="FOLDER", help="frames of the walker's data")
    p.add_argument("--most", type=int, default=20000, help="frames of the data (20000)")
    p.add_argument("--ridge", type=float, default=1e-4, help="of the mean square product (1e-4)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--judge", action="store_true", help="stop where a share misses a bar")
    p.add_argument("--bars", type=Path, help="as `gallop judge --bars`")
    p.add_argument("--seconds", type=float, default=60, help="of each of the judge's scripts (60)")
    p.add_argument("--gallop", type=Path, help="the gallop command")
    p.add_argument("--quiet", action="store_true")
    return p


def main() -> int:
    args = parser().parse_args()
    try:
        if not 0 <= args.share <= 0.95:
            raise ValueError(f"--share {args.share}, expected 0..0.95")
        model = modelfile.read(args.model)
        frames = frames_of(args, model)
        print(f"{len(frames.x)} frames")
        share, out = args.share, None
        if args.judge:
            share, out = searched(args, model, frames)
        else:
            out = pruned(model, frames, args.share, args.ridge, args.quiet)
            print(f"{share:.0%}: error {error(model, out, frames):.4f}; not judged")
        if out is None:
            print("no share passes; nothing is written")
            return 1
        size = modelfile.write(out, args.output)
        print(f"{args.output}: {share:.0%} left out, {size} bytes of {args.model.stat().st_size}")
    except (OSError, ValueError) as e:
        print(f"prune_blocks: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
