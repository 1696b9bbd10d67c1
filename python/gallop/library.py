"""The C library through ctypes: where it lies, and the structs and functions of include/gallop.

Structs have the names and fields of the headers, FUNCTIONS their results and arguments; the test
api/binding compares both with the headers. The library is loaded when it is first needed, so that
training and reading of model files do without. ctypes releases the GIL while a function runs.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

ISAS = ("best", "scalar", "avx2", "avx512", "neon", "neon-a55", "avx2-vnni", "avx512-vnni",
        "avx512-bf16", "neon-dot", "neon-bf16", "neon-i8mm", "wasm", "wasm-unfused")
PRECISIONS = ("stored", "f32", "fp16", "bf16", "bf16-dot", "int16", "int8", "int8-dot")
BLOCK_ROW = 0xFFFFFFFF  # GAL_BLOCK_ROW
FORMS = ("per-expert", "blend")
NOT_FOUND = 6  # GAL_NOT_FOUND
GATES = ("caller", "cubic", "linear", "constant", "network")


class Error(RuntimeError):
    """What the library refused, in its own words; `status` is the kind ("bad data")."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class gal_error(ctypes.Structure):
    _fields_ = (("status", c_int), ("message", ctypes.c_char * 256))


class gal_network_desc(ctypes.Structure):
    _fields_ = (("struct_size", c_uint32), ("allocator", c_void_p), ("isa", c_int), ("form", c_int),
                ("plan", c_char_p), ("small_pages", c_uint32), ("precision", c_int),
                ("block", c_uint32))


class gal_network_info(ctypes.Structure):
    _fields_ = (("inputs", c_uint32), ("outputs", c_uint32), ("live_inputs", c_uint32),
                ("layers", c_uint32), ("gate", c_int), ("experts", c_uint32),
                ("parameters", c_uint64), ("memory", c_size_t), ("isa", c_int),
                ("precision", c_int))


class gal_network_batch(ctypes.Structure):
    _fields_ = (("count", c_uint32), ("x", c_void_p), ("x_stride", c_size_t), ("phase", c_void_p),
                ("blend", c_void_p), ("y", c_void_p), ("y_stride", c_size_t),
                ("parallel", c_void_p))


class gal_vec3(ctypes.Structure):
    _fields_ = (("x", c_float), ("y", c_float), ("z", c_float))


class gal_quat(ctypes.Structure):
    _fields_ = (("x", c_float), ("y", c_float), ("z", c_float), ("w", c_float))


class gal_transform(ctypes.Structure):
    _fields_ = (("position", gal_vec3), ("rotation", gal_quat))


class gal_controller_info(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("rate", c_float), ("unit_metres", c_float),
                ("joints", c_uint32), ("contacts", c_uint32), ("legs", c_uint32),
                ("speed_walk", c_float), ("speed_run", c_float), ("can_crouch", c_int),
                ("can_jump", c_int))


class gal_height_field(ctypes.Structure):
    _fields_ = (("heights", c_void_p), ("rows", c_uint32), ("columns", c_uint32),
                ("cell", c_float), ("origin_x", c_float), ("origin_z", c_float))


class gal_crowd_desc(ctypes.Structure):
    _fields_ = (("struct_size", c_uint32), ("controller", c_void_p), ("capacity", c_uint32),
                ("ground", c_void_p), ("ground_context", c_void_p), ("parallel", c_void_p),
                ("allocator", c_void_p), ("groups", c_void_p), ("group_count", c_uint32))


class gal_spawn(ctypes.Structure):
    _fields_ = (("x", c_float), ("z", c_float), ("facing", c_float), ("phase", c_float),
                ("group", c_uint32))


class gal_input(ctypes.Structure):
    _fields_ = (("move_x", c_float), ("move_y", c_float), ("run", c_float), ("strafe", c_float),
                ("crouch", c_float), ("camera_yaw", c_float), ("responsive", c_int),
                ("jump", c_int))


class gal_character_state(ctypes.Structure):
    _fields_ = (("root", gal_vec3), ("facing", c_float), ("phase", c_float), ("speed", c_float),
                ("contacts", c_float * 16))


STRUCTS = (
    gal_error, gal_network_desc, gal_network_info, gal_network_batch, gal_vec3, gal_quat,
    gal_transform, gal_controller_info, gal_height_field, gal_crowd_desc, gal_spawn, gal_input,
    gal_character_state,
)  # fmt: skip

GROUND = ctypes.CFUNCTYPE(c_float, c_void_p, c_float, c_float)
_ERROR, _HANDLE, _OUT = POINTER(gal_error), c_void_p, POINTER(c_void_p)

