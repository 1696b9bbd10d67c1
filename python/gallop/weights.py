"""Weights as a model file stores them (docs/format.md): floats, and integers with scales.

Everywhere else weights are float32: of integers the exact products with their scales, which are
kept beside them.
"""

from __future__ import annotations

from typing import Callable

import numpy as np

TYPES = ("f32", "f16", "bf16", "int8", "int16")  # by their numbers in the file
INTEGERS = {"int8": ("<i1", 127), "int16": ("<i2", 32767)}  # and the largest that may be stored
SUM_MOST = 0x7FFFFFFF // 11585  # of the sizes of int16 in a block (src/kernels/narrow.h)
SCALE_LEAST, SCALE_MOST = 2.0**-60, 2.0**60


def bf16_bits(values: np.ndarray) -> np.ndarray:
    """The nearest bfloat16, ties to even, as uint16."""
    bits = np.ascontiguousarray(values, "<f4").view("<u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def bf16_values(bits: np.ndarray) -> np.ndarray:
    return (bits.astype("<u4") << 16).view("<f4")


def stored(weights: np.ndarray, type: str) -> np.ndarray:
    """Weights as float64 after rounding to what the file keeps; integers are exact already."""
    if type == "f16":
        weights = weights.astype("<f2")
    elif type == "bf16":
        weights = bf16_values(bf16_bits(weights))
    return weights.astype(np.float64)


def fits(type: str, block: int) -> bool:
    """Whether weights of the type may have blocks of so many inputs; 0: one for all."""
    if type not in INTEGERS:
        return block == 0
    return (block == 0 and type == "int8") or (block % 16 == 0 and 16 <= block <= 512)


def _wide(scales: np.ndarray, block: int, shape: tuple[int, ...]) -> np.ndarray:
    """A scale for each weight."""
    return np.repeat(scales, block or shape[2], axis=2)[:, :, : shape[2]]


def _check(integers: np.ndarray, scales: np.ndarray, type: str, block: int) -> None:
    """A ValueError says which number no file may have."""
    most = INTEGERS[type][1]
    if (integers.astype(int) < -most).any() and type == "int8":
        raise ValueError(f"a weight is -128, expected -{most}..{most}")
    sizes = np.abs(integers.astype(int))
    starts = np.arange(0, integers.shape[2], block or integers.shape[2])
    if type == "int16" and (np.add.reduceat(sizes, starts, axis=2) > SUM_MOST).any():
        raise ValueError(f"the sizes of a block's weights add up to more than {SUM_MOST}")
    good = (scales == 0) | ((scales >= SCALE_LEAST) & (scales <= SCALE_MOST))
    if not good.all():
        raise ValueError(f"a scale is {scales[~good][0]:g}, expected 0 or 2^-60..2^60")


def _integers(weights: np.ndarray, type: str, block: int, scales: np.ndarray | None) -> np.ndarray:
    if scales is None or not fits(type, block):
        raise ValueError(f"{type} weights without scales of their blocks; "
                         "`gallop quantize` makes them")
    expected = (*weights.shape[:2], -(-weights.shape[2] // (block or weights.shape[2])))
    if scales.shape != expected or (bf16_values(bf16_bits(scales)) != scales).any():
        raise ValueError(f"scales {list(scales.shape)}, expected bfloat16 {list(expected)}")
    wide = _wide(scales, block, weights.shape).astype(np.float64)
    whole = np.divide(weights, wide, out=np.zeros(weights.shape), where=wide != 0)
    most = INTEGERS[type][1]
    exact = (whole * wide == weights) & (whole == np.rint(whole)) & (abs(whole) <= most)
    if not exact.all():
        raise ValueError(f"{type} weights that are not whole multiples of scales up to {most}")
    _check(whole, scales, type, block)
    return whole


def encode(weights: np.ndarray, type: str, block: int = 0, scales: np.ndarray | None = None
           ) -> bytes:
    """The bytes of weights [E, N, K] and of their scales [E, N, blocks], each padded to four."""
    stored_as, tail = numbers(weights, type, block, scales)
    return padded(stored_as) + tail


def numbers(weights: np.ndarray, type: str, block: int = 0, scales: np.ndarray | None = None
            ) -> tuple[np.ndarray, bytes]:
    """Weights [E, N, K] as the file's numbers, and the bytes of their scales."""
    if type in INTEGERS:
        whole = _integers(weights, type, block, scales)
        return whole.astype(INTEGERS[type][0]), padded(bf16_bits(scales))
    if type == "bf16":
        return bf16_bits(weights), b""
    return np.ascontiguousarray(weights, "<f2" if type == "f16" else "<f4"), b""


def padded(array: np.ndarray) -> bytes:
    data = array.tobytes()
    return data + b"\0" * (-len(data) % 4)


def decode(array: Callable[..., np.ndarray], type: str, block: int, shape: tuple[int, int, int]
           ) -> tuple[np.ndarray, np.ndarray | None]:
    """Weights as float32, and the scales of integers. array(dtype, *shape): the next bytes."""
    if type not in INTEGERS:
        raw = array({"f32": "<f4", "f16": "<f2", "bf16": "<u2"}[type], *shape)
        weights = bf16_values(raw) if type == "bf16" else raw.astype(np.float32)
        if not np.isfinite(weights).all():
            raise ValueError("a value is not finite")
        return weights, None
    integers = array(INTEGERS[type][0], *shape)
    scales = bf16_values(array("<u2", *shape[:2], -(-shape[2] // (block or shape[2]))))
    _check(integers, scales, type, block)
    return (integers * _wide(scales, block, shape)).astype(np.float32), scales
