"""The binding: the library's bits, its errors, its crowd; several threads; what importing costs."""

import gc
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gallop
from gallop import library, modelfile
from test_modelfile import small

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GALLOP_COMMAND", str(ROOT / "build/dev/cli/gallop"))
WALKER, DOG = str(ROOT / "models/walker.gallop"), str(ROOT / "models/dog.gallop")


def setup_module():
    try:
        library.load()
    except OSError as e:
        pytest.skip(str(e), allow_module_level=True)


def command(*words):
    if not Path(COMMAND).exists():
        pytest.skip(f"no {COMMAND}")
    subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True)


def features(network, count, seed=0):
    host = np.random.default_rng(seed)
    x = host.normal(size=(count, network.info.inputs)).astype(np.float32)
    return x, host.uniform(-9, 9, count).astype(np.float32)


def evaluated(folder, model, x, gate):
    """What `gallop eval` makes of the rows."""
    np.save(folder / "x.npy", x)
    words = []
    if gate is not None:
        np.save(folder / "g.npy", gate)
        words = ["--phase" if gate.ndim == 1 else "--blend", folder / "g.npy"]
    command("eval", model, "--x", folder / "x.npy", *words, "-o", folder / "y.npy")
    return np.load(folder / "y.npy")


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("count", [0, 1, 5, 67])
def test_a_phase_gate_has_the_commands_bits(tmp_path, count):
    network = gallop.Network(WALKER)
    x, phase = features(network, count)
    assert same_bits(network.run(x, phase=phase), evaluated(tmp_path, WALKER, x, phase))


def test_a_gating_network_has_the_commands_bits(tmp_path):
    network = gallop.Network(DOG)
    x, _ = features(network, 13)
    assert same_bits(network.run(x), evaluated(tmp_path, DOG, x, None))


def test_a_given_blend_has_the_commands_bits(tmp_path):
    modelfile.write(small("given", 8), tmp_path / "m.gallop")
    network = gallop.Network(tmp_path / "m.gallop")
    x, _ = features(network, 7)
    blend = np.random.default_rng(1).dirichlet(np.ones(8), 7).astype(np.float32)
    y = network.run(x, blend=blend)
    assert same_bits(y, evaluated(tmp_path, tmp_path / "m.gallop", x, blend))
    assert same_bits(network.run(x, blend=blend[0])[0], y[0])


def test_rows_do_not_depend_on_each_other_or_on_how_they_lie():
    network = gallop.Network(WALKER)
    x, phase = features(network, 9)
    y = network.run(x, phase=phase)
    assert same_bits(np.stack([network.run(r, phase=p) for r, p in zip(x, phase)]), y)
    assert same_bits(network.run(np.asfortranarray(x), phase=phase), y)
    assert same_bits(network.run(x[::-1], phase=phase[::-1]), y[::-1].copy())
    assert same_bits(network.run(x.astype(float), phase=list(phase)), y)


def test_instruction_sets_plans_and_bytes_give_the_same_bits():
    network = gallop.Network(WALKER)
    x, phase = features(network, 6)
    y = network.run(x, phase=phase)
    assert same_bits(gallop.Network(WALKER, isa="scalar").run(x, phase=phase), y)
    assert same_bits(gallop.Network(Path(WALKER).read_bytes()).run(x, phase=phase), y)
    assert same_bits(gallop.Network(WALKER, plan=network.plan).run(x, phase=phase), y)
    assert same_bits(gallop.Controller(WALKER).network.run(x, phase=phase), y)
    assert gallop.Network(WALKER, isa="scalar").plan.startswith("gallop plan 1: scalar")
    assert not same_bits(gallop.Network(WALKER, form="blend").run(x, phase=phase), y)


def test_info():
    info = gallop.Network(DOG).info
    model = modelfile.read(DOG)
    assert (info.inputs, info.outputs) == (len(model.input_mean), len(model.output_mean))
    assert (info.gate, info.experts, info.layers) == ("network", model.experts, len(model.layers))
    assert info.precision == "f32"
    assert info.isa in library.ISAS and info.memory > 4 * info.parameters * 0.99


def test_precisions():
    network = gallop.Network(WALKER)
    x, phase = features(network, 6)
    y = network.run(x, phase=phase)
    off = []
    for precision, block in (("int16", 0), ("int8", 32), ("int8", "row")):
        rounded = gallop.Network(WALKER, precision=precision, block=block)
        assert rounded.info.precision == ("int8-dot" if block == "row" else precision)
        off.append(np.abs(rounded.run(x, phase=phase) - y).mean())
    assert 0 < off[0] < off[1] < off[2]
    assert gallop.Controller(WALKER, precision="int16").network.info.precision == "int16"
    with pytest.raises(ValueError, match="precision 'int4': one of stored, f32"):
        gallop.Network(WALKER, precision="int4")
    with pytest.raises(gallop.Error, match="block"):
        gallop.Network(WALKER, precision="int8", block=17)


