"""Pruning to regular holes, which the compiler turns into speed: docs/pruning.md.

patterns   four of the nine weights of a 3x3 kernel, and whole kernels
admm       training under such constraints, then retraining what is left
"""
