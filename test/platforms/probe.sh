# gallop probe on an OpenCL device: PoCL, which makes one of this CPU. What the two ways find of the same caches must agree.
need "${BUILD_PACKAGES[@]}" pocl-opencl-icd ocl-icd-libopencl1
configure_and_build dev gallop_command
gallop=build/dev/cli/gallop
mkdir -p build/probe
number=$($gallop probe --list | sed -n 's/^ *\([0-9]*\)  .*Portable Computing Language.*/\1/p' | head -1)
[ -n "$number" ] || die "gallop probe --list shows no PoCL device"
$gallop probe --device cpu --quick --quiet -o build/probe/cpu.json
$gallop probe --device "$number" --quick --quiet -o build/probe/opencl.json --plot build/probe
python3 - build/probe/cpu.json build/probe/opencl.json <<'PYTHON'
import json
import sys


def facts(path: str) -> dict[tuple[str, int], float]:
    with open(path) as file:
        device = json.load(file)
    assert device["schema"] == "gallop-device 1", device["schema"]
    return {(f["name"], f.get("level", 0)): f["value"] for f in device["facts"]}


cpu, opencl = facts(sys.argv[1]), facts(sys.argv[2])
for key, most in {("buffer_latency", 1): 1.3, ("buffer_level", 1): 1.5, ("buffer_latency", 2): 1.5}.items():
    ratio = opencl[key] / cpu[key]
    print(f"{key[0]} {key[1]}: OpenCL {opencl[key]:g}, CPU {cpu[key]:g}")
    assert 1 / most < ratio < most, (key, ratio)
assert opencl[("warp", 0)] == 1, f"work items of a CPU do not go in lockstep: {opencl[('warp', 0)]}"
for name in ("launch", "peak_f32", "vector", "local_latency", "image_latency", "constant_latency"):
    assert any(key[0] == name for key in opencl), f"no {name}"
PYTHON
say "probe: OpenCL and the CPU's own loops find the same caches"
