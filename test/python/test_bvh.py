"""The BVH reader: round trip, kinematics, and an error with file and line for every fault."""

import numpy as np
import pytest

import synthetic
from gallop import bvh, motion

TEXT = bvh.format_bvh(synthetic.bvh(3))
LINES = TEXT.splitlines()


def line_with(start):
    return next(i for i, line in enumerate(LINES) if line.strip().startswith(start))


def changed(at, text):
    lines = list(LINES)
    lines[at] = text
    return "\n".join(lines) + "\n"


def test_round_trip():
    made = synthetic.bvh(7)
    read = bvh.parse(bvh.format_bvh(made))
    assert read.names == made.names and read.parents == made.parents
    assert np.allclose(read.values, made.values, rtol=1e-8)
    assert np.allclose(read.offsets, made.offsets)
    assert bvh.format_bvh(read) == bvh.format_bvh(made)


def test_rotation_order_is_the_files():
    made = synthetic.bvh(1)
    made.values[:] = 0
    made.values[0, 3:6] = (90, 90, 0)  # Z then X, both about the turned axes
    z = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], float)
    x = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
    assert np.allclose(made.rotations()[0, 0], z @ x)


def test_positions_replace_the_offset():
    made = synthetic.bvh(2)
    assert np.allclose(made.positions()[:, 0], made.values[:, :3])
    assert np.allclose(made.positions()[:, 1], made.offsets[1])


FAULTS = [
    ("", 1, "the file ends where 'HIERARCHY' was expected"),
    ("MOTION\n", 1, "expected 'HIERARCHY', found 'MOTION'"),
    (changed(1, "JOINT Hips"), 2, "expected 'ROOT'"),
    (changed(1, "ROOT"), 2, "ROOT without a name"),
    (changed(2, "("), 3, "expected '{'"),
    (changed(line_with("OFFSET"), "OFFSET 1 2"), 4, "OFFSET needs 3 numbers, found 2"),
    (changed(line_with("OFFSET"), "OFFSET 1 2 x"), 4, "'x' is not a number"),
    (changed(line_with("OFFSET"), "OFFSET 1 2 nan"), 4, "nan is not finite"),
    (changed(line_with("OFFSET"), ""), 2, "joint 'Hips' has no OFFSET"),
    (changed(line_with("CHANNELS"), ""), 2, "joint 'Hips' has no CHANNELS"),
    (changed(line_with("CHANNELS"), "CHANNELS 6 Xposition"), 5, "CHANNELS says 6, lists 1"),
    (changed(line_with("CHANNELS"), "CHANNELS x"), 5, "CHANNELS says x, lists 0"),
    (changed(line_with("CHANNELS"), "CHANNELS 1 Wrotation"), 5, "unknown channel 'Wrotation'"),
    (changed(line_with("CHANNELS"), "CHANNELS 2 Xrotation Xrotation"), 5, "'Xrotation' twice"),
    (changed(line_with("JOINT LeftKnee"), "JOINT Hips"), None, "a second joint named 'Hips'"),
    (changed(line_with("JOINT LeftKnee"), "JOIN x"), None, "unknown word 'JOIN'"),
    (changed(line_with("MOTION"), "MOTIONS"), None, "expected 'MOTION'"),
    (changed(line_with("MOTION"), "ROOT Other"), None, "a second ROOT: one skeleton a file"),
    (changed(line_with("Frames:"), "Frames: many"), None, "expected 'Frames: COUNT'"),
    (changed(line_with("Frames:"), "Frames: 0"), None, "expected 'Frames: COUNT'"),
    (changed(line_with("Frames:"), "Frames: 99999999"), None, "are too many"),
    (changed(line_with("Frame Time"), "Frame Rate: 1"), None, "expected 'Frame Time: SECONDS'"),
    (changed(line_with("Frame Time"), "Frame Time: 0"), None, "is out of range"),
    (changed(line_with("Frames:"), "Frames: 4"), None, "ends where frame 4 of 4 was expected"),
    (changed(line_with("Frames:"), "Frames: 2"), None, "text after the last of 2 frames"),
    (changed(len(LINES) - 1, LINES[-1] + " 1"), len(LINES), "frame 3 has 31 numbers"),
    (changed(len(LINES) - 1, LINES[-1].replace(" ", " nan ", 1).rsplit(" ", 1)[0]), len(LINES),
     "frame 3: nan is not finite"),
    (changed(len(LINES) - 1, LINES[-1].rsplit(" ", 1)[0] + " x"), len(LINES),
     "'x' is not a number"),
    ("\n".join(LINES[:20]), 20, "the file ends where"),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_fault_names_file_and_line(text, line, message):
    with pytest.raises(bvh.BvhError) as caught:
        bvh.parse(text, "some.bvh")
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"some.bvh:{line}:" if line else "some.bvh:")


def test_binary_file(tmp_path):
    (tmp_path / "a.bvh").write_bytes(b"HIERARCHY\n\xff\xfe\x00")
    with pytest.raises(bvh.BvhError, match=r"a\.bvh:2: not a text file"):
        bvh.read(tmp_path / "a.bvh")


def test_mutations_never_crash():
    """Random cuts and changes are read soundly or refused with a place, never anything else."""
    host = np.random.default_rng(5)
    raw = TEXT.encode()
    refused = 0
    for _ in range(400):
        data = bytearray(raw)
        if host.random() < 0.4:
            del data[host.integers(len(data)) :]
        for _ in range(host.integers(0, 4)):
            if data:
                data[host.integers(len(data))] = host.integers(32, 127)
        try:
            read = bvh.parse(bytes(data).decode(), "m.bvh")
            assert np.isfinite(read.values).all() and len(read.values) == 3
        except bvh.BvhError as e:
            refused += 1
            assert str(e).startswith("m.bvh:") and int(str(e).split(":")[1]) >= 1
    assert refused > 200


def test_kinematics_of_a_file():
    made = synthetic.bvh(4)
    made.values[:] = 0
    made.values[:, :3] = (0, 90, 0)
    skeleton = motion.Skeleton(made.names, made.parents, made.offsets)
    position, _ = motion.forward(skeleton, made.rotations(), made.positions()[:, 0])
    assert np.allclose(position[0, made.names.index("LeftToe")], (10, 1, 16))
