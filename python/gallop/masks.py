"""Masks of patches on a torch network while it trains: which are there, and that the others stay 0.

A patch's score is what the outputs would change by without it, to first order: (sum of w dL/dw)^2
of a loss L that adds the outputs up with random signs, whose mean over the draws is the sum of the
squares of the changes of all outputs. So patches of all layers have one measure, and weights within
a patch that make up for each other count as they should.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from gallop import patches
from gallop.network import Blended

DRAWS = 32  # of random signs in a score


class Masks:
    """What is there of a network's blended layers.

    `weights` [N, K] of each layer, ones and zeros, keep their place in memory: a recorded graph
    sees what is chosen later.
    """

    def __init__(self, net: nn.Module, inputs: int | None = None,
                 there: list[torch.Tensor] | None = None) -> None:
        """`net.layers` are Blended; columns of the first beyond `inputs` are held at 0. `there`:
        the patches, all by default."""
        self.layers = _blended(net)
        self.shapes = [tuple(layer.weight.shape[1:]) for layer in self.layers]
        if inputs is not None:
            self.shapes[0] = (self.shapes[0][0], inputs)
        device = self.layers[0].weight.device
        self.there = [torch.ones(patches.counts(*shape), dtype=torch.bool, device=device)
                      for shape in self.shapes]
        self.weights = [torch.zeros(layer.weight.shape[1:], device=device)
                        for layer in self.layers]
        self.put(there if there is not None else self.there)
        self.hold()

    def share(self) -> float:
        """The share of all patches that is not there."""
        total = sum(mask.numel() for mask in self.there)
        return 1 - sum(int(mask.sum()) for mask in self.there) / total

    def put(self, there: list[torch.Tensor]) -> None:
        """These patches of each layer, [rows, columns] truths."""
        if len(there) != len(self.there):
            raise ValueError(f"{len(there)} masks, expected {len(self.there)}")
        for mask, new in zip(self.there, there):
            if mask.shape != new.shape:
                raise ValueError(f"a mask {list(new.shape)}, expected {list(mask.shape)}")
            mask.copy_(new)
        self._spread()

    def leave_out(self, share: float, scores: list[torch.Tensor]) -> None:
        """Leave out the patches of the lowest scores [rows, columns] of all layers together, until
        that share is not there; what was not there stays so."""
        every = torch.cat([torch.where(mask, score, torch.full_like(score, -1)).reshape(-1)
                           for mask, score in zip(self.there, scores)])
        kept = torch.ones(len(every), dtype=torch.bool, device=every.device)
        kept[every.argsort(stable=True)[: round(share * len(every))]] = False
        parts = kept.split([mask.numel() for mask in self.there])
        self.put([part.view_as(mask) & mask for part, mask in zip(parts, self.there)])

    def hold_gradients(self) -> None:
        """What is not there is not asked for: neither the norm of a step nor Adam sees it."""
        for layer, mask in zip(self.layers, self.weights):
            layer.weight.grad.mul_(mask)

    def hold(self, *nets: nn.Module) -> None:
        """What is not there is 0, in this network and others of its shape."""
        with torch.no_grad():
            for layers in (self.layers, *(_blended(net) for net in nets)):
                for layer, mask in zip(layers, self.weights):
                    layer.weight.mul_(mask)

    def forget(self, adam: torch.optim.Optimizer) -> None:
        """Nor does Adam go on with what it remembers of it."""
        for layer, mask in zip(self.layers, self.weights):
            for value in adam.state.get(layer.weight, {}).values():
                if isinstance(value, torch.Tensor) and value.shape == layer.weight.shape:
                    value.mul_(mask)

    def _spread(self) -> None:
        for whole, mask, (n, k) in zip(self.weights, self.there, self.shapes):
            wide = mask.repeat_interleave(patches.OUTPUTS, 0).repeat_interleave(patches.INPUTS, 1)
            whole[:n, :k] = wide[:n, :k].float()


def scores(masks: Masks, run: Callable[[], torch.Tensor], seed: int,
           draws: int = DRAWS) -> list[torch.Tensor]:
    """The score [rows, columns] of each layer's patches. run() makes outputs [B, N], each in units
    of which one is as bad as another, of a batch that it draws."""
    weights = [layer.weight for layer in masks.layers]
    device = weights[0].device
    host = torch.Generator(device).manual_seed(seed)
    total = [torch.zeros(mask.shape, device=device) for mask in masks.there]
    for _ in range(draws):
        y = run()
        signs = torch.randint(0, 2, y.shape, generator=host, device=device) * 2 - 1
        slopes = torch.autograd.grad((y * signs).sum(), weights)
        for sum_, w, slope, shape in zip(total, weights, slopes, masks.shapes):
            sum_ += _pooled((w.detach() * slope).sum(0)[:, : shape[1]]).square()
    return [sum_ / draws for sum_ in total]


def _pooled(product: torch.Tensor) -> torch.Tensor:
    """Sums [rows, columns] over the patches of [N, K]."""
    n, k = product.shape
    rows, columns = patches.counts(n, k)
    full = nn.functional.pad(product, (0, columns * patches.INPUTS - k,
                                       0, rows * patches.OUTPUTS - n))
    return full.view(rows, patches.OUTPUTS, columns, patches.INPUTS).sum((1, 3))


def _blended(net: nn.Module) -> list[Blended]:
    """The layers that have patches."""
    return list(net.layers)
