/*
 * GallopCrowd, a node: a crowd whose characters drive Skeleton3Ds. Scripts see it as docs of the methods below say; a
 * character is its seat, 0 .. capacity - 1, which is given again after it was removed.
 *
 * A seat knows which bone each joint has, and by what rotation a bone lies to its joint when both are at rest: so a bone's
 * axes may be any, as long as the skeleton rests in the controller's pose (the walker's: a T pose).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { PATH_MOST = 4096, NAME_MOST = 64, GAITS_MOST = 16 };

typedef struct seat {
    gal_character character; /* 0: free */
    int64_t *bones;          /* [joints], -1: none */
    gal_quat *offsets;       /* [joints] */
    gal_quat within;         /* the skeleton's rotation in the character's frame, and its place */
    gal_vec3 at;
    int places;                       /* bones get their joints' places */
    gal_character_state before, last; /* after the last two steps */
} seat;

struct crowd {
    host *host;
    gal_controller *controller;
    gal_crowd *crowd;
    seat *seats; /* [capacity] */
    int64_t capacity;
    gal_controller_info info;
    gal_transform *pose; /* [joints] */
    gal_quat *rest;      /* [joints], in Godot's axes, in the character's frame */
    float fraction;
};

static void give_up(crowd *self) {
    for (int64_t i = 0; i < self->capacity && self->seats; i++) {
        free(self->seats[i].bones);
        free(self->seats[i].offsets);
    }
    free(self->seats);
    free(self->pose);
    free(self->rest);
    gal_crowd_destroy(self->crowd);
    gal_controller_close(self->controller);
    *self = (crowd){.host = self->host};
}

static void lay_rest(crowd *self) {
    for (uint32_t j = 0; j < self->info.joints; j++) {
        int32_t parent = gal_controller_joint_parent(self->controller, j);
        gal_quat own = axes_turn(gal_controller_joint_rest(self->controller, j).rotation);
        self->rest[j] = parent < 0 ? own : axes_multiply(self->rest[parent], own);
    }
}

/* Everything, or nothing and the reason. */
static gal_status open_all(crowd *self, const char *path, int64_t capacity, gal_error *error) {
    gal_status status = gal_controller_open(&self->controller, path, NULL, error);
    if (status != GAL_OK) {
        return status;
    }
    gal_crowd_desc desc = {.controller = self->controller, .capacity = (uint32_t)capacity};
    status = gal_crowd_create(&self->crowd, &desc, error);
    if (status != GAL_OK) {
        return status;
    }
    self->info = gal_controller_get_info(self->controller);
    self->seats = calloc((size_t)capacity, sizeof *self->seats);
    self->pose = calloc(self->info.joints, sizeof *self->pose);
    self->rest = calloc(self->info.joints, sizeof *self->rest);
    if (!self->seats || !self->pose || !self->rest) {
        strcpy(error->message, "no memory for the crowd");
        return GAL_NO_MEMORY;
    }
    self->capacity = capacity;
    lay_rest(self);
    return GAL_OK;
}

/* open(path: String, capacity: int) -> String: what is wrong, or nothing. What was open is given up. */
static void method_open(crowd *self, const void *const *arguments, void *result) {
    char path[PATH_MOST];
    gal_error error = {0};
    int64_t capacity = *(const int64_t *)arguments[1];
    GDExtensionInt length = self->host->string_to_utf8(arguments[0], path, PATH_MOST - 1);
    give_up(self);
    if (length < 0 || length >= PATH_MOST - 1) {
        strcpy(error.message, "the path is too long");
    } else if (capacity < 1 || capacity > 65535) {
        strcpy(error.message, "capacity: 1..65535 expected");
    } else if (!host_find_skeleton(self->host)) {
        strcpy(error.message, "this Godot's Skeleton3D is not that of 4.3 and later");
    } else {
        path[length] = 0;
        if (open_all(self, path, capacity, &error) != GAL_OK) {
            give_up(self);
        }
    }
    self->host->new_string(result, error.message);
}

/* joint_count() -> int: 0 if nothing is open. */
static void method_joint_count(crowd *self, const void *const *arguments, void *result) {
    (void)arguments;
    *(int64_t *)result = self->info.joints;
}

/* joint_name(joint: int) -> String: empty beyond. */
static void method_joint_name(crowd *self, const void *const *arguments, void *result) {
    int64_t joint = *(const int64_t *)arguments[0];
    int there = joint >= 0 && joint < self->info.joints;
    self->host->new_string(result, there ? gal_controller_joint_name(self->controller, (uint32_t)joint) : "");
}

