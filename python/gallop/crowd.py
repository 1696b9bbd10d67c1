"""Controllers and crowds run by the C library: game input in, poses as NumPy arrays out.

Space and units are those of include/gallop/crowd.h: right-handed, y up, z forward, lengths in the
controller's unit, angles in radians. A transform is a row of seven: position x y z, rotation as a
quaternion x y z w.
"""

from __future__ import annotations

import ctypes
import math
import operator
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gallop import library
from gallop.library import gal_error
from gallop.runtime import Network, Options, Source, open_handle

if TYPE_CHECKING:
    from typing import Unpack

SAMPLES_MOST = 64  # of a trajectory, docs/format.md


@dataclass(frozen=True)
class Joint:
    """A joint: its parent's index (-1: none), its rest transform [7] in the parent's frame."""

    name: str
    parent: int
    rest: np.ndarray


class ControllerInfo(NamedTuple):
    """Facts of a controller, as gal_controller_info; speeds in units per second. What it cannot do,
    crouch and jump, is ignored in an input."""

    name: str
    rate: float
    unit_metres: float
    contacts: int
    legs: int
    speed_walk: float
    speed_run: float
    can_crouch: bool
    can_jump: bool


@dataclass(frozen=True)
class HeightField:
    """Ground: heights [rows, columns], row r at z = origin_z + r cell, column c at
    x = origin_x + c cell; bilinear between, clamped at the borders."""

    heights: np.ndarray
    cell: float
    origin_x: float = 0.0
    origin_z: float = 0.0


class State(NamedTuple):
    """A character's movement: root [3], angles in radians, speed in units per second, contacts
    0..1 in the contract's order."""

    root: np.ndarray
    facing: float
    phase: float
    speed: float
    contacts: np.ndarray


def _capacity(count: int) -> int:
    """As the struct takes it: a number below 0 would wrap."""
    if not 0 <= operator.index(count) < 1 << 32:
        raise ValueError(f"capacity={count}: 1..65535 expected")
    return operator.index(count)


def _finite(**numbers: float) -> None:
    """Raise a ValueError that names the argument which is no finite number."""
    for name, value in numbers.items():
        if not math.isfinite(value):
            raise ValueError(f"{name}={value}: a finite number expected")


class Controller:
    """A model file's contract, network and motion rules; shared by any number of crowds.
    Arguments and errors as gallop.Network."""

    def __init__(self, source: Source, **options: Unpack[Options]) -> None:
        lib = library.load()
        self._handle = open_handle("controller", source, options)
        weakref.finalize(self, lib.gal_controller_close, self._handle)
        raw = lib.gal_controller_get_info(self._handle)
        values = {name: getattr(raw, name) for name in ControllerInfo._fields}
        values.update(name=raw.name.decode(), can_crouch=bool(raw.can_crouch),
                      can_jump=bool(raw.can_jump))
        self.info = ControllerInfo(**values)
        self.joints = [self._joint(i) for i in range(raw.joints)]
        self.contact_joints = [lib.gal_controller_contact_joint(self._handle, i)
                               for i in range(raw.contacts)]
        self.gaits: list[str] = []
        while name := lib.gal_controller_gait_name(self._handle, len(self.gaits)):
            self.gaits.append(name.decode())

    def __repr__(self) -> str:
        return f"<gallop.Controller {self.info.name}, {len(self.joints)} joints>"

    @property
    def network(self) -> Network:
        """The network inside."""
        return Network._borrow(library.load().gal_controller_network(self._handle), self)

    def _joint(self, i: int) -> Joint:
        lib = library.load()
        rest = np.array(np.frombuffer(lib.gal_controller_joint_rest(self._handle, i), np.float32))
        return Joint(lib.gal_controller_joint_name(self._handle, i).decode(),
                     lib.gal_controller_joint_parent(self._handle, i), rest)


