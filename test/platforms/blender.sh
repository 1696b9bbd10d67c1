# Blender (the package bpy, 800 MB, from PyPI) loads both files that gallop export writes of one run: as many bones, hips
# at the same place, and renders a picture of them, build/blender/walk.png.
need "${BUILD_PACKAGES[@]}" python3 python3-venv
configure_and_build release gallop_command | tail -n 1
work=build/blender
[ -x $work/venv/bin/python ] || python3 -m venv $work/venv
$work/venv/bin/python -c 'import bpy' 2>/dev/null || $work/venv/bin/pip install -q bpy==4.5.15
for format in glb bvh; do
    build/release/cli/gallop export models/walker.gallop --input samples/walk_and_turn.csv -o $work/walk.$format
done
$work/venv/bin/python engines/blender/show.py $work/walk.glb $work/walk.bvh -o $work/walk.png --frame 100 | grep hips |
    tee $work/hips.txt
awk 'function off(a, b) { return a < b ? b - a : a - b }
     { bones[NR] = $2; x[NR] = $8; y[NR] = $9; z[NR] = $10 }
     END { exit NR != 2 || bones[1] != 23 || bones[2] != 23 || off(x[1] + 1.1, x[2]) > 0.002 || off(y[1], y[2]) > 0.002 ||
                off(z[1], z[2]) > 0.002 }' $work/hips.txt
[ "$(stat -c %s $work/walk.png)" -gt 20000 ]
