"""Loads what `gallop export` writes into Blender and renders a frame of it.

    blender --background --python engines/blender/show.py -- FILE.glb FILE.bvh -o OUT.png
    python3 engines/blender/show.py FILE.glb FILE.bvh -o OUT.png     # after pip install bpy==4.5.15

The .glb comes with its body; a .bvh, a skeleton alone, gets balls on its joints. Files stand side
by side, ASIDE apart. Prints where each file's first bone is.
"""

from __future__ import annotations

import argparse
import sys
from math import radians
from pathlib import Path

import bpy
from mathutils import Vector

ASIDE = 1.1  # metres
RATE = 60  # frames a second, of the models here


def arguments() -> argparse.Namespace:
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser(prog="show.py", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.glb|FILE.bvh")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.png")
    parser.add_argument("--frame", type=int, default=60)
    parser.add_argument("--samples", type=int, default=16)
    return parser.parse_args(words)


def material(name: str, colour: tuple[float, float, float]) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1)
    return made


def load(path: Path) -> bpy.types.Object:
    """The armature of a file."""
    before = set(bpy.data.objects)
    if path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, frame_start=0)
    armature = next(o for o in set(bpy.data.objects) - before if o.type == "ARMATURE")
    if path.suffix != ".glb":
        start_at_zero(armature.animation_data.action)
    return armature


def start_at_zero(action: bpy.types.Action) -> None:
    """Blender gives a BVH's first frame the number 1, a glTF's time 0 the number 0."""
    for curve in action.fcurves:
        for key in curve.keyframe_points:
            key.co.x -= 1
        curve.update()


def add_balls(armature: bpy.types.Object) -> None:
    red = material("Ball", (0.7, 0.2, 0.15))
    for bone in armature.pose.bones:
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.035, location=(0, 0, 0))
        ball = bpy.context.object
        ball.data.materials.append(red)
        held = ball.constraints.new("COPY_LOCATION")
        held.target, held.subtarget = armature, bone.name


def hips(armature: bpy.types.Object) -> Vector:
    return armature.matrix_world @ armature.pose.bones[0].head


def light_and_ground(around: Vector) -> None:
    bpy.ops.mesh.primitive_plane_add(size=40, location=(around.x, around.y, 0))
    bpy.context.object.data.materials.append(material("Ground", (0.32, 0.34, 0.36)))
    bpy.ops.object.light_add(type="SUN", rotation=(radians(50), radians(15), radians(30)))
    bpy.context.object.data.energy = 3
    world = bpy.data.worlds.new("Sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.4, 0.5, 0.6, 1)
    bpy.context.scene.world = world


def look_at(around: Vector) -> None:
    place = around + Vector((1.6, -4.4, 0.5))
    bpy.ops.object.camera_add(location=place)
    camera = bpy.context.object
    camera.rotation_euler = (around - place).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.camera = camera


def main() -> int:
    args = arguments()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = RATE  # before loading: glTF counts seconds
    armatures = [load(path) for path in args.files]
    scene.frame_set(args.frame)
    for i, (path, armature) in enumerate(zip(args.files, armatures)):
        armature.location.x += ASIDE * i
        if path.suffix != ".glb":
            add_balls(armature)
    bpy.context.view_layer.update()
    around = sum((hips(a) for a in armatures), Vector()) / len(armatures)
    light_and_ground(around)
    look_at(around)
    for path, armature in zip(args.files, armatures):
        place = hips(armature)
        print(f"{path.name}: {len(armature.pose.bones)} bones, hips at frame {args.frame}: "
              f"{place.x:.3f} {place.y:.3f} {place.z:.3f}")
    scene.render.engine = "CYCLES"
    scene.cycles.samples = args.samples
    scene.render.resolution_x, scene.render.resolution_y = 640, 440
    scene.render.filepath = str(args.output.resolve())
    bpy.ops.render.render(write_still=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