class Crowd:
    """Up to `capacity` characters of one controller (or of the model file at that path).

    `ground` is a gallop.HeightField, or a function of x and z (slow: it is called many times a
    character and step; it must not use the crowd). Threads may share a crowd; they take turns.
    """

    def __init__(self, controller: Controller | Source, capacity: int = 16,
                 ground: HeightField | Callable[[float, float], float] | None = None) -> None:
        if not isinstance(controller, Controller):
            controller = Controller(controller)
        lib, error, self._handle = library.load(), gal_error(), ctypes.c_void_p()
        self.controller, self._lock = controller, threading.RLock()
        self._failed: list[BaseException] = []
        desc = library.gal_crowd_desc(
            struct_size=ctypes.sizeof(library.gal_crowd_desc), controller=controller._handle,
            capacity=_capacity(capacity))
        self._ground = self._lay(ground, desc)
        library.check(lib.gal_crowd_create(ctypes.byref(self._handle), desc, error), error)
        weakref.finalize(self, _destroy, self._handle, controller)

    def _lay(self, ground: HeightField | Callable[[float, float], float] | None,
             desc: library.gal_crowd_desc) -> object:
        """The ground into desc; returns what must live as long as the crowd."""
        if ground is None:
            return None
        if isinstance(ground, HeightField):
            heights = np.ascontiguousarray(ground.heights, np.float32)
            if heights.ndim != 2 or min(heights.shape) < 2 or not ground.cell > 0:
                raise ValueError("heights [>= 2, >= 2] and a cell above 0 expected")
            field = library.gal_height_field(heights.ctypes.data, *heights.shape, ground.cell,
                                             ground.origin_x, ground.origin_z)
            function = ctypes.cast(library.load().gal_height_field_ground, ctypes.c_void_p)
            desc.ground, desc.ground_context = function, ctypes.addressof(field)
            return heights, field
        if not callable(ground):
            raise TypeError("ground: a gallop.HeightField or a function of x and z expected, "
                            f"not {type(ground).__name__}")
        failed = self._failed

        def height(_: object, x: float, z: float) -> float:
            try:
                return float(ground(x, z))
            except BaseException as error:
                failed.append(error)
                return 0.0

        function = library.GROUND(height)
        desc.ground = ctypes.cast(function, ctypes.c_void_p)
        return function

    def _ground_error(self) -> None:
        """Raise what the ground's function raised during the last call."""
        if self._failed:
            error = self._failed[0]
            self._failed.clear()
            raise error

    def __len__(self) -> int:
        return library.load().gal_crowd_count(self._handle)

    @property
    def characters(self) -> list[int]:
        """Handles of all characters, in the order of `poses`."""
        lib = library.load()
        return [lib.gal_crowd_at(self._handle, i) for i in range(len(self))]

    @property
    def resets(self) -> int:
        """Times a character whose state became non-finite was set back to rest."""
        return library.load().gal_crowd_resets(self._handle)

    def _call(self, name: str, character: int, *arguments: object) -> None:
        """A function of the library about one character, which says if it is not there."""
        with self._lock:
            function = getattr(library.load(), name)
            status = function(self._handle, operator.index(character), *arguments)
        library.check(status, f"character {character}")

    def add(self, x: float = 0.0, z: float = 0.0, facing: float = 0.0, phase: float = 0.0) -> int:
        """Add a character at rest; returns its handle."""
        _finite(x=x, z=z, facing=facing, phase=phase)
        spawn, who = library.gal_spawn(x, z, facing, phase), ctypes.c_uint32()
        with self._lock:
            status = library.load().gal_crowd_add(self._handle, spawn, ctypes.byref(who))
        self._ground_error()
        full = library.load().gal_status_text(status) == b"full"
        library.check(status, f"the crowd has its {len(self)} characters, its capacity" if full
                      else f"x={x}, z={z}, facing={facing}, phase={phase}")
        return who.value

    def remove(self, character: int) -> None:
        """Remove a character; the others are not touched."""
        self._call("gal_crowd_remove", character)

    def set_input(self, character: int, *, move_x: float = 0.0, move_y: float = 0.0,
                  run: float = 0.0, strafe: float = 0.0, crouch: float = 0.0,
                  camera_yaw: float = 0.0, responsive: bool = False,
                  jump: bool = False) -> None:
        """What the player wants from the next step on, until it is set again (gal_input)."""
        given = library.gal_input(move_x, move_y, run, strafe, crouch, camera_yaw,
                                  int(bool(responsive)), int(bool(jump)))
        self._call("gal_crowd_set_input", character, given)

    def teleport(self, character: int, x: float, z: float, facing: float) -> None:
        """Put a character elsewhere as it is, in the middle of its step."""
        _finite(x=x, z=z, facing=facing)
        self._call("gal_crowd_teleport", character, x, z, facing)
        self._ground_error()

    def set_foot_lock(self, character: int, on: bool) -> None:
        """Foot locking of one character, on at the start."""
        self._call("gal_crowd_set_foot_lock", character, int(on))

    def step(self) -> None:
        """One frame of 1 / rate seconds for all characters."""
        with self._lock:
            library.load().gal_crowd_step(self._handle)
        self._ground_error()

    def advance(self, seconds: float, most: int = 0) -> tuple[int, float]:
        """The whole frames due after `seconds` more (at most `most`, 0: 4): how many ran, and the
        part of a frame left over."""
        fraction = ctypes.c_float()
        with self._lock:
            frames = library.load().gal_crowd_advance(self._handle, float(seconds),
                                                      operator.index(most), fraction)
        self._ground_error()
        return frames, fraction.value

    def pose(self, character: int, local: bool = False) -> np.ndarray:
        """Transforms [joints, 7] after the last step, in the world; `local`: in each parent's
        frame."""
        out = np.empty((len(self.controller.joints), 7), np.float32)
        self._pose(character, local, out)
        return out

    def pose_between(self, character: int, fraction: float) -> np.ndarray:
        """The world pose [joints, 7] between the last two steps, 0 the earlier, 1 the later: for
        displays whose frames are not the controller's. `advance` returns the fraction."""
        out = np.empty((len(self.controller.joints), 7), np.float32)
        self._call("gal_crowd_pose_between", character, fraction, out.ctypes.data)
        return out

    def poses(self, local: bool = False) -> np.ndarray:
        """The poses of all characters, [characters, joints, 7]."""
        with self._lock:
            characters = self.characters
            out = np.empty((len(characters), len(self.controller.joints), 7), np.float32)
            for row, character in zip(out, characters):
                self._pose(character, local, row)
        return out

    def _pose(self, character: int, local: bool, out: np.ndarray) -> None:
        if local:
            self._call("gal_crowd_pose_local", character, out.ctypes.data)
            return
        with self._lock:  # the library's pose is valid until the crowd changes
            found = library.load().gal_crowd_pose(self._handle, operator.index(character), None)
            library.check(library.NOT_FOUND if not found else 0, f"character {character}")
            ctypes.memmove(out.ctypes.data, found, out.nbytes)

    def state(self, character: int) -> State:
        """Where a character is and how it moves."""
        raw = library.gal_character_state()
        self._call("gal_crowd_state", character, raw)
        root = np.array([raw.root.x, raw.root.y, raw.root.z], np.float32)
        contacts = np.array(raw.contacts[: self.controller.info.contacts], np.float32)
        return State(root, raw.facing, raw.phase, raw.speed, contacts)

    def gaits(self, character: int) -> dict[str, float]:
        """How much a character is in each gait now, 0..1."""
        amounts = np.zeros(len(self.controller.gaits), np.float32)
        with self._lock:
            count = library.load().gal_crowd_gaits(
                self._handle, operator.index(character), amounts.ctypes.data, len(amounts))
        library.check(0 if count else library.NOT_FOUND, f"character {character}")
        return dict(zip(self.controller.gaits, amounts.tolist()))

    def trajectory(self, character: int) -> tuple[np.ndarray, np.ndarray]:
        """World points [samples, 3] and facing angles [samples] of the path."""
        points = np.empty((SAMPLES_MOST, 3), np.float32)
        facings = np.empty(SAMPLES_MOST, np.float32)
        with self._lock:
            count = library.load().gal_crowd_trajectory(
                self._handle, operator.index(character), points.ctypes.data, facings.ctypes.data,
                SAMPLES_MOST)
        library.check(0 if count else library.NOT_FOUND, f"character {character}")
        return points[:count].copy(), facings[:count].copy()

    def save(self) -> bytes:
        """All that the crowd goes on from, bit for bit; equal states give equal bytes."""
        lib, used = library.load(), ctypes.c_size_t()
        with self._lock:
            out = ctypes.create_string_buffer(lib.gal_crowd_snapshot_size(self._handle))
            library.check(lib.gal_crowd_save(self._handle, out, len(out), used), "a snapshot")
        return out.raw[: used.value]

    def restore(self, snapshot: bytes) -> None:
        """Make the crowd what the saved one was: this one, or another of the same kind of
        character. What is refused leaves the crowd as it is."""
        error = gal_error()
        with self._lock:
            data = bytes(memoryview(snapshot))
            status = library.load().gal_crowd_restore(self._handle, data, len(data), error)
        library.check(status, error)


def _destroy(handle: ctypes.c_void_p, controller: Controller) -> None:
    """Destroy the crowd; holding `controller` until now keeps it open for as long."""
    library.load().gal_crowd_destroy(handle)
