"""A recorded run of the dog by the torch controller: what the C controller is compared with.

    python -m gallop.dog.record MODEL.gallop RUN.npy

float32 [600, 24]: the commands as `gallop drive` takes them (move_x, move_y, run, strafe,
camera_yaw, jump), then root x, z and facing, the twelve hinge angles, height, pitch and roll after
the frame.
"""

from __future__ import annotations

import sys

import numpy as np
import torch

from gallop import modelfile
from gallop.dog.control import Command, Controller

FRAMES = 600


def commands(seed: int = 6) -> np.ndarray:
    """Stick and buttons [600, 6]: stands, walks and runs about, stops, backs, runs and jumps."""
    rng = np.random.default_rng(seed)
    out = np.zeros((FRAMES, 6), np.float32)
    for number, at in enumerate(range(0, FRAMES, 75)):
        angle, size = rng.uniform(-1.5, 1.5), rng.uniform(0.5, 1)
        run = rng.uniform(0, 0.6) if number % 2 else 0.0
        row = [-np.sin(angle) * size, np.cos(angle) * size, run, 0, 0, 0]
        if number in (0, 4):
            row = [0, 0, 0, 0, 0, 0]
        if number == 5:
            row = [0, -0.6, 0, 1, 0, 0]
        if number > 5:
            row = [0, 1, 0.5, 0, 0, number - 6]
        out[at : at + 75] = row
    return out


def play(model: modelfile.Model, rows: np.ndarray) -> np.ndarray:
    """What the commands lead to: [600, 18]."""
    control = Controller(model, 1)
    out = []
    with torch.no_grad():
        for row in torch.tensor(rows):
            x, y, run, strafe, look, jump = (row[i : i + 1] for i in range(6))
            c, s = torch.cos(look), torch.sin(look)
            move = torch.stack([c * -x + s * y, c * y - s * -x], -1)
            control.step(Command(move, run, look, strafe, jump))
            s_ = control.state
            now = (control.root[0], control.facing, s_.hinge[0], s_.posture[0])
            out.append(torch.cat(now).numpy())
    return np.stack(out).astype(np.float32)


def main() -> int:
    """Record a run."""
    if len(sys.argv) != 3:
        print("usage: python -m gallop.dog.record MODEL.gallop RUN.npy", file=sys.stderr)
        return 2
    rows = commands()
    np.save(sys.argv[2], np.concatenate([rows, play(modelfile.read(sys.argv[1]), rows)], 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