def test_an_unknown_option_is_named():
    for kind in (gallop.Network, gallop.Controller):
        with pytest.raises(TypeError, match=f"^{kind.__name__}: no option 'blocks': isa, form, "):
            kind(gallop.model_path("walker"), blocks=32)


def test_one_expert_needs_no_blend(tmp_path):
    model = small("given", experts=1)
    modelfile.write(model, tmp_path / "one.gallop")
    network = gallop.Network(tmp_path / "one.gallop")
    x = np.random.default_rng(0).normal(size=(3, network.info.inputs))
    assert same_bits(network.run(x), network.run(x, blend=[1]))
    with pytest.raises(ValueError, match="takes blend="):
        network.run(x, phase=0)


REFUSED = [
    (lambda n: n.run(np.zeros((2, 7)), phase=0), ValueError, r"shape \(2, 7\), \[count, 222\]"),
    (lambda n: n.run(np.zeros((2, 222))), ValueError, "takes phase="),
    (lambda n: n.run(np.zeros((2, 222)), blend=np.ones(4)), ValueError, "takes phase="),
    (lambda n: n.run(np.zeros((2, 222)), phase=np.zeros(3)), ValueError,
     r"phase has shape \(3,\), one number or \[2\] expected"),
    (lambda n: n.run(np.zeros((2, 222)), phase=[0, np.nan]), gallop.Error, "character 1"),
    (lambda n: gallop.Network(DOG).run(np.zeros((2, 5))), ValueError, "shape"),
    (lambda n: gallop.Network("nowhere.gallop"), gallop.Error, "nowhere.gallop: No such file"),
    (lambda n: gallop.Network(b"GALLOP"), gallop.Error, "header: 6 bytes"),
    (lambda n: gallop.Network(WALKER, isa="mmx"), ValueError, "isa 'mmx': one of best, scalar"),
    (lambda n: gallop.Network(WALKER, plan="nonsense"), gallop.Error, "plan"),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(gallop.Network(WALKER))


def test_an_error_says_its_kind():
    with pytest.raises(gallop.Error) as caught:
        gallop.Network("nowhere.gallop")
    assert caught.value.status == "input/output error"


def test_the_interpreter_runs_while_the_library_does():
    network = gallop.Network(WALKER, isa="scalar")
    x, phase = features(network, 200)
    span = []

    def work():
        span.append(time.perf_counter())
        network.run(x, phase=phase)
        span.append(time.perf_counter())

    thread, ticks = threading.Thread(target=work), []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    quarter = (span[1] - span[0]) / 4
    assert any(span[0] + quarter < t < span[1] - quarter for t in ticks)


def test_threads_share_a_network():
    network = gallop.Network(DOG)
    x, _ = features(network, 40)
    y, parts = network.run(x), [None] * 4
    threads = [threading.Thread(target=lambda i=i: parts.__setitem__(i, network.run(x[i::4])))
               for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(same_bits(part, y[i::4].copy()) for i, part in enumerate(parts))


# ---- crowds ----


def test_a_crowd_has_the_commands_bits(tmp_path):
    script = ROOT / "samples/walk_and_turn.csv"
    command("drive", WALKER, "--input", script, "-o", tmp_path / "p.npy",
            "--rotations", tmp_path / "r.npy")
    positions, rotations = np.load(tmp_path / "p.npy"), np.load(tmp_path / "r.npy")
    crowd = gallop.Crowd(WALKER, capacity=3)
    crowd.add(x=500)
    who = crowd.add()
    lines = [line for line in script.read_text().splitlines() if line and line[0] != "#"]
    names, *rows = ([word.strip() for word in line.split(",")] for line in lines)
    inputs = {int(row[0]): dict(zip(names[1:], map(float, row[1:]))) for row in rows}
    assert names[0] == "frame" and len(inputs) > 1
    for frame in range(len(positions)):
        if frame in inputs:
            crowd.set_input(who, **inputs[frame])
        crowd.step()
        pose = crowd.pose(who)
        assert same_bits(pose[:, :3].copy(), positions[frame])
        assert same_bits(pose[:, 3:].copy(), rotations[frame])
        assert np.allclose(crowd.pose_between(who, 1)[:, :3], positions[frame], rtol=1e-5)
    assert np.ptp(positions[:, 0], axis=0).max() > 100 and crowd.resets == 0


def test_characters_come_and_go():
    crowd = gallop.Crowd(gallop.Controller(DOG), capacity=2)
    a, b = crowd.add(), crowd.add(x=300, facing=1)
    with pytest.raises(gallop.Error, match="the crowd has its 2 characters, its capacity: full"):
        crowd.add()
    for bad in ("x", "z", "facing", "phase"):
        with pytest.raises(ValueError, match=f"^{bad}=nan: a finite number expected"):
            crowd.add(**{bad: float("nan")})
    with pytest.raises(ValueError, match="facing=inf: a finite number"):
        crowd.teleport(a, 0, 0, float("inf"))
    crowd.set_input(b, move_y=1, run=1)
    assert crowd.advance(0.05) == (3, pytest.approx(0, abs=1e-3))
    assert crowd.poses().shape == (2, len(crowd.controller.joints), 7)
    assert same_bits(crowd.poses()[crowd.characters.index(b)], crowd.pose(b))
    crowd.remove(a)
    assert crowd.characters == [b] and len(crowd) == 1
    for call in (crowd.pose, crowd.state, crowd.trajectory, crowd.remove,
                 lambda c: crowd.pose(c, local=True), lambda c: crowd.pose_between(c, 0.5),
                 lambda c: crowd.set_foot_lock(c, False)):
        with pytest.raises(gallop.Error, match=f"character {a}: ") as caught:
            call(a)
        assert caught.value.status == "not found"


def test_local_poses_and_the_skeleton():
    crowd = gallop.Crowd(WALKER)
    who = crowd.add()
    joints = crowd.controller.joints
    hips, knee = joints[0], next(j for j in joints if j.name == "LeftKnee")
    assert hips.parent == -1 and joints[knee.parent].name == "LeftHip"
    assert knee.rest == pytest.approx([0, -43.7439, -0.006071, 0, 0, 0, 1])
    assert [joints[i].name for i in crowd.controller.contact_joints] == [
        "LeftAnkle", "LeftToe", "RightAnkle", "RightToe"]
    crowd.set_input(who, move_y=1)
    for _ in range(60):
        crowd.step()
    gaits = crowd.gaits(who)
    assert list(gaits) == ["stand", "walk", "run"] and gaits["walk"] > 0.9 > 0.1 > gaits["stand"]
    with pytest.raises(gallop.Error):
        crowd.gaits(0)
    local, world = crowd.pose(who, local=True), crowd.pose(who)
    assert same_bits(local[0], world[0])
    bone = np.linalg.norm(world[joints.index(knee), :3] - world[knee.parent, :3])
    assert np.linalg.norm(local[joints.index(knee), :3]) == pytest.approx(bone, rel=1e-5)
    points, facings = crowd.trajectory(who)
    assert points.shape == (len(facings), 3) == (12, 3)


def test_a_saved_crowd_goes_on_in_the_same_bits():
    crowd, other = gallop.Crowd(WALKER, 3), gallop.Crowd(WALKER, 2)
    who = crowd.add(x=5)
    crowd.add(z=90)
    crowd.set_input(who, move_y=1)
    for _ in range(30):
        crowd.step()
    saved = crowd.save()
    other.restore(saved)
    for each in (crowd, other):
        each.step()
    assert other.characters == crowd.characters
    assert same_bits(crowd.poses(), other.poses())
    crowd.restore(saved)
    assert crowd.save() == saved
    with pytest.raises(gallop.Error, match=r"snapshot: .* expected at least") as refused:
        crowd.restore(b"no")
    assert refused.value.status == "bad data"
    with pytest.raises(gallop.Error, match="other joints"):
        gallop.Crowd(DOG).restore(saved)
    assert crowd.save() == saved


def test_a_teleported_character_is_elsewhere():
    crowd = gallop.Crowd(WALKER, ground=lambda x, z: 0.5 * x)
    who = crowd.add()
    crowd.step()
    crowd.teleport(who, 100, -30, 1)
    state = crowd.state(who)
    np.testing.assert_allclose(state.root, [100, 50, -30], atol=0.5)
    assert abs(state.facing - 1) < 1e-5
    with pytest.raises(gallop.Error, match="not found"):
        crowd.teleport(who + 1, 0, 0, 0)


def test_ground_as_field_and_as_function():
    grid = np.arange(-1000, 1001, 20, dtype=np.float32)
    field = gallop.HeightField(np.tile(0.2 * grid[:, None], (1, len(grid))), 20, -1000, -1000)
    heights = []
    for ground in (field, lambda x, z: 0.2 * z, None):
        crowd = gallop.Crowd(WALKER, ground=ground)
        who = crowd.add(z=100)
        gc.collect()
        crowd.set_input(who, move_y=1)
        for _ in range(60):
            crowd.step()
        heights.append(crowd.state(who).root[1])
    assert heights[0] == pytest.approx(heights[1], abs=0.05)
    assert heights[0] > 25 and heights[2] == 0


def test_what_a_ground_function_raises_is_raised():
    crowd = gallop.Crowd(WALKER, ground=lambda x, z: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        crowd.add()
    with pytest.raises(ValueError, match="cell above 0"):
        gallop.Crowd(WALKER, ground=gallop.HeightField(np.zeros((2, 2)), 0))


def test_arguments_of_another_kind_are_named():
    for call, kind, message in (
            (lambda: gallop.Crowd(WALKER, capacity=-1), ValueError, "capacity=-1: 1..65535"),
            (lambda: gallop.Crowd(WALKER, ground=np.zeros((4, 4))), TypeError,
             "ground: a gallop.HeightField or a function of x and z expected, not ndarray"),
            (lambda: gallop.Crowd(WALKER).advance("x"), ValueError, "could not convert string"),
            (lambda: gallop.Crowd(WALKER).add(z=2e7), gallop.Error, "z=2.*: bad argument"),
            (lambda: gallop.Crowd(WALKER).restore("x"), TypeError, "bytes-like object")):
        with pytest.raises(kind, match=message):
            call()


def test_a_network_is_no_controller():
    with pytest.raises(gallop.Error, match="no controller contract"):
        gallop.Crowd(modelfile.encode(small()))


# ---- the package ----


def test_importing_needs_neither_torch_nor_scipy():
    said = "import sys, gallop; print(sorted({'torch', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout.strip() == "[]"


def test_what_is_missing_is_said():
    said = "import sys; sys.modules['torch'] = None; import gallop; gallop.export"
    for words, message in (
            (["-c", "import sys; sys.modules['numpy'] = None; import gallop"],
             "ModuleNotFoundError: gallop needs NumPy: pip install numpy"),
            (["-c", said], "ModuleNotFoundError: gallop.export needs PyTorch: pip install torch, "
             "or gallop[training]"),
            (["-c", "import sys, runpy; sys.modules['torch'] = None; "
              "runpy.run_module('gallop.train', run_name='__main__')"],
             "gallop.train: needs torch: pip install torch scipy, or gallop[training]")):
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        assert done.returncode == 1 and done.stderr.splitlines()[-1] == message


def test_models_that_come_with_the_package():
    assert gallop.Network(gallop.model_path("walker")).info.inputs == 222
    assert gallop.Controller(gallop.model_path("dog")).info.can_jump
    assert not gallop.Controller(WALKER).info.can_jump
    with pytest.raises(ValueError, match=r"model 'cat': one of dog, .*walker.* expected"):
        gallop.model_path("cat")
    assert (Path(gallop.__file__).parent / "py.typed").exists()


def test_a_library_that_is_not_there(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "GALLOP_LIBRARY": str(tmp_path / "no")}
    said = "import gallop; gallop.Network('x')"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, env=env)
    assert done.returncode == 1 and str(tmp_path / "no") in done.stderr.splitlines()[-1]


def test_the_wheel_installs_and_runs(tmp_path):
    """In a fresh environment that sees the system's NumPy. Library and models are put beside the
    modules here; in `./run platform packages` CMake builds and puts them there."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "wheel", "-q", str(ROOT), "--no-deps", "-w", str(tmp_path),
         "--config-settings=wheel.cmake=false"],
        capture_output=True, text=True)
    if done.returncode and "scikit-build-core" in done.stderr and "No matching" in done.stderr:
        pytest.skip("PyPI cannot be reached: no scikit-build-core to build the wheel with")
    assert done.returncode == 0, done.stderr
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "venv")],
                   check=True)
    python = str(tmp_path / "venv/bin/python")
    (wheel,) = tmp_path.glob("gallop-*.whl")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel)],
                   check=True)
    (package,) = tmp_path.glob("venv/lib/*/site-packages/gallop")
    shutil.copy(library.find(), package)
    shutil.copytree(ROOT / "models", package / "models")
    said = ("import gallop; print(gallop.__file__, gallop.library.find(), "
            "gallop.Network(gallop.model_path('walker')).info.inputs, gallop.model_path('dog'))")
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "GALLOP_LIBRARY")}
    done = subprocess.run([python, "-c", said], capture_output=True, text=True, env=env,
                          cwd=tmp_path)
    module, found, inputs, models = done.stdout.split()
    assert all(place.startswith(str(tmp_path)) for place in (module, found, models))
    assert inputs == "222"
