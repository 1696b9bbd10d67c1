"""How a character begins: standing, and not in the mean of all motion.

The runtime puts a character down in the pose of the mean output (src/motion/step.c). Which numbers
a file calls the mean is free: the last layer's bias makes up for any other. So the pose's part of
it becomes what the network says of one who has long stood still; what it computes stays the same.
"""

from __future__ import annotations

import numpy as np
import torch

from gallop import modelfile
from gallop.contract import Contract, parse
from gallop.loop import Loop, Stick
from gallop.modelfile import Model

FRAMES = 40  # until it stands; the phase goes on by and by, and with it the pose
POSE = ("contact", "joint.position", "joint.velocity", "joint.rotation")


def standing(model: Model) -> np.ndarray:
    """What the network says [N] of a character that was put down and left alone."""
    loop = Loop(parse(model.contract, "contract"), torch.device("cpu"))
    mean = torch.tensor(model.output_mean, dtype=torch.float32)
    none = torch.zeros(1)
    state = loop.at_rest(mean[None, loop.at.y_fed], none, none)
    stick = Stick(torch.zeros(1, 2), none, none, none, none, none)
    y = mean[None]
    for _ in range(FRAMES):
        state = loop.command(state, stick)
        x = loop.inputs(state).numpy().astype(np.float64)
        y = torch.tensor(modelfile.run(model, x, state.phase.numpy()[:, None]), dtype=torch.float32)
        state = loop.moved(state, y)
    return y[0].numpy().astype(np.float64)


def from_standing(model: Model) -> None:
    """Makes the standing pose the model's mean one. Only of people with a gait to stand in."""
    contract = parse(model.contract, "contract")
    if contract.hinges or not any(role == "stand" for _, role in contract.gaits):
        return
    pose = _pose_columns(contract)
    mean = model.output_mean.astype(np.float64)
    told = standing(model)
    if not np.isfinite(told).all():
        return
    mean[pose] = told[pose]
    mean = mean.astype(np.float32)
    last = model.layers[-1]
    shift = (model.output_mean.astype(np.float64) - mean) / model.output_std
    last.bias = (last.bias + shift).astype(np.float32)
    model.output_mean = mean


def _pose_columns(contract: Contract) -> np.ndarray:
    """The outputs that say a pose."""
    return np.concatenate([np.arange(where.start, where.stop)
                           for block, where in contract.ranges(contract.outputs)
                           if block.name in POSE])
