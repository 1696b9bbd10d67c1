"""Gallop for Python: motion in, neural character controller out.

The modules, in the order in which data flows through them:

    bvh, capture  files of motion            -> motion.Clip
    clean         faults of the capture away -> motion.Clip
    label         contacts, gait, phase      -> label.Labels
    contract      what each number of a model means (the text of docs/format.md)
    features      clips + labels + contract  -> training arrays
    network       the blended network in PyTorch
    losses        what a good step is
    trainer       the loop: batches, checkpoints, several processes
    rollout       the controller in closed loop, the judge of training
    modelfile     reads and writes .gallop
    export        .gallop, ONNX, safetensors
    roles         which joint of an unknown skeleton is what
    train         the command line

Units everywhere unless a docstring says otherwise: lengths in the contract's unit (centimetres for
the walker), time in frames of the contract's rate (60 Hz), angles in radians; right-handed, y up,
z forward, +x to the character's left.
"""

__version__ = "0.1.0"
