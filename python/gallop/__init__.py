"""Gallop for Python: runs neural character controllers, and makes them from motion.

    import gallop
    y = gallop.Network("walker.gallop").run(x, phase=phase)
    crowd = gallop.Crowd("walker.gallop", capacity=64)

`runtime` and `crowd` run model files through the C library (`library`); they need NumPy alone. All
else makes models and needs PyTorch and SciPy. Its modules, in the order in which data flows:

    bvh, capture  files of motion            -> motion.Clip
    clean         faults of the capture away -> motion.Clip
    label         contacts, gait, phase      -> label.Labels
    contract      what each number of a model means (the text of docs/format.md)
    features      clips + labels + contract  -> training arrays
    network       the blended network in PyTorch
    losses        what a good step is
    trainer       the loop: batches, checkpoints, several processes
    polish        the controller's own loop, differentiable; manner: how the data moves its feet
    rollout       the controller in closed loop; judge: its figures
    modelfile     reads and writes .gallop
    export        .gallop, ONNX, safetensors
    roles         which joint of an unknown skeleton is what; anyone: a folder of BVH to takes
    plot          loss curves as SVG
    train         the command line

Units everywhere unless a docstring says otherwise: lengths in the contract's unit (centimetres for
the walker), time in frames of the contract's rate (60 Hz), angles in radians; right-handed, y up,
z forward, +x to the character's left.
"""

__version__ = "0.1.0"

from gallop.crowd import Controller, Crowd, HeightField
from gallop.library import Error
from gallop.runtime import Network

__all__ = ["Controller", "Crowd", "Error", "HeightField", "Network"]
