"""Prunes a small CNN on scikit-learn's handwritten digits, and reports what it cost.

    python3 -m gallop.prune --model vgg --patterns 8 --seed 0 -o DIR

writes DIR/dense.onnx, DIR/pruned.onnx and DIR/MODEL_PATTERNS_SEED.json; a run that was stopped goes
on. Digits are 1,797 images of 8x8: half of them, the same whatever the seed, are for testing.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Iterator

import torch
from torch import nn

from gallop.prune import patterns as pattern
from gallop.prune.admm import Plan, Pruner

CLASSES = 10
BATCH = 64
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
    def __init__(self, seed: int) -> None:
        try:
            from sklearn.datasets import load_digits
        except ImportError:
            sys.exit("gallop.prune: the digits come with scikit-learn: pip install scikit-learn")
        images, labels = load_digits(return_X_y=True)
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
        x = (torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 8 - 1)[order]
        y = torch.tensor(labels, dtype=torch.long)[order]
        half = len(y) // 2
        self.train, self.test, self.seed = (x[:half], y[:half]), (x[half:], y[half:]), seed

    def batches(self, epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """An epoch's; they follow from the seed and the epoch alone. Images are moved a little."""
        generator = torch.Generator().manual_seed(1000 * self.seed + epoch)
        x, y = self.train
        for part in torch.randperm(len(y), generator=generator).split(BATCH):
            down, right = torch.randint(-1, 2, (2,), generator=generator).tolist()
            padded = nn.functional.pad(x[part], (1, 1, 1, 1), value=-1.0)
            yield padded[:, :, 1 + down : 9 + down, 1 + right : 9 + right], y[part]

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
    torch.onnx.export(
        model,
        torch.zeros(1, 1, 8, 8),
        str(path),
        opset_version=17,
        input_names=["x"],
        output_names=["y"],
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
    data = Data(arguments.seed)
    model = load_dense(arguments.model, data, folder, arguments.quick)
    dense = data.accuracy(model)
    export(model, folder / "dense.onnx")
    weights = conv_weights(model)
    chosen = pattern.choose_patterns(
        [w for w in weights.values() if w.shape[1] > 1], arguments.patterns
    )
    keep = keep_for(weights, arguments.fewer)
    projections = {
        name: (lambda w, share=keep if w.shape[1] > 1 else 1.0: pattern.project(w, chosen, share))
        for name, w in weights.items()
    }
    plan = Plan(epochs=2, retrain=2) if arguments.quick else Plan()
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
        "accuracy dense": round(100 * dense, 2),
        "accuracy pruned": round(100 * data.accuracy(model), 2),
    }
    (folder / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="gallop.prune", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="vgg")
    parser.add_argument("--patterns", type=int, default=8, help="how many, 1 to 12")
    parser.add_argument(
        "--fewer", type=float, default=8.0, help="times fewer weights of convolutions"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a few epochs: to try out")
    parser.add_argument("--quiet", action="store_true", help="no line for each epoch")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not 1 <= arguments.patterns <= 12 or arguments.fewer < pattern.WINDOW / pattern.KEPT:
        parser.error("patterns are 1 to 12, and weights at least 2.25 times fewer")
    print(json.dumps(prune(arguments)))


if __name__ == "__main__":
    main()
