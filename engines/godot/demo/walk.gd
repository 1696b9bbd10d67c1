## Sixteen characters of spheres; the first walks with the arrow keys and runs with shift.
extends Node3D

const OTHERS := 15

var _player: GallopCharacter
var _others: Array[GallopCharacter] = []
var _seconds := 0.0

@onready var stage: GallopStage = $Stage
@onready var camera: Camera3D = $Camera


func _ready() -> void:
	_player = _make(Vector3.ZERO)
	_player.view = camera
	for i in OTHERS:
		var angle := TAU * i / OTHERS
		_others.append(_make(Vector3(6.0 * sin(angle), 0.0, 6.0 * cos(angle))))


## A character whose skeleton has the model's joints, with a sphere on each.
func _make(place: Vector3) -> GallopCharacter:
	var character := GallopCharacter.new()
	var skeleton := Skeleton3D.new()
	for joint in stage.joint_count():
		skeleton.add_bone(stage.joint_name(joint))
		skeleton.set_bone_parent(joint, stage.joint_parent(joint))
		skeleton.set_bone_rest(joint, stage.joint_rest(joint))
		var ball := MeshInstance3D.new()
		ball.mesh = SphereMesh.new()
		ball.scale = Vector3.ONE * 0.12
		var hold := BoneAttachment3D.new()
		skeleton.add_child(hold)
		hold.bone_idx = joint
		hold.add_child(ball)
	skeleton.reset_bone_poses()
	character.add_child(skeleton)
	character.skeleton = skeleton
	character.places = true
	character.stage = stage
	character.position = place
	add_child(character)
	return character


func _process(delta: float) -> void:
	_seconds += delta
	_player.stick = Input.get_vector("ui_left", "ui_right", "ui_down", "ui_up")
	_player.run = 1.0 if Input.is_key_pressed(KEY_SHIFT) else 0.0
	for i in OTHERS:
		var angle := 0.4 * _seconds + i
		_others[i].stick = Vector2(sin(angle), cos(angle))
		_others[i].run = float(i) / OTHERS
	camera.position = _player.position + Vector3(0.0, 2.5, 4.5)
	camera.look_at(_player.position + Vector3.UP)