/* joint_parent(joint: int) -> int: -1: none. */
static void method_joint_parent(crowd *self, const void *const *arguments, void *result) {
    int64_t joint = *(const int64_t *)arguments[0];
    int there = joint >= 0 && joint < self->info.joints;
    *(int64_t *)result = there ? gal_controller_joint_parent(self->controller, (uint32_t)joint) : -1;
}

/* joint_rest(joint: int) -> Transform3D: in the parent's frame, metres. */
static void method_joint_rest(crowd *self, const void *const *arguments, void *result) {
    int64_t joint = *(const int64_t *)arguments[0];
    gal_transform rest = {.rotation = {0, 0, 0, 1}};
    if (joint >= 0 && joint < self->info.joints) {
        rest = gal_controller_joint_rest(self->controller, (uint32_t)joint);
    }
    *(godot_transform *)result =
        axes_transform(axes_turn(rest.rotation), axes_place(rest.position, self->info.unit_metres));
}

/* contact_joint(contact: int) -> int: the joint that it touches the ground with, -1 beyond the last contact. */
static void method_contact_joint(crowd *self, const void *const *arguments, void *result) {
    int64_t contact = *(const int64_t *)arguments[0];
    int there = contact >= 0 && contact < self->info.contacts;
    *(int64_t *)result = there ? gal_controller_contact_joint(self->controller, (uint32_t)contact) : -1;
}

static seat *seat_of(crowd *self, const void *argument) {
    int64_t i = *(const int64_t *)argument;
    return i >= 0 && i < self->capacity && self->seats[i].character ? &self->seats[i] : NULL;
}

static void vacate(crowd *self, seat *own) {
    gal_crowd_remove(self->crowd, own->character);
    free(own->bones);
    free(own->offsets);
    *own = (seat){0};
}

/* add(place: Vector3, yaw: float) -> int: the character's seat, or -1 where the crowd is full or nothing is open. */
static void method_add(crowd *self, const void *const *arguments, void *result) {
    int64_t i = 0;
    *(int64_t *)result = -1;
    while (i < self->capacity && self->seats[i].character) {
        i++;
    }
    if (i == self->capacity) {
        return;
    }
    gal_vec3 place = axes_place_back(*(const gal_vec3 *)arguments[0], self->info.unit_metres);
    gal_spawn spawn = {.x = place.x, .z = place.z, .facing = (float)*(const double *)arguments[1]};
    seat *own = &self->seats[i];
    own->bones = malloc(self->info.joints * sizeof *own->bones);
    own->offsets = calloc(self->info.joints, sizeof *own->offsets);
    if (!own->bones || !own->offsets || gal_crowd_add(self->crowd, &spawn, &own->character) != GAL_OK) {
        vacate(self, own);
        return;
    }
    for (uint32_t j = 0; j < self->info.joints; j++) {
        own->bones[j] = -1;
    }
    gal_crowd_state(self->crowd, own->character, &own->last);
    own->before = own->last;
    *(int64_t *)result = i;
}

/* remove(seat: int) */
static void method_remove(crowd *self, const void *const *arguments, void *result) {
    (void)result;
    seat *own = seat_of(self, arguments[0]);
    if (own) {
        vacate(self, own);
    }
}

/*
 * bind(seat: int, skeleton: Skeleton3D, within: Transform3D, places: bool) -> int: how many bones have a joint's name.
 * `within` is the skeleton's transform in the character's frame, whose -z is forward; with `places` bones get their
 * joints' places too, for a skeleton that was made for the model.
 */
static void method_bind(crowd *self, const void *const *arguments, void *result) {
    seat *own = seat_of(self, arguments[0]);
    GDExtensionObjectPtr skeleton = *(GDExtensionObjectPtr const *)arguments[1];
    const godot_transform *within = arguments[2];
    int64_t found = 0;
    for (uint32_t j = 0; own && skeleton && j < self->info.joints; j++) {
        host_value name;
        self->host->new_string(&name, gal_controller_joint_name(self->controller, j));
        host_call_skeleton(self->host, HOST_FIND_BONE, skeleton, (const void *[]){&name}, &own->bones[j]);
        self->host->destroy_string(&name);
        if (own->bones[j] >= 0) {
            godot_transform rest;
            host_call_skeleton(self->host, HOST_GLOBAL_REST, skeleton, (const void *[]){&own->bones[j]}, &rest);
            gal_quat bone = axes_multiply(axes_rotation_of(within), axes_rotation_of(&rest));
            own->offsets[j] = axes_multiply(axes_inverse(self->rest[j]), bone);
            found++;
        }
    }
    if (own) {
        own->within = axes_rotation_of(within);
        own->at = within->origin;
        own->places = *(const uint8_t *)arguments[3] != 0;
    }
    *(int64_t *)result = found;
}

