## A crowd in a scene: opens the model, steps all its characters each frame, shows them.
class_name GallopStage
extends GallopCrowd

## A file of the file system, beside the exported game: the library reads it itself.
@export_file("*.gallop") var model := "res://walker.gallop"
## Most characters at once.
@export var capacity := 64

var characters: Array[GallopCharacter] = []


func _enter_tree() -> void:
	var problem: String = open(ProjectSettings.globalize_path(model), capacity)
	if problem != "":
		push_error("gallop: " + problem)


func _process(delta: float) -> void:
	for character in characters:
		character.steer()
	advance(delta)
	for character in characters:
		character.show_pose()
