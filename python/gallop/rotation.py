"""Rotations as arrays of 3x3 matrices, with the few conversions that motion needs.

Matrices are [..., 3, 3] and act on column vectors; quaternions are [..., 4] in x, y, z, w order.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation


def from_quaternion(q: np.ndarray) -> np.ndarray:
    """Matrices [..., 3, 3] of quaternions [..., 4] (x, y, z, w; any length but zero)."""
    return Rotation.from_quat(q.reshape(-1, 4)).as_matrix().reshape(*q.shape[:-1], 3, 3)


def to_quaternion(m: np.ndarray) -> np.ndarray:
    """Unit quaternions [..., 4] (x, y, z, w) of matrices [..., 3, 3]."""
    return Rotation.from_matrix(m.reshape(-1, 3, 3)).as_quat().reshape(*m.shape[:-2], 4)


def to_half_vector(m: np.ndarray) -> np.ndarray:
    """Half rotation vectors [..., 3], the logarithm of the quaternion, of matrices [..., 3, 3]."""
    half = Rotation.from_matrix(m.reshape(-1, 3, 3)).as_rotvec() / 2
    return half.reshape(*m.shape[:-2], 3)


def from_half_vector(v: np.ndarray) -> np.ndarray:
    """Matrices [..., 3, 3] of half rotation vectors [..., 3]."""
    full = Rotation.from_rotvec(2 * v.reshape(-1, 3))
    return full.as_matrix().reshape(*v.shape[:-1], 3, 3)


def to_sixd(m: np.ndarray) -> np.ndarray:
    """First two columns of matrices, [..., 6]: x y z of the first, then of the second."""
    return np.concatenate([m[..., :, 0], m[..., :, 1]], axis=-1)


def about_y(angle: np.ndarray) -> np.ndarray:
    """Turns about +y [..., 3, 3]; a positive angle (radians) turns +z towards +x."""
    c, s, o, i = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [np.stack(r, -1) for r in ((c, o, s), (o, i, o), (-s, o, c))]
    return np.stack(rows, -2)


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest rotations [..., 3, 3] that turn directions a [..., 3] into directions b."""
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    v, c = np.cross(a, b), (a * b).sum(-1)[..., None, None]
    k = np.zeros((*v.shape[:-1], 3, 3))
    k[..., 0, 1], k[..., 0, 2], k[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    k = k - np.swapaxes(k, -1, -2)
    return np.eye(3) + k + k @ k / np.maximum(1 + c, 1e-9)


def mix(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """Matrices [T, 3, 3], turned from a towards b by a share of the angle."""
    way = Rotation.from_matrix(np.swapaxes(a, 1, 2) @ b).as_rotvec()
    return a @ Rotation.from_rotvec(share * way).as_matrix()


def aligned_quaternions(q: np.ndarray) -> np.ndarray:
    """Quaternions [T, ..., 4] with signs flipped so that neighbours in time are close.

    q and -q are the same rotation; a spline over the components needs the near one.
    """
    dot = (q[1:] * q[:-1]).sum(-1)
    sign = np.cumprod(np.where(dot < 0, -1.0, 1.0), axis=0)
    return np.concatenate([q[:1], q[1:] * sign[..., None]])


def facing_angle(m: np.ndarray) -> np.ndarray:
    """Heading [...] (radians, 0 = +z, positive towards +x) of the z axis of matrices."""
    return np.arctan2(m[..., 0, 2], m[..., 2, 2])