/* want(seat: int, stick: Vector2, gait: Vector3 (run, strafe, crouch), camera_yaw: float, jump: bool) */
static void method_want(crowd *self, const void *const *arguments, void *result) {
    (void)result;
    seat *own = seat_of(self, arguments[0]);
    const float *stick = arguments[1];
    const gal_vec3 *gait = arguments[2];
    gal_input input = {.move_x = stick[0],
                       .move_y = stick[1],
                       .run = gait->x,
                       .strafe = gait->y,
                       .crouch = gait->z,
                       .camera_yaw = (float)*(const double *)arguments[3],
                       .jump = *(const uint8_t *)arguments[4]};
    if (own) {
        gal_crowd_set_input(self->crowd, own->character, &input);
    }
}

/* Root and facing between two states; the facing goes the short way round. */
static gal_character_state between(gal_character_state from, gal_character_state to, float share) {
    to.root.x = from.root.x + (to.root.x - from.root.x) * share;
    to.root.y = from.root.y + (to.root.y - from.root.y) * share;
    to.root.z = from.root.z + (to.root.z - from.root.z) * share;
    to.facing = from.facing + remainderf(to.facing - from.facing, 6.2831853f) * share;
    return to;
}

/* advance(seconds: float) -> int: steps that ran. Of several the one before the last lies that far on a character's way. */
static void method_advance(crowd *self, const void *const *arguments, void *result) {
    float seconds = (float)*(const double *)arguments[0];
    const uint32_t steps = self->crowd ? gal_crowd_advance(self->crowd, seconds, 0, &self->fraction) : 0;
    for (int64_t i = 0; steps > 0 && i < self->capacity; i++) {
        seat *own = &self->seats[i];
        gal_character_state now;
        if (own->character && gal_crowd_state(self->crowd, own->character, &now) == GAL_OK) {
            own->before = between(own->last, now, (float)(steps - 1) / (float)steps);
            own->last = now;
        }
    }
    *(int64_t *)result = steps;
}

/* Where the character is, in the world: its root, turned as it faces. */
static godot_transform place_of(const crowd *self, const seat *own) {
    const gal_character_state state = between(own->before, own->last, self->fraction);
    gal_quat turn = {0, sinf(state.facing / 2), 0, cosf(state.facing / 2)};
    return axes_transform(turn, axes_place(state.root, self->info.unit_metres));
}

/* place(seat: int) -> Transform3D */
static void method_place(crowd *self, const void *const *arguments, void *result) {
    seat *own = seat_of(self, arguments[0]);
    *(godot_transform *)result =
        own ? place_of(self, own) : axes_transform((gal_quat){0, 0, 0, 1}, (gal_vec3){0, 0, 0});
}

/* contact(seat: int, contact: int) -> float: 0..1, of the last step; 0 beyond. */
static void method_contact(crowd *self, const void *const *arguments, void *result) {
    seat *own = seat_of(self, arguments[0]);
    int64_t contact = *(const int64_t *)arguments[1];
    gal_character_state state;
    if (own && contact >= 0 && contact < self->info.contacts) {
        gal_crowd_state(self->crowd, own->character, &state);
        *(double *)result = (double)state.contacts[contact];
    } else {
        *(double *)result = 0;
    }
}

/* gait(seat: int, name: String) -> float: how much it stands, walks, runs ..., 0..1; 0 of a gait that there is not. */
static void method_gait(crowd *self, const void *const *arguments, void *result) {
    seat *own = seat_of(self, arguments[0]);
    char name[NAME_MOST] = "";
    float amounts[GAITS_MOST] = {0};
    const char *known = NULL;
    *(double *)result = 0;
    if (!own || self->host->string_to_utf8(arguments[1], name, NAME_MOST - 1) >= NAME_MOST - 1) {
        return;
    }
    gal_crowd_gaits(self->crowd, own->character, amounts, GAITS_MOST);
    for (uint32_t g = 0; g < GAITS_MOST && (known = gal_controller_gait_name(self->controller, g)); g++) {
        if (strcmp(known, name) == 0) {
            *(double *)result = (double)amounts[g];
        }
    }
}

