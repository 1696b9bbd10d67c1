"""Prunes a small CNN on scikit-learn's handwritten digits, and reports what it cost.

    python -m gallop.prune.digits --model vgg --patterns 8 --seed 0 -o DIR

writes DIR/dense.onnx, DIR/pruned.onnx and DIR/MODEL_PATTERNS_SEED.json; a run that was stopped goes
on. Digits are 1,797 images of 8x8: half of them, the same whatever the seed, are for testing. To
choose a plan, --validate: a third of the other half, drawn by the seed, is tested on instead.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import inspect
import json
import pathlib
import sys
from collections.abc import Iterator

try:
    import torch
    from torch import nn
except ModuleNotFoundError:
    if __name__ != "__main__":
        raise
    raise SystemExit("gallop.prune.digits: needs torch: pip install torch scikit-learn") from None

from gallop.prune import patterns as pattern
from gallop.prune.admm import Plan, Pruner

CLASSES = 10
BATCH = 64
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


class Data:
    """Images to train on and to test on; the batches of an epoch.

    `teacher`, once there is one, has a share in the labels.
    """

    def __init__(self, seed: int, validate: bool = False) -> None:
        try:
            from sklearn.datasets import load_digits
        except ImportError:
            raise ValueError(
                "the digits come with scikit-learn: pip install scikit-learn") from None
        images, labels = load_digits(return_X_y=True)
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
        x = (torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 8 - 1)[order]
        y = torch.tensor(labels, dtype=torch.long)[order]
        half, self.seed = len(y) // 2, seed
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
        for part in torch.randperm(len(y), generator=generator).split(BATCH):
            down, right = torch.randint(-1, 2, (2,), generator=generator).tolist()
            padded = nn.functional.pad(x[part], (1, 1, 1, 1), value=-1.0)
            moved = padded[:, :, 1 + down : 9 + down, 1 + right : 9 + right]
            yield moved, self.labels(moved, y[part])

    def labels(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Chances [B, CLASSES] of each class."""
        known = nn.functional.one_hot(y, CLASSES).float()
        if self.teacher is None:
            return known
        with torch.no_grad():
            said = torch.softmax(self.teacher(x) / WARMTH, dim=1)
        return known.lerp(said, self.share)

    def accuracy(self, model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            return (model(self.test[0]).argmax(dim=1) == self.test[1]).float().mean().item()


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


def keep_for(weights: dict[str, nn.Parameter], fewer: float) -> float:
    """The share of kernels to keep, so that weights become `fewer` times fewer.

    Layers of a single channel keep all of theirs.
    """
    all_weights = sum(w.numel() for w in weights.values())
    first = (
        sum(w.numel() for w in weights.values() if w.shape[1] == 1) * pattern.KEPT / pattern.WINDOW
    )
    rest = (
        sum(w.numel() for w in weights.values() if w.shape[1] > 1) * pattern.KEPT / pattern.WINDOW
    )
    return min(1.0, (all_weights / fewer - first) / rest)


def export(model: nn.Module, path: pathlib.Path) -> None:
    model.eval()
    options = {"dynamo": False} if "dynamo" in inspect.signature(
        torch.onnx.export).parameters else {}
    torch.onnx.export(
        model,
        torch.zeros(1, 1, 8, 8),
        str(path),
        opset_version=17,
        input_names=["x"],
        output_names=["y"],
        **options,
    )


def load_dense(name: str, data: Data, folder: pathlib.Path, quick: bool) -> nn.Module:
    torch.manual_seed(data.seed)
    model = MODELS[name]()
    kept = folder / f"dense_{name}_{data.seed}.pt"
    if kept.exists():
        model.load_state_dict(torch.load(kept))
    else:
        train_dense(model, data, 2 if quick else DENSE_EPOCHS)
        torch.save(model.state_dict(), kept)
    return model


def prune(arguments: argparse.Namespace) -> dict[str, object]:
    folder: pathlib.Path = arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    data = Data(arguments.seed, arguments.validate)
    model = load_dense(arguments.model, data, folder, arguments.quick)
    dense = data.accuracy(model)
    export(model, folder / "dense.onnx")
    if arguments.teach:
        data.teacher, data.share = copy.deepcopy(model).eval(), arguments.teach
    weights = conv_weights(model)
    chosen = pattern.choose_patterns(
        [w for w in weights.values() if w.shape[1] > 1], arguments.patterns
    )
    keep = keep_for(weights, arguments.fewer)
    projections = {
        name: (lambda w, share=keep if w.shape[1] > 1 else 1.0: pattern.project(w, chosen, share))
        for name, w in weights.items()
    }
    plan = Plan(arguments.epochs, arguments.retrain, arguments.rate, tuple(arguments.rho))
    plan = Plan(epochs=2, retrain=2) if arguments.quick else plan
    name = f"{arguments.model}_{arguments.patterns}_{arguments.seed}"
    pruner = Pruner(model, projections, plan, folder / f"{name}.pt")

    def show(phase: str, epoch: int, loss: float) -> None:
        if not arguments.quiet:
            print(
                f"{phase} {epoch + 1} of {plan.epochs + plan.retrain}: loss {loss:.4f}", flush=True
            )

    pruner.run(data.batches, nn.functional.cross_entropy, show)
    export(model, folder / "pruned.onnx")
    kept = sum(int((w != 0).sum()) for w in weights.values())
    report: dict[str, object] = {
        "model": arguments.model,
        "patterns": ["".join(map(str, p)) for p in chosen],
        "seed": arguments.seed,
        "kernels kept": round(keep, 4),
        "conv weights": sum(w.numel() for w in weights.values()),
        "conv weights kept": kept,
        "fewer": round(sum(w.numel() for w in weights.values()) / kept, 2),
        "tested on": "held-out training images" if arguments.validate else "the test half",
        "plan": {**dataclasses.asdict(plan), "teach": arguments.teach},
        "accuracy dense": round(100 * dense, 2),
        "accuracy pruned": round(100 * data.accuracy(model), 2),
    }
    (folder / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="gallop.prune.digits", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="vgg")
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
    parser.add_argument("--quick", action="store_true", help="a few epochs: to try out")
    parser.add_argument("--quiet", action="store_true", help="no line for each epoch")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    try:
        check(arguments)
        print(json.dumps(prune(arguments)))
    except (OSError, ValueError) as e:
        print(f"gallop.prune.digits: {e}", file=sys.stderr)
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
    if min(arguments.epochs, arguments.retrain) < 1 or arguments.rate <= 0:
        raise ValueError("--epochs, --retrain and --rate are above 0")
    if arguments.output.exists() and not arguments.output.is_dir():
        raise ValueError(f"--output {arguments.output}: a file, a folder expected")


if __name__ == "__main__":
    sys.exit(main())
