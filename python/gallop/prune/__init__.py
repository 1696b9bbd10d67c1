"""Pruning to regular holes, which the runtime and the compiler turn into speed: docs/pruning.md.

Controllers, `python -m gallop.prune MODEL -o OUT`:

blocks     patches of blended layers: which go, and what stays solved anew
frames     inputs that a controller meets

Convolutions, for a torch model of one's own:

patterns   four of the nine weights of a 3x3 kernel, and whole kernels
admm       training under such constraints, then retraining what is left
digits     a small CNN as the example: python -m gallop.prune.digits
"""