/* Where joint j's bone is in the skeleton's frame; the hips, and with `places` all bones, are where the joint is. */
static godot_transform bone_of(crowd *self, const seat *own, GDExtensionObjectPtr skeleton, uint32_t j,
                               const godot_transform *character) {
    gal_quat back = axes_inverse(axes_rotation_of(character)), into = axes_inverse(own->within);
    gal_quat turn = axes_multiply(back, axes_turn(self->pose[j].rotation));
    gal_quat bone = axes_multiply(into, axes_multiply(turn, own->offsets[j]));
    if (j > 0 && !own->places) {
        godot_transform now;
        host_call_skeleton(self->host, HOST_GLOBAL_POSE, skeleton, (const void *[]){&own->bones[j]}, &now);
        return axes_transform(bone, now.origin);
    }
    gal_vec3 place = axes_place(self->pose[j].position, self->info.unit_metres), root = character->origin;
    gal_vec3 arm = axes_rotate(back, (gal_vec3){place.x - root.x, place.y - root.y, place.z - root.z});
    return axes_transform(
        bone, axes_rotate(into, (gal_vec3){arm.x - own->at.x, arm.y - own->at.y, arm.z - own->at.z}));
}

/* drive(seat: int, skeleton: Skeleton3D): the pose of now into the bones that bind found, parents first. */
static void method_drive(crowd *self, const void *const *arguments, void *result) {
    (void)result;
    seat *own = seat_of(self, arguments[0]);
    GDExtensionObjectPtr skeleton = *(GDExtensionObjectPtr const *)arguments[1];
    if (!own || !skeleton) {
        return;
    }
    godot_transform character = place_of(self, own);
    gal_crowd_pose_between(self->crowd, own->character, self->fraction, self->pose);
    for (uint32_t j = 0; j < self->info.joints; j++) {
        if (own->bones[j] >= 0) {
            godot_transform bone = bone_of(self, own, skeleton, j, &character);
            host_call_skeleton(self->host, HOST_SET_GLOBAL_POSE, skeleton,
                               (const void *[]){&own->bones[j], &bone}, NULL);
        }
    }
}

#define T(name) GDEXTENSION_VARIANT_TYPE_##name
static const host_method methods[] = {
    {"open", T(STRING), {T(STRING), T(INT)}, method_open},
    {"joint_count", T(INT), {T(NIL)}, method_joint_count},
    {"joint_name", T(STRING), {T(INT)}, method_joint_name},
    {"joint_parent", T(INT), {T(INT)}, method_joint_parent},
    {"joint_rest", T(TRANSFORM3D), {T(INT)}, method_joint_rest},
    {"gait", T(FLOAT), {T(INT), T(STRING)}, method_gait},
    {"contact_joint", T(INT), {T(INT)}, method_contact_joint},
    {"add", T(INT), {T(VECTOR3), T(FLOAT)}, method_add},
    {"remove", T(NIL), {T(INT)}, method_remove},
    {"bind", T(INT), {T(INT), T(OBJECT), T(TRANSFORM3D), T(BOOL)}, method_bind},
    {"want", T(NIL), {T(INT), T(VECTOR2), T(VECTOR3), T(FLOAT), T(BOOL)}, method_want},
    {"advance", T(INT), {T(FLOAT)}, method_advance},
    {"place", T(TRANSFORM3D), {T(INT)}, method_place},
    {"contact", T(FLOAT), {T(INT), T(INT)}, method_contact},
    {"drive", T(NIL), {T(INT), T(OBJECT)}, method_drive},
};
#undef T

static GDExtensionObjectPtr create(void *userdata) {
    crowd *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->host = userdata;
    return host_construct(userdata, self);
}

static void release(void *userdata, GDExtensionClassInstancePtr instance) {
    (void)userdata;
    crowd *self = (crowd *)instance;
    if (self) {
        give_up(self);
        free(self);
    }
}

static void initialize(void *userdata, GDExtensionInitializationLevel level) {
    if (level == GDEXTENSION_INITIALIZATION_SCENE) {
        host_register(userdata, methods, sizeof methods / sizeof methods[0], create, release);
    }
}

static void deinitialize(void *userdata, GDExtensionInitializationLevel level) {
    if (level == GDEXTENSION_INITIALIZATION_SCENE) {
        host_unregister(userdata);
        free(userdata);
    }
}

/* The entry that gallop.gdextension names. */
#ifdef _WIN32
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
GDExtensionBool
gallop_godot_entry(GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library,
                   GDExtensionInitialization *out) {
    host *self = calloc(1, sizeof *self);
    if (!self || !host_find(self, find)) {
        free(self);
        return 0;
    }
    self->library = library;
    *out = (GDExtensionInitialization){GDEXTENSION_INITIALIZATION_SCENE, self, initialize, deinitialize};
    return 1;
}