# Result and arguments.
FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gal_version": (c_char_p, ()),
    "gal_status_text": (c_char_p, (c_int,)),
    "gal_network_open": (c_int, (_OUT, c_char_p, POINTER(gal_network_desc), _ERROR)),
    "gal_network_open_memory":
        (c_int, (_OUT, c_char_p, c_size_t, POINTER(gal_network_desc), _ERROR)),
    "gal_network_close": (None, (_HANDLE,)),
    "gal_network_get_info": (gal_network_info, (_HANDLE,)),
    "gal_network_plan_text": (c_size_t, (_HANDLE, c_char_p, c_size_t)),
    "gal_network_workspace_size": (c_size_t, (_HANDLE, c_uint32)),
    "gal_network_run": (c_int, (_HANDLE, POINTER(gal_network_batch), c_void_p, c_size_t, _ERROR)),
    "gal_controller_open": (c_int, (_OUT, c_char_p, POINTER(gal_network_desc), _ERROR)),
    "gal_controller_open_memory":
        (c_int, (_OUT, c_char_p, c_size_t, POINTER(gal_network_desc), _ERROR)),
    "gal_controller_close": (None, (_HANDLE,)),
    "gal_controller_get_info": (gal_controller_info, (_HANDLE,)),
    "gal_controller_network": (_HANDLE, (_HANDLE,)),
    "gal_controller_joint_name": (c_char_p, (_HANDLE, c_uint32)),
    "gal_controller_joint_parent": (ctypes.c_int32, (_HANDLE, c_uint32)),
    "gal_controller_contact_joint": (ctypes.c_int32, (_HANDLE, c_uint32)),
    "gal_controller_gait_name": (c_char_p, (_HANDLE, c_uint32)),
    "gal_controller_joint_rest": (gal_transform, (_HANDLE, c_uint32)),
    "gal_height_field_ground": (c_float, (c_void_p, c_float, c_float)),
    "gal_crowd_create": (c_int, (_OUT, POINTER(gal_crowd_desc), _ERROR)),
    "gal_crowd_destroy": (None, (_HANDLE,)),
    "gal_crowd_add": (c_int, (_HANDLE, POINTER(gal_spawn), POINTER(c_uint32))),
    "gal_crowd_remove": (c_int, (_HANDLE, c_uint32)),
    "gal_crowd_count": (c_uint32, (_HANDLE,)),
    "gal_crowd_at": (c_uint32, (_HANDLE, c_uint32)),
    "gal_crowd_set_input": (c_int, (_HANDLE, c_uint32, POINTER(gal_input))),
    "gal_crowd_teleport": (c_int, (_HANDLE, c_uint32, c_float, c_float, c_float)),
    "gal_crowd_set_foot_lock": (c_int, (_HANDLE, c_uint32, c_int)),
    "gal_crowd_step": (None, (_HANDLE,)),
    "gal_crowd_advance": (c_uint32, (_HANDLE, c_float, c_uint32, POINTER(c_float))),
    "gal_crowd_resets": (c_uint64, (_HANDLE,)),
    "gal_crowd_pose": (c_void_p, (_HANDLE, c_uint32, POINTER(c_uint32))),
    "gal_crowd_pose_between": (c_int, (_HANDLE, c_uint32, c_float, c_void_p)),
    "gal_crowd_pose_local": (c_int, (_HANDLE, c_uint32, c_void_p)),
    "gal_crowd_state": (c_int, (_HANDLE, c_uint32, POINTER(gal_character_state))),
    "gal_crowd_gaits": (c_uint32, (_HANDLE, c_uint32, c_void_p, c_uint32)),
    "gal_crowd_trajectory": (c_uint32, (_HANDLE, c_uint32, c_void_p, c_void_p, c_uint32)),
    "gal_crowd_snapshot_size": (c_size_t, (_HANDLE,)),
    "gal_crowd_save": (c_int, (_HANDLE, c_void_p, c_size_t, POINTER(c_size_t))),
    "gal_crowd_restore": (c_int, (_HANDLE, c_char_p, c_size_t, _ERROR)),
}  # fmt: skip


def find() -> Path:
    """The library's file: $GALLOP_LIBRARY, in the installed package, or built in a checkout."""
    given = os.environ.get("GALLOP_LIBRARY")
    if given:
        return Path(given)
    name = {"darwin": "libgallop.dylib", "win32": "libgallop.dll"}.get(sys.platform, "libgallop.so")
    here = Path(__file__).resolve().parent
    for path in (here / name, here.parents[1] / "build" / "shared" / name):
        if path.exists():
            return path
    raise OSError(
        f"{name} is not there: install the wheel (pip install .), build it in the checkout "
        "(cmake --preset shared && cmake --build build/shared) or set GALLOP_LIBRARY to its path")


def models_folder() -> Path:
    """The models that come with the package: installed beside its modules, or the checkout's."""
    here = Path(__file__).resolve().parent
    return here / "models" if (here / "models").is_dir() else here.parents[1] / "models"


def model_path(name: str) -> str:
    """The file of a model that comes with the package, by its name: "walker", "dog"."""
    folder = models_folder()
    names = sorted(path.stem for path in folder.glob("*.gallop"))
    if name not in names:
        raise ValueError(f"model {name!r}: one of {', '.join(names) or 'none'} expected")
    return str(folder / f"{name}.gallop")


@functools.cache
def load() -> ctypes.CDLL:
    """The library, loaded once, its functions declared."""
    path = find()
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    from gallop import __version__

    version = library.gal_version().decode()
    if version != __version__:
        raise OSError(f"{path} is version {version}, this package {__version__}")
    return library


def check(status: int, said: gal_error | str) -> None:
    """Raise gallop.Error unless the call returned GAL_OK: with the message that the library gave,
    or, for a call that gives none, `said` is what it was about."""
    if status:
        kind = load().gal_status_text(status).decode()
        if isinstance(said, str):
            raise Error(kind, f"{said}: {kind}")
        raise Error(kind, said.message.decode("utf-8", "replace"))


def number_of(names: tuple[str, ...], name: str, what: str) -> int:
    """The place of `name` in an enumeration's names."""
    if name not in names:
        raise ValueError(f"{what} {name!r}: one of {', '.join(names)} expected")
    return names.index(name)
