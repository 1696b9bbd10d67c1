"""Networks run by the C library: NumPy arrays in and out, the library's bits.

A network is immutable and may be run by several threads at once: the library runs without the GIL,
and how rows are split over calls or threads changes no bit of any row.
"""

from __future__ import annotations

import ctypes
import operator
import os
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Union

import numpy as np

from gallop import library
from gallop.library import gal_error, gal_network_batch, gal_network_desc

if TYPE_CHECKING:
    from typing import Unpack

Source = Union[str, "os.PathLike[str]", bytes]  # a model file's path, or its bytes


class NetworkInfo(NamedTuple):
    """Facts of an open network, as gal_network_info."""

    inputs: int
    outputs: int
    live_inputs: int
    layers: int
    gate: str
    experts: int
    parameters: int
    memory: int
    isa: str
    precision: str


class Options(TypedDict, total=False):
    """How to open: the fields of gal_network_desc, in words."""

    isa: str
    form: str
    plan: str | None
    small_pages: bool
    precision: str
    block: int | str


def describe(isa: str = "best", form: str = "per-expert", plan: str | None = None,
             small_pages: bool = False, precision: str = "stored",
             block: int | str = 0) -> gal_network_desc:
    """A gal_network_desc of words."""
    return gal_network_desc(
        struct_size=ctypes.sizeof(gal_network_desc),
        isa=library.number_of(library.ISAS, isa, "isa"),
        form=library.number_of(library.FORMS, form, "form"), plan=plan.encode() if plan else None,
        small_pages=int(small_pages),
        precision=library.number_of(library.PRECISIONS, precision, "precision"),
        block=library.BLOCK_ROW if block == "row" else operator.index(block))


def open_handle(kind: str, source: Source, options: Options) -> ctypes.c_void_p:
    """gal_<kind>_open of a path, or gal_<kind>_open_memory of bytes."""
    for name in options:
        if name not in Options.__annotations__:
            known = ", ".join(Options.__annotations__)
            raise TypeError(f"{kind.title()}: no option {name!r}: {known} expected")
    lib, handle, error, desc = library.load(), ctypes.c_void_p(), gal_error(), describe(**options)
    if isinstance(source, bytes):
        opener, arguments = getattr(lib, f"gal_{kind}_open_memory"), (source, len(source))
    else:
        opener, arguments = getattr(lib, f"gal_{kind}_open"), (os.fsencode(source),)
    library.check(opener(ctypes.byref(handle), *arguments, ctypes.byref(desc), error), error)
    return handle


class Network:
    """A model file's network, open for running.

    `source` is a path or a file's bytes. `isa`: "best", "scalar", "avx2", ...; `form`:
    "per-expert" or "blend"; `plan`: None, "measure", or the text of another network's `plan`
    (docs/plan.md); `precision`: "stored", "f32", "int8", ..., with `block`, the inputs that share a
    scale or "row" (docs/numerics.md). Raises gallop.Error with the library's message.
    """

    def __init__(self, source: Source, **options: Unpack[Options]) -> None:
        handle = open_handle("network", source, options)
        weakref.finalize(self, library.load().gal_network_close, handle)
        self._take(handle, None)

    @classmethod
    def _borrow(cls, handle: int, owner: Any) -> Network:
        """The network inside `owner`, which is kept alive."""
        network = cls.__new__(cls)
        network._take(ctypes.c_void_p(handle), owner)
        return network

    def _take(self, handle: ctypes.c_void_p, owner: Any) -> None:
        raw = library.load().gal_network_get_info(handle)
        values = {name: getattr(raw, name) for name in NetworkInfo._fields}
        values.update(gate=library.GATES[raw.gate], isa=library.ISAS[raw.isa],
                      precision=library.PRECISIONS[raw.precision])
        self._handle, self._owner, self.info = handle, owner, NetworkInfo(**values)

    def __repr__(self) -> str:
        i = self.info
        return f"<gallop.Network {i.inputs} -> {i.outputs}, {i.experts} experts, gate {i.gate}>"

    @property
    def plan(self) -> str:
        """How it runs on this machine, layer by layer; may be given to another opening."""
        lib = library.load()
        size = lib.gal_network_plan_text(self._handle, None, 0) + 1
        text = ctypes.create_string_buffer(size)
        lib.gal_network_plan_text(self._handle, text, size)
        return text.value.decode()

    def run(self, x: np.ndarray, *, phase: Any = None, blend: Any = None) -> np.ndarray:
        """Outputs [C, outputs] of raw features x [C, inputs]; of one row [inputs], one row.

        A phase gate needs `phase`, radians, one or [C]; a caller's gate of several experts `blend`,
        [experts] or [C, experts]; a gating network neither. Arrays are taken as float32.
        """
        rows = np.ascontiguousarray(x, np.float32)
        if rows.ndim not in (1, 2) or rows.shape[-1] != self.info.inputs:
            raise ValueError(f"x has shape {rows.shape}, [count, {self.info.inputs}] expected")
        batch = rows.reshape(-1, self.info.inputs)
        y = np.empty((len(batch), self.info.outputs), np.float32)
        self._call(batch, self._gate(len(batch), phase, blend), y)
        return y[0] if rows.ndim == 1 else y

    def _gate(self, count: int, phase: Any, blend: Any) -> tuple[str, np.ndarray] | None:
        """The batch's field for the gate, and its values; None for a gating network."""
        wanted = {"caller": "blend", "network": None}.get(self.info.gate, "phase")
        needed = wanted if (wanted, self.info.experts) != ("blend", 1) else None
        for name, value in (("phase", phase), ("blend", blend)):
            if name == needed if value is None else name != wanted:
                what = f"{wanted}=" if wanted else "neither phase= nor blend="
                raise ValueError(f"a network whose gate is '{self.info.gate}' takes {what}")
        if wanted is None:
            return None
        shape = (count, self.info.experts) if wanted == "blend" else (count,)
        if wanted == "blend" and blend is None:  # of one expert
            return None
        given = np.asarray(phase if wanted == "phase" else blend, np.float32)
        if given.shape not in (shape, shape[1:]):
            rows = [list(shape[1:]) if shape[1:] else "one number", list(shape)]
            raise ValueError(f"{wanted} has shape {given.shape}, {rows[0]} or {rows[1]} expected")
        return wanted, np.ascontiguousarray(np.broadcast_to(given, shape))

    def _call(self, x: np.ndarray, gate: tuple[str, np.ndarray] | None, y: np.ndarray) -> None:
        lib, error = library.load(), gal_error()
        size = lib.gal_network_workspace_size(self._handle, len(x))
        memory = np.empty(size + 64, np.uint8)
        workspace = memory.ctypes.data + -memory.ctypes.data % 64
        batch = gal_network_batch(count=len(x), x=x.ctypes.data, y=y.ctypes.data)
        if gate:
            setattr(batch, gate[0], gate[1].ctypes.data)
        status = lib.gal_network_run(self._handle, ctypes.byref(batch), workspace, size, error)
        library.check(status, error)
