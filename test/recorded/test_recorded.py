"""Our network and controller against recorded runs of the original program.

Open loop: the raw network on recorded features, in float32 and in fewer bits. Closed loop: the whole
controller on recorded sticks. In a closed loop two builds of the original itself differ by 0.02 cm.
"""

from pathlib import Path

import numpy as np
import pytest
from conftest import DATA, gallop

MODES = ["cubic", "linear", "constant"]
SCRIPTS = ["crouch", "hills_jog", "hmap001_jog", "random", "run_turn", "start_stop", "strafe", "walk_straight"]
CLOSED = ["walk_straight", "run_turn", "crouch", "strafe", "start_stop", "hills_jog", "hmap001_jog"]
TERRAIN = {  # file, offset
    "hills_jog": ("hills_f32.npy", 0.930586338),
    "hmap001_jog": ("hmap_001_f32.npy", -260.700653),
}
JOINTS = slice(32, 32 + 3 * 31)  # of the outputs: positions about the root, cm
DEAD_ZONE = 10000  # of the two stick axes together, SDL units
SPREAD = 100  # inputs of a run that float64 looks at


def evaluate(model: Path, run, folder: Path, precision: str, most: int | None = None) -> np.ndarray:
    """Outputs of the recorded inputs, of `most` of them spread over the run (float64 is slow)."""
    rows = np.arange(len(run["X"]))
    rows = rows[:: -(-len(rows) // most)] if most else rows
    np.save(folder / "x.npy", run["X"][rows])
    np.save(folder / "p.npy", run["phase_in"][run["sample_index"]][rows])
    gallop("eval", model, "--x", folder / "x.npy", "--phase", folder / "p.npy", "-o", folder / "y.npy",
           "--precision", precision)
    return np.load(folder / "y.npy").astype(float)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_network_matches_float64(mode, script, models, recorded, tmp_path):
    run = recorded(f"{script}_{mode}")
    fast = evaluate(models.get(mode), run, tmp_path, "f32", SPREAD)
    exact = evaluate(models.get(mode), run, tmp_path, "f64", SPREAD)
    rms = np.sqrt((exact**2).mean(1))
    worst = (np.abs(fast - exact).max(1) / rms).max()
    print(f"{script} {mode}: {worst:.2e} of the rms")
    assert worst <= 1e-5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_open_loop_output_is_the_recorded_one(mode, script, models, recorded, tmp_path):
    run = recorded(f"{script}_{mode}")
    ours = evaluate(models.get(mode), run, tmp_path, "f32")
    std = np.fromfile(models.published / "Ystd.bin", "<f4").astype(float)
    assert (np.abs(ours - run["Y"]) / std).max() <= 1e-4


def script_of(run, path: Path) -> None:
    """The recorded pad as a drive script: stick in SDL units, triggers resting at -32768."""
    axes = run["axes"].astype(float)
    stick = np.where((np.abs(axes[:, :2]).sum(1) < DEAD_ZONE)[:, None], 0, axes[:, :2] / 32768)
    triggers = (axes[:, 4:] / 32768 + 1) / 2
    camera = run["camera_yaw_pitch_dirxz"]
    yaw = np.arctan2(camera[:, 2], camera[:, 3])
    columns = np.stack([np.arange(run.frames), stick[:, 0], -stick[:, 1], triggers[:, 1], triggers[:, 0],
                        run["crouch_target"], run["responsive"], yaw], 1)
    header = "frame,move_x,move_y,run,strafe,crouch,responsive,camera_yaw"
    np.savetxt(path, columns, delimiter=",", header=header, comments="", fmt="%.9g")


@pytest.mark.parametrize("script", CLOSED)
def test_closed_loop_follows_the_recorded_run(script, models, recorded, tmp_path):
    run = recorded(f"{script}_cubic")
    script_of(run, tmp_path / "s.csv")
    terrain = []
    if script in TERRAIN:
        file, offset = TERRAIN[script]
        terrain = ["--terrain", DATA / "runs" / "terrain" / file, "--terrain-scale", 3, "--terrain-offset", offset]
    gallop("drive", models.get("cubic"), "--input", tmp_path / "s.csv", "-o", tmp_path / "p.npy",
           "--fed-back", tmp_path / "f.npy", "--no-foot-lock", *terrain)
    ours = np.load(tmp_path / "f.npy")
    error = np.sqrt(((ours - run["joint_positions"]) ** 2).sum(2).mean(1))
    print(f"{script}: worst frame {error.max():.4f} cm, last {error[-1]:.4f} cm")
    assert error.max() <= 0.1


@pytest.mark.parametrize("script", ["walk_straight", "run_turn", "start_stop"])
def test_fewer_bits_place_the_joints(script, models, recorded, tmp_path):
    run = recorded(f"{script}_cubic")
    exact = evaluate(models.get("cubic"), run, tmp_path, "f64", SPREAD)
    for precision, bound in (("int16", 0.005), ("int8", 0.1)):
        rounded = evaluate(models.get("cubic"), run, tmp_path, precision, SPREAD)
        error = np.sqrt(((rounded - exact)[:, JOINTS].reshape(-1, 31, 3) ** 2).sum(2).mean())
        print(f"{script} {precision}: {error:.4f} cm")
        assert 0 < error <= bound


def walk(model: Path, run, folder: Path, precision: str) -> np.ndarray:
    """The last frame's joints, as fed back, of the recorded sticks in a precision."""
    script_of(run, folder / "s.csv")
    gallop("drive", model, "--input", folder / "s.csv", "-o", folder / "p.npy", "--fed-back", folder / "f.npy",
           "--no-foot-lock", "--precision", precision)
    return np.load(folder / "f.npy")[-1]


@pytest.mark.parametrize("precision,bound", [("fp16", 0.3), ("bf16", 2), ("bf16-dot", 2), ("int16", 0.3), ("int8", 8)])
def test_fewer_bits_end_near_the_same_place(precision, bound, models, recorded, tmp_path):
    errors = []
    for script in ("walk_straight", "run_turn", "start_stop"):
        run = recorded(f"{script}_cubic")
        off = walk(models.get("cubic"), run, tmp_path, precision) - walk(models.get("cubic"), run, tmp_path, "f32")
        errors.append(np.sqrt((off**2).sum(1).mean()))
    print(f"{precision}: {', '.join(f'{error:.3f}' for error in errors)} cm")
    assert 0 < np.median(errors) <= bound
