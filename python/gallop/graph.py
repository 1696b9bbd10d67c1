"""A training step as one CUDA graph.

Steps of small networks are bound by the launches of their kernels, not by their arithmetic. A
graph records the kernels of one step and launches them all at once. What changes from step to step
is copied into the same tensors before each replay; nothing in a step may wait for the device, copy
from the host, or draw on the host. On a CPU, in several processes and with a PyTorch before 2 the
step just runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec

import torch

Tensors = dict[str, torch.Tensor]
WARM = 3  # steps that run as they are before one is recorded


def usable(device: torch.device, processes: int = 1) -> bool:
    """Whether steps on this device can be recorded."""
    return device.type == "cuda" and processes == 1 and torch.__version__ >= "2"


def adam(
    kind: type[torch.optim.Optimizer], parameters: Iterable[torch.nn.Parameter], rate: float,
    device: torch.device, processes: int = 1, **options: float,
) -> torch.optim.Optimizer:
    """An Adam whose rate can be changed with set_rate, also between replays."""
    if not usable(device, processes):
        return kind(parameters, lr=rate, **options)
    return kind(parameters, lr=torch.tensor(rate, device=device), capturable=True, **options)


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Sets the learning rate."""
    group = optimizer.param_groups[0]
    if isinstance(group["lr"], torch.Tensor):
        group["lr"].fill_(rate)
    else:
        group["lr"] = rate


def fuses(device: torch.device) -> bool:
    """Whether PyTorch writes kernels of its own for this device; it needs Triton for it."""
    return usable(device) and find_spec("triton") is not None


def fused(function: Callable, device: torch.device, any_size: bool = False) -> Callable:
    """The function with its many small kernels made into few where PyTorch can write such, which
    takes it some seconds at the first call; else as it is. Tensors come in one size, or in another
    than before it takes these seconds again; or in any, which takes it the longer."""
    if not fuses(device):
        return function
    torch._dynamo.config.suppress_errors = True  # what it cannot write runs as it is
    torch._dynamo.config.cache_size_limit = 64
    return torch.compile(function, dynamic=any_size)


def sound(parameters: Iterable[torch.nn.Parameter], clip: float) -> None:
    """Gradients cut to a norm; those of a step that would break the network become zeros: it takes
    no part, and the weights go on by Adam's momentum."""
    parameters = list(parameters)
    norm = torch.nn.utils.clip_grad_norm_(parameters, clip)
    for p in parameters:
        p.grad.copy_(torch.where(torch.isfinite(norm), p.grad, torch.zeros_like(p.grad)))


class Replayed:
    """A step from tensors to tensors, recorded once and then replayed.

    What a call returns is overwritten by the next one.
    """

    def __init__(self, step: Callable[[Tensors], Tensors], device: torch.device,
                 processes: int = 1) -> None:
        self.step, self.records, self.calls = step, usable(device, processes), 0
        self.graph: torch.cuda.CUDAGraph | None = None
        self.given: Tensors = {}
        self.made: Tensors = {}

    def __call__(self, given: Tensors) -> Tensors:
        """One step."""
        if not self.records:
            return self.step(given)
        self.calls += 1
        if self.calls <= WARM:
            return self._warm(given)
        if self.graph is None:
            self._record(given)
        for name, value in given.items():
            self.given[name].copy_(value)
        self.graph.replay()  # type: ignore[union-attr]
        return self.made

    def _warm(self, given: Tensors) -> Tensors:
        """On a stream of its own, as recording asks for."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            made = self.step(given)
        torch.cuda.current_stream().wait_stream(side)
        return made

    def _record(self, given: Tensors) -> None:
        self.given = {name: value.detach().clone() for name, value in given.items()}
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.made = self.step(self.given)
