"""Gallop for Python: runs neural character controllers, and makes them from motion.

    import gallop
    y = gallop.Network("walker.gallop").run(x, phase=phase)
    crowd = gallop.Crowd(gallop.model_path("walker"), capacity=64)
    gallop.export(module, "mine.gallop", input_mean=mean, input_std=std)

`runtime` and `crowd` run model files through the C library (`library`), `modelfile` and `tensors`
read and write them (.gallop, safetensors); they need NumPy alone. `gallop.export` and the modules
PFNN, MANN, MLP need PyTorch, which is imported when one of them is asked for; training needs SciPy
too. Its modules, in the order in which data flows:

    bvh, capture, o3de  files of motion      -> motion.Clip
    retarget, person    other people's motion on one body
    clean         faults of the capture away -> motion.Clip
    label         contacts, gait, phase      -> label.Labels
    contract      what each number of a model means (the text of docs/format.md)
    features      clips + labels + contract  -> training arrays
    network       reference networks in PyTorch
    losses        what a good step is
    trainer       the loop: batches, checkpoints, several processes
    loop          the controller's own loop, differentiable: the runtime's rules
    polish        training in that loop; pool: whom it runs; manner: how the data moves its feet
    judge         figures of a model: asks the gallop command
    modelfile     reads and writes .gallop; weights: what their types store
    torch_layers  torch modules <-> layers; exporter: modules to .gallop, .gallop to ONNX
    tensors       safetensors
    roles         which joint of an unknown skeleton is what; anyone: a folder of BVH to takes
    plot          loss curves as SVG
    train         the command line

Units everywhere unless a docstring says otherwise: lengths in the contract's unit (centimetres for
the walker), time in frames of the contract's rate (60 Hz), angles in radians; right-handed, y up,
z forward, +x to the character's left.
"""

__version__ = "0.1.0"

import importlib
from importlib.util import find_spec

if find_spec("numpy") is None:
    raise ModuleNotFoundError("gallop needs NumPy: pip install numpy", name="numpy")

from gallop.crowd import Controller, Crowd, HeightField
from gallop.library import Error, model_path
from gallop.runtime import Network

# What needs PyTorch is imported when it is first asked for.
_LATER = {"export": "exporter", "PFNN": "network", "MANN": "network", "MLP": "network"}

__all__ = ["MANN", "MLP", "PFNN", "Controller", "Crowd", "Error", "HeightField", "Network",
           "export", "model_path"]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'gallop' has no attribute '{name}'")
    try:
        module = importlib.import_module(f"gallop.{_LATER[name]}")
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise ModuleNotFoundError(
            f"gallop.{name} needs PyTorch: pip install torch, or gallop[training]",
            name="torch") from None
    return getattr(module, name)
