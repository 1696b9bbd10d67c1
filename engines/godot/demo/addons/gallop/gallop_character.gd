## A character of a GallopStage: starts where it stands, walks as its stick says, and drives a
## Skeleton3D below it whose bones are named as the model's joints and which rests in the model's
## pose, whatever the axes of its bones.
class_name GallopCharacter
extends Node3D

@export var stage: GallopStage
@export var skeleton: Skeleton3D
## Bones get their joints' places too: for a skeleton that was made for the model.
@export var places := false
## Where the stick's forward is; none: -z.
@export var view: Camera3D

## -1..1, x to the right of the view, y away from it.
var stick := Vector2.ZERO
## Each 0..1.
var run := 0.0
var strafe := 0.0
var crouch := 0.0
var jump := false

var _seat := -1


func _ready() -> void:
	_seat = stage.add(global_position, global_rotation.y)
	if _seat < 0:
		push_error("gallop: the crowd is full, or no model is open")
		return
	var within := global_transform.affine_inverse() * skeleton.global_transform
	if stage.bind(_seat, skeleton, within, places) == 0:
		push_error("gallop: no bone has the name of a joint")
	stage.characters.append(self)


func _exit_tree() -> void:
	if _seat >= 0:
		stage.characters.erase(self)
		stage.remove(_seat)
	_seat = -1


func steer() -> void:
	var yaw := view.global_rotation.y if view else 0.0
	stage.want(_seat, stick, Vector3(run, strafe, crouch), yaw, jump)


func show_pose() -> void:
	global_transform = stage.place(_seat)
	stage.drive(_seat, skeleton)


## How much it does that: "stand", "walk", "run", "crouch", "jump", 0..1.
func gait(what: String) -> float:
	return stage.gait(_seat, what)


## 0..1, how surely joint stage.contact_joint(which) touches the ground: for sounds and dust.
func contact(which: int) -> float:
	return stage.contact(_seat, which)
