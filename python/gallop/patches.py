"""Patches of sparse layers: 16 outputs x 8 inputs of all experts, there or not (docs/format.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

import numpy as np

from gallop import weights as stored_weights

if TYPE_CHECKING:
    from gallop.modelfile import Layer

OUTPUTS, INPUTS = 16, 8
_WORD = 32  # patches of a word of the mask
MOST = 1 << 29  # weights of a layer with its zeros, less one


def counts(outputs: int, inputs: int) -> tuple[int, int]:
    """Rows and columns of patches."""
    return -(-outputs // OUTPUTS), -(-inputs // INPUTS)


def split(weights: np.ndarray) -> np.ndarray:
    """[E, N, K] as [E, rows, columns, 16, 8], zeros beyond the edges."""
    e, n, k = weights.shape
    rows, columns = counts(n, k)
    whole = np.zeros((e, rows * OUTPUTS, columns * INPUTS), weights.dtype)
    whole[:, :n, :k] = weights
    return whole.reshape(e, rows, OUTPUTS, columns, INPUTS).swapaxes(2, 3)


def join(patches: np.ndarray, outputs: int, inputs: int) -> np.ndarray:
    """What `split` made, as [E, N, K]."""
    e, rows, columns = patches.shape[:3]
    whole = patches.swapaxes(2, 3).reshape(e, rows * OUTPUTS, columns * INPUTS)
    return np.ascontiguousarray(whole[:, :outputs, :inputs])


def spread(mask: np.ndarray, outputs: int, inputs: int) -> np.ndarray:
    """The mask [rows, columns] as one of weights [N, K]."""
    wide = np.repeat(np.repeat(mask, OUTPUTS, axis=0), INPUTS, axis=1)
    return wide[:outputs, :inputs]


def norms(weights: np.ndarray) -> np.ndarray:
    """The norm of each patch [rows, columns] over all experts."""
    return np.sqrt(np.square(split(weights).astype(np.float64)).sum(axis=(0, 3, 4)))


def encode(layer: Layer) -> bytes:
    """A sparse layer's mask, weights and scales as the file has them."""
    outputs, inputs = layer.weights.shape[1:]
    mask = np.asarray(layer.mask, bool) if layer.mask is not None else None
    if mask is None or mask.shape != counts(outputs, inputs):
        raise ValueError(f"a sparse layer without a mask {list(counts(outputs, inputs))}")
    if layer.weights[:, ~spread(mask, outputs, inputs)].any():
        raise ValueError("a weight outside of the mask is not 0")
    numbers, tail = stored_weights.numbers(layer.weights, layer.type, layer.block, layer.scales)
    return _mask_bytes(mask) + stored_weights.padded(split(numbers)[:, mask]) + tail


def _mask_bytes(mask: np.ndarray) -> bytes:
    words = -(-mask.shape[1] // _WORD)
    bits = np.zeros((mask.shape[0], words * _WORD), bool)
    bits[:, : mask.shape[1]] = mask
    each = bits.reshape(-1, _WORD)
    count = each.sum(1)
    table = np.stack([each @ (1 << np.arange(_WORD, dtype=np.uint64)),
                      (np.cumsum(count) - count).astype(np.uint64)], axis=1)
    return np.uint32(mask.sum()).astype("<u4").tobytes() + table.astype("<u4").tobytes()


def decode_mask(array: Callable[..., np.ndarray], outputs: int, inputs: int) -> np.ndarray:
    """The mask [rows, columns] of the next bytes; a ValueError says what is wrong with it."""
    rows, columns = counts(outputs, inputs)
    words = -(-columns // _WORD)
    count = int(array("<u4", 1)[0])
    table = array("<u4", rows, words, 2)
    bits = (table[:, :, 0, None] >> np.arange(_WORD, dtype=np.uint32) & 1).astype(bool)
    each = bits.sum(2).reshape(-1)
    if ((np.cumsum(each) - each) != table[:, :, 1].reshape(-1)).any() or each.sum() != count:
        raise ValueError("the counts of the mask are not those of its bits")
    wide = bits.reshape(rows, -1)
    if wide[:, columns:].any():
        raise ValueError("the mask has patches beyond the layer's inputs")
    return wide[:, :columns]


def decode(array: Callable[..., np.ndarray], type: str, block: int, shape: tuple[int, int, int],
           mask: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Weights [E, N, K] as float32 with their zeros, and the scales of integers."""
    if shape[0] * shape[1] * shape[2] >= MOST:
        raise ValueError(f"{list(shape)} weights, expected fewer than 2^29 with the zeros")

    weights: list[np.ndarray] = []

    def next_array(dtype: str, *wanted: int) -> np.ndarray:
        if weights:  # these are the scales
            return array(dtype, *wanted)
        raw = array(dtype, shape[0], int(mask.sum()), OUTPUTS, INPUTS)
        whole = np.zeros((shape[0], *mask.shape, OUTPUTS, INPUTS), raw.dtype)
        whole[:, mask] = raw
        joined = join(whole, *shape[1:])
        if np.count_nonzero(joined) != np.count_nonzero(raw):
            raise ValueError("a weight beyond the layer's edge is not 0")
        weights.append(joined)
        return joined

    return stored_weights.decode(next_array, type, block, shape)
