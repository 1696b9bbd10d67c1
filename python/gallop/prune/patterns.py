"""Patterns of 3x3 kernels (PatDNN, ASPLOS 2020): four of nine places; and connectivity.

Weights are [filters][channels][3][3]. A pattern is a tuple of places, row by row, 0 to 8.
"""

from __future__ import annotations

import collections
import itertools

import torch

CENTRE = 4
KEPT = 4
WINDOW = 9

Pattern = tuple[int, ...]

# All 56: the centre and three of the eight others.
NATURAL: tuple[Pattern, ...] = tuple(
    tuple(sorted((CENTRE, *others)))
    for others in itertools.combinations(
        [place for place in range(WINDOW) if place != CENTRE], KEPT - 1
    )
)


def is_pruned_by_patterns(module: torch.nn.Module) -> bool:
    """Whether the compiler knows patterns of the layer: a plain convolution with 3x3 windows."""
    return (
        isinstance(module, torch.nn.Conv2d) and module.kernel_size == (3, 3) and module.groups == 1
    )


def masks_of(patterns: list[Pattern]) -> torch.Tensor:
    """[patterns][9], 1 where a pattern keeps a place."""
    masks = torch.zeros(len(patterns), WINDOW)
    for row, pattern in zip(masks, patterns):
        row[list(pattern)] = 1
    return masks


def choose_patterns(weights: list[torch.Tensor], count: int) -> list[Pattern]:
    """The `count` natural patterns that are most frequent.

    Each kernel votes for its own: the centre and the three largest of the others.
    """
    if not 1 <= count <= len(NATURAL):
        raise ValueError(f"{count} patterns: 1 to {len(NATURAL)} are possible")
    votes: collections.Counter[Pattern] = collections.Counter()
    for weight in weights:
        _check(weight)
        size = weight.detach().reshape(-1, WINDOW).abs().clone()
        size[:, CENTRE] = torch.inf
        for places in size.topk(KEPT, dim=1).indices.sort(dim=1).values.tolist():
            votes[tuple(places)] += 1
    ranked = sorted(NATURAL, key=lambda pattern: (-votes[pattern], pattern))
    return ranked[:count]


def pattern_mask(weight: torch.Tensor, patterns: list[Pattern]) -> torch.Tensor:
    """The mask, like the weight, by which each kernel keeps the most of its squares."""
    _check(weight)
    masks = masks_of(patterns).to(weight)
    kernels = weight.detach().reshape(-1, WINDOW)
    best = (kernels.square() @ masks.T).argmax(dim=1)
    return masks[best].reshape(weight.shape)


def connectivity_mask(weight: torch.Tensor, keep: float) -> torch.Tensor:
    """The mask that keeps that share of the kernels, those of the largest squares.

    Each filter has at least one.
    """
    _check(weight)
    if not 0 < keep <= 1:
        raise ValueError(f"keep {keep:g}, expected a share of the kernels above 0 up to 1")
    size = weight.detach().square().sum(dim=(2, 3))
    count = max(round(keep * size.numel()), size.shape[0])
    size = size.clone()
    rows = torch.arange(size.shape[0], device=size.device)
    size[rows, size.argmax(dim=1)] = torch.inf
    kept = torch.zeros_like(size).reshape(-1)
    kept[size.reshape(-1).topk(count).indices] = 1
    return kept.reshape(*size.shape, 1, 1).expand_as(weight).clone()


def project(weight: torch.Tensor, patterns: list[Pattern], keep: float) -> torch.Tensor:
    """The mask of both: patterns first, then kernels by what is left of them."""
    mask = pattern_mask(weight, patterns)
    return mask * connectivity_mask(weight * mask, keep) if keep < 1 else mask


def _check(weight: torch.Tensor) -> None:
    """A ValueError if it is no weight of 3x3 kernels."""
    if weight.ndim != 4 or tuple(weight.shape[2:]) != (3, 3):
        raise ValueError(f"a weight {list(weight.shape)}, expected [filters, channels, 3, 3]")
