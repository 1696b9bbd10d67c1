/*
 * A stand-in for Godot, as much of it as the extension uses: it loads the extension, makes a GallopCrowd, calls its methods
 * as a script does, by variants and by pointers, and looks at what a skeleton of its own was told.
 *
 *     mock_godot EXTENSION.so MODEL.gallop
 *
 * A String and a StringName are a pointer to text of its own; a variant is its type and its value.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/axes.h"
#include "../src/host.h"

enum { BONES_MAX = 64, METHODS_MAX = 32 };

typedef struct mock_variant {
    GDExtensionVariantType type;
    int32_t unused;
    void *value; /* of the size that the type has; owned */
} mock_variant;

typedef struct mock_skeleton {
    int bones;
    char names[BONES_MAX][64];
    int parents[BONES_MAX];
    godot_transform rest[BONES_MAX], pose[BONES_MAX]; /* in the skeleton's frame */
} mock_skeleton;

typedef struct mock_object {
    void *instance;
} mock_object;

/* What the extension registered; the interface's functions have no argument to find it by. */
static struct {
    char class_name[64], parent[64];
    GDExtensionClassCreationInfo2 class;
    char method_names[METHODS_MAX][64];
    GDExtensionClassMethodInfo methods[METHODS_MAX];
    uint32_t argument_types[METHODS_MAX][HOST_ARGUMENTS_MAX], result_types[METHODS_MAX];
    int method_count, texts, wrong_hashes;
    mock_object object;
} mock;

static int mistakes;

static void expect(int good, const char *what) {
    if (!good) {
        printf("not so: %s\n", what);
        mistakes++;
    }
}

static char *text_of(const void *string) {
    return *(char *const *)string;
}

static void new_text(void *out, const char *text) {
    *(char **)out = strdup(text);
    mock.texts++;
}

static void new_name(void *out, const char *text, GDExtensionBool is_static) {
    (void)is_static;
    new_text(out, text);
}

static void destroy_text(void *string) {
    free(text_of(string));
    mock.texts--;
}

static GDExtensionInt to_utf8(const void *string, char *out, GDExtensionInt most) {
    size_t length = strlen(text_of(string));
    memcpy(out, text_of(string), length < (size_t)most ? length : (size_t)most);
    return (GDExtensionInt)length;
}

static size_t size_of_type(GDExtensionVariantType type) {
    switch (type) {
    case GDEXTENSION_VARIANT_TYPE_BOOL:
        return 1;
    case GDEXTENSION_VARIANT_TYPE_VECTOR3:
        return sizeof(gal_vec3);
    case GDEXTENSION_VARIANT_TYPE_TRANSFORM3D:
        return sizeof(godot_transform);
    default:
        return 8;
    }
}

static mock_variant variant_of(GDExtensionVariantType type, const void *value) {
    mock_variant out = {type, 0, malloc(64)};
    memcpy(out.value, value, size_of_type(type));
    if (type == GDEXTENSION_VARIANT_TYPE_STRING) {
        new_text(out.value, text_of(value));
    }
    return out;
}

static void drop(mock_variant *variant) {
    if (variant->type == GDEXTENSION_VARIANT_TYPE_STRING) {
        destroy_text(variant->value);
    }
    free(variant->value);
}

/* Godot's constructors are one function a type; one here serves all, as the variant knows its type. */
static void value_of_variant(void *out, void *variant) {
    const mock_variant *own = variant;
    memcpy(out, own->value, size_of_type(own->type));
    if (own->type == GDEXTENSION_VARIANT_TYPE_STRING) {
        new_text(out, text_of(own->value));
    }
}

static GDExtensionTypeFromVariantConstructorFunc to_type(GDExtensionVariantType type) {
    (void)type;
    return value_of_variant;
}

#define FROM(name)                                                                                             \
    static void from_##name(void *out, void *value) {                                                          \
        mock_variant variant = variant_of(GDEXTENSION_VARIANT_TYPE_##name, value);                             \
        memcpy(out, &variant, sizeof variant);                                                                 \
    }
FROM(INT)
FROM(STRING)
FROM(TRANSFORM3D)
#undef FROM

static GDExtensionVariantFromTypeConstructorFunc from_type(GDExtensionVariantType type) {
    return type == GDEXTENSION_VARIANT_TYPE_INT      ? from_INT
           : type == GDEXTENSION_VARIANT_TYPE_STRING ? from_STRING
                                                     : from_TRANSFORM3D;
}

static void new_nil(void *out) {
    mock_variant nil = {GDEXTENSION_VARIANT_TYPE_NIL, 0, NULL};
    memcpy(out, &nil, sizeof nil);
}

static GDExtensionPtrDestructor destructor(GDExtensionVariantType type) {
    (void)type;
    return destroy_text;
}

static void register_class(void *library, const void *name, const void *parent,
                           const GDExtensionClassCreationInfo2 *info) {
    (void)library;
    snprintf(mock.class_name, sizeof mock.class_name, "%s", text_of(name));
    snprintf(mock.parent, sizeof mock.parent, "%s", text_of(parent));
    mock.class = *info;
}

static void register_method(void *library, const void *owner, const GDExtensionClassMethodInfo *info) {
    (void)library;
    int i = mock.method_count++;
    expect(strcmp(text_of(owner), mock.class_name) == 0, "a method belongs to its class");
    snprintf(mock.method_names[i], 64, "%s", text_of(info->name));
    mock.methods[i] = *info;
    for (uint32_t a = 0; a < info->argument_count; a++) {
        mock.argument_types[i][a] = (uint32_t)info->arguments_info[a].type;
    }
    mock.result_types[i] = info->has_return_value ? (uint32_t)info->return_value_info->type : 0;
}

static void unregister_class(void *library, const void *name) {
    (void)library;
    expect(strcmp(text_of(name), mock.class_name) == 0, "the class is taken back");
    mock.class_name[0] = 0;
}

static void *construct(const void *name) {
    expect(strcmp(text_of(name), mock.parent) == 0, "the parent is constructed");
    return &mock.object;
}

static void set_instance(void *object, const void *name, void *instance) {
    (void)name;
    ((mock_object *)object)->instance = instance;
}

/* A method of Skeleton3D is its name. */
static const void *method_bind(const void *owner, const void *name, GDExtensionInt hash) {
    static const char *const known[] = {"find_bone", "get_bone_global_rest", "get_bone_global_pose",
                                        "set_bone_global_pose"};
    for (int i = 0; i < 4 && strcmp(text_of(owner), "Skeleton3D") == 0; i++) {
        if (strcmp(known[i], text_of(name)) == 0 && hash != 0) {
            return known[i];
        }
    }
    return NULL;
}

static int find_bone(const mock_skeleton *skeleton, const char *name) {
    for (int i = 0; i < skeleton->bones; i++) {
        if (strcmp(skeleton->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static godot_transform chain(godot_transform parent, godot_transform local) {
    gal_vec3 arm = axes_rotate(axes_rotation_of(&parent), local.origin);
    gal_vec3 at = {parent.origin.x + arm.x, parent.origin.y + arm.y, parent.origin.z + arm.z};
    return axes_transform(axes_multiply(axes_rotation_of(&parent), axes_rotation_of(&local)), at);
}

/* Takes along what hangs below the bone, as Godot does. */
static void set_pose(mock_skeleton *skeleton, int bone, godot_transform pose) {
    godot_transform old[BONES_MAX];
    memcpy(old, skeleton->pose, sizeof old);
    skeleton->pose[bone] = pose;
    for (int i = bone + 1; i < skeleton->bones; i++) {
        int parent = skeleton->parents[i];
        if (parent >= bone && memcmp(&old[parent], &skeleton->pose[parent], sizeof pose) != 0) {
            gal_quat back = axes_inverse(axes_rotation_of(&old[parent]));
            gal_vec3 a = old[i].origin, b = old[parent].origin;
            gal_vec3 arm = axes_rotate(back, (gal_vec3){a.x - b.x, a.y - b.y, a.z - b.z});
            godot_transform local = axes_transform(axes_multiply(back, axes_rotation_of(&old[i])), arm);
            skeleton->pose[i] = chain(skeleton->pose[parent], local);
        }
    }
}

static void ptrcall(const void *method, void *object, const void *const *arguments, void *result) {
    mock_skeleton *skeleton = object;
    if (strcmp(method, "find_bone") == 0) {
        *(int64_t *)result = find_bone(skeleton, text_of(arguments[0]));
        return;
    }
    int64_t bone = *(const int64_t *)arguments[0];
    if (strcmp(method, "get_bone_global_rest") == 0) {
        *(godot_transform *)result = skeleton->rest[bone];
    } else if (strcmp(method, "get_bone_global_pose") == 0) {
        *(godot_transform *)result = skeleton->pose[bone];
    } else {
        set_pose(skeleton, (int)bone, *(const godot_transform *)arguments[1]);
    }
}

typedef struct entry {
    const char *name;
    GDExtensionInterfaceFunctionPtr function;
} entry;

static GDExtensionInterfaceFunctionPtr get_proc_address(const char *name) {
    const entry entries[] = {
        {"classdb_register_extension_class2", (GDExtensionInterfaceFunctionPtr)register_class},
        {"classdb_register_extension_class_method", (GDExtensionInterfaceFunctionPtr)register_method},
        {"classdb_unregister_extension_class", (GDExtensionInterfaceFunctionPtr)unregister_class},
        {"classdb_construct_object", (GDExtensionInterfaceFunctionPtr)(void (*)(void))construct},
        {"classdb_get_method_bind", (GDExtensionInterfaceFunctionPtr)(void (*)(void))method_bind},
        {"object_set_instance", (GDExtensionInterfaceFunctionPtr)set_instance},
        {"object_method_bind_ptrcall", (GDExtensionInterfaceFunctionPtr)ptrcall},
        {"string_name_new_with_latin1_chars", (GDExtensionInterfaceFunctionPtr)new_name},
        {"string_new_with_utf8_chars", (GDExtensionInterfaceFunctionPtr)new_text},
        {"string_to_utf8_chars", (GDExtensionInterfaceFunctionPtr)(void (*)(void))to_utf8},
        {"get_variant_from_type_constructor", (GDExtensionInterfaceFunctionPtr)(void (*)(void))from_type},
        {"get_variant_to_type_constructor", (GDExtensionInterfaceFunctionPtr)(void (*)(void))to_type},
        {"variant_new_nil", (GDExtensionInterfaceFunctionPtr)new_nil},
        {"variant_get_ptr_destructor", (GDExtensionInterfaceFunctionPtr)(void (*)(void))destructor},
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].function;
        }
    }
    return NULL;
}

static int find_method(const char *name) {
    for (int i = 0; i < mock.method_count; i++) {
        if (strcmp(mock.method_names[i], name) == 0) {
            return i;
        }
    }
    printf("no method %s\n", name);
    exit(1);
}

/* By pointers, as typed scripts call. */
static void call(const char *name, const void *const *arguments, void *result) {
    const GDExtensionClassMethodInfo *method = &mock.methods[find_method(name)];
    method->ptrcall_func(method->method_userdata, mock.object.instance, arguments, result);
}

/* By variants, as untyped scripts call. The result is to be dropped. */
static mock_variant call_loosely(const char *name, const void *const *arguments, int count,
                                 GDExtensionCallError *error) {
    int m = find_method(name);
    mock_variant variants[HOST_ARGUMENTS_MAX], result = {0};
    const void *pointers[HOST_ARGUMENTS_MAX];
    for (int i = 0; i < count; i++) {
        variants[i] = variant_of((GDExtensionVariantType)mock.argument_types[m][i], arguments[i]);
        pointers[i] = &variants[i];
    }
    *error = (GDExtensionCallError){0};
    mock.methods[m].call_func(mock.methods[m].method_userdata, mock.object.instance, pointers, count, &result,
                              error);
    for (int i = 0; i < count; i++) {
        drop(&variants[i]);
    }
    return result;
}

static int64_t ask(const char *name, const void *const *arguments) {
    int64_t result = -99;
    call(name, arguments, &result);
    return result;
}

/* Opens by variants; whether what it said has the words. */
static int open_says(const char *path, int64_t capacity, const char *words) {
    GDExtensionCallError error;
    char *copy = strdup(path);
    mock_variant said = call_loosely("open", (const void *[]){&copy, &capacity}, 2, &error);
    int good = said.type == GDEXTENSION_VARIANT_TYPE_STRING && strstr(text_of(said.value), words) != NULL &&
               (*words || !*text_of(said.value));
    drop(&said);
    free(copy);
    return good;
}

/* A skeleton of the model's joints, each bone turned by `own` against its joint, resting on the ground, turned by `facing`
 * about y; it has a bone of its own between two joints, too. */
static void build_skeleton(mock_skeleton *skeleton, gal_quat own, gal_quat facing) {
    int64_t joints = ask("joint_count", NULL);
    int places[BONES_MAX];
    godot_transform world[BONES_MAX];
    *skeleton = (mock_skeleton){0};
    for (int64_t j = 0; j < joints; j++) {
        godot_transform rest;
        char *name;
        int64_t parent = ask("joint_parent", (const void *[]){&j});
        call("joint_name", (const void *[]){&j}, &name);
        call("joint_rest", (const void *[]){&j}, &rest);
        world[j] = parent < 0 ? rest : chain(world[parent], rest);
        int bone = places[j] = skeleton->bones++;
        snprintf(skeleton->names[bone], 64, "%s", name);
        destroy_text(&name);
        skeleton->parents[bone] = parent < 0 ? -1 : places[parent];
        gal_quat turn = axes_multiply(axes_inverse(facing), axes_multiply(axes_rotation_of(&world[j]), own));
        skeleton->rest[bone] = axes_transform(turn, axes_rotate(axes_inverse(facing), world[j].origin));
        if (j == 1) { /* the next joints' parents have it between */
            int extra = skeleton->bones++;
            snprintf(skeleton->names[extra], 64, "Twist");
            skeleton->parents[extra] = bone;
            skeleton->rest[extra] = skeleton->rest[bone];
            places[j] = extra;
        }
    }
    memcpy(skeleton->pose, skeleton->rest, sizeof skeleton->rest);
}

static float apart(gal_vec3 a, gal_vec3 b) {
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* The same run by gallop itself: frame after frame of a sixtieth. */
static void run_truth(const char *model, int frames, gal_transform *pose, uint32_t *joints) {
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
    float fraction = 0;
    gal_controller_open(&controller, model, NULL, NULL);
    gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = 3}, NULL);
    gal_crowd_add(crowd, &(gal_spawn){.x = -100, .z = -50, .facing = 0.5f}, &who);
    gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1, .run = 0.25f});
    for (int f = 0; f < frames; f++) {
        gal_crowd_advance(crowd, 1 / 45.0f, 0, &fraction);
    }
    gal_crowd_pose_between(crowd, who, fraction, pose);
    *joints = gal_controller_get_info(controller).joints;
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

/* Every bone is where its joint is, and turned as it, seen from the world. */
static void compare(const mock_skeleton *skeleton, const gal_transform *pose, uint32_t joints, gal_quat own,
                    gal_quat facing, int64_t seat, float most) {
    godot_transform place;
    call("place", (const void *[]){&seat}, &place);
    godot_transform within = axes_transform(facing, (gal_vec3){0, 0, 0}), world = chain(place, within);
    float far = 0, turned = 0;
    for (uint32_t j = 0; j < joints; j++) {
        int64_t joint = j;
        char *name;
        call("joint_name", (const void *[]){&joint}, &name);
        godot_transform bone = chain(world, skeleton->pose[find_bone(skeleton, name)]);
        destroy_text(&name);
        gal_quat a = axes_rotation_of(&bone), b = axes_multiply(axes_turn(pose[j].rotation), own);
        far = fmaxf(far, apart(bone.origin, axes_place(pose[j].position, 0.01f)));
        turned = fmaxf(turned, 1 - fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    }
    const gal_vec3 left = chain(world, skeleton->pose[find_bone(skeleton, "LeftHip")]).origin;
    const gal_vec3 right = chain(world, skeleton->pose[find_bone(skeleton, "RightHip")]).origin;
    expect(place.origin.z < -0.5f && fabsf(place.origin.x - 1) < 0.5f, "it went along Godot's -z");
    expect(left.x < right.x && left.y > 0.5f, "its left is on the left of who looks along -z");
    expect(far < most, "bones are where joints are");
    expect(turned < 1e-4f, "bones are turned as joints are");
    printf("farthest bone %.4f m\n", (double)far);
}

/* At a display's own rate a character goes as evenly as its bones do. */
static void goes_evenly(int64_t seat) {
    const double seconds = 1 / 144.0;
    float least = 9, most = 0;
    godot_transform before, place;
    call("place", (const void *[]){&seat}, &before);
    for (int f = 0; f < 60; f++, before = place) {
        ask("advance", (const void *[]){&seconds});
        call("place", (const void *[]){&seat}, &place);
        const float step = apart(place.origin, before.origin);
        least = fminf(least, step);
        most = fmaxf(most, step);
    }
    expect(least > 0.6f * most, "at a display's own rate it goes evenly");
}

static void drive(const char *model, gal_quat own, gal_quat facing, uint8_t places, float most) {
    static mock_skeleton skeleton;
    gal_transform pose[BONES_MAX];
    uint32_t joints;
    gal_vec3 start = {1, 0, 0.5f}, gait = {0.25f, 0, 0};
    double yaw = 0.5, camera = 0, seconds = 1 / 45.0;
    float stick[2] = {0, 1};
    uint8_t jump = 0;
    godot_transform within = axes_transform(facing, (gal_vec3){0, 0, 0});
    void *object = &skeleton;
    build_skeleton(&skeleton, own, facing);
    int64_t seat = ask("add", (const void *[]){&start, &yaw});
    expect(ask("bind", (const void *[]){&seat, &object, &within, &places}) == skeleton.bones - 1,
           "all joints are bound");
    for (int f = 0; f < 90; f++) {
        GDExtensionCallError error;
        mock_variant none =
            call_loosely("want", (const void *[]){&seat, stick, &gait, &camera, &jump}, 5, &error);
        expect(error.error == GDEXTENSION_CALL_OK && none.type == GDEXTENSION_VARIANT_TYPE_NIL,
               "want returns nothing");
        ask("advance", (const void *[]){&seconds});
        call("drive", (const void *[]){&seat, &object}, NULL);
    }
    run_truth(model, 90, pose, &joints);
    compare(&skeleton, pose, joints, own, facing, seat, most);
    goes_evenly(seat);
    call("remove", (const void *[]){&seat}, NULL);
}

static double contact_of(int64_t seat, int64_t contact) {
    double result = -1;
    call("contact", (const void *[]){&seat, &contact}, &result);
    return result;
}

static double gait_of(int64_t seat, const char *name) {
    double result = -1;
    char *text;
    new_text(&text, name);
    call("gait", (const void *[]){&seat, &text}, &result);
    destroy_text(&text);
    return result;
}

/* Of the walker: heel and toe of the left foot, then of the right one. Who was just put down stands. */
static void check_contacts(void) {
    static const char *const joints[] = {"LeftAnkle", "LeftToe", "RightAnkle", "RightToe"};
    double yaw = 0;
    gal_vec3 start = {0, 0, 0};
    int64_t seat = ask("add", (const void *[]){&start, &yaw}), beyond = 4, before = -1, none = 7;
    for (int64_t i = 0; i < 4; i++) {
        int64_t joint = ask("contact_joint", (const void *[]){&i});
        char *name;
        call("joint_name", (const void *[]){&joint}, &name);
        expect(strcmp(text_of(&name), joints[i]) == 0, "a contact's joint is said");
        destroy_text(&name);
        expect(contact_of(seat, i) > 0.9, "who stands has his feet on the ground");
    }
    expect(gait_of(seat, "stand") == 1 && gait_of(seat, "walk") == 0, "who was put down stands");
    expect(gait_of(seat, "swim") == 0 && gait_of(none, "stand") == 0, "what nobody does is 0");
    expect(ask("contact_joint", (const void *[]){&beyond}) == -1, "beyond the contacts is no joint");
    expect(contact_of(seat, beyond) == 0 && contact_of(seat, before) == 0 && contact_of(none, 0) == 0,
           "what is no contact does not touch the ground");
    call("remove", (const void *[]){&seat}, NULL);
}

static void check_refusals(const char *model) {
    GDExtensionCallError error;
    int64_t none = 7;
    double yaw = 0;
    gal_vec3 start = {0, 0, 0};
    expect(ask("joint_count", NULL) == 0 && ask("add", (const void *[]){&start, &yaw}) == -1,
           "nothing is open yet");
    expect(open_says("no/such.gallop", 3, "no/such.gallop"), "a file that is not there is named");
    expect(open_says(model, 0, "1..65535"), "no capacity is refused");
    expect(open_says(model, 3, ""), "the model opens");
    mock_variant nothing = call_loosely("remove", NULL, 0, &error);
    drop(&nothing);
    expect(error.error == GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS, "a missing argument is said");
    call("remove", (const void *[]){&none}, NULL);
    call("drive", (const void *[]){&none, &(void *){NULL}}, NULL);
    for (int i = 0; i < 4; i++) {
        int64_t seat = ask("add", (const void *[]){&start, &yaw});
        expect(seat == (i < 3 ? i : -1), "three seats");
    }
    for (int64_t i = 0; i < 3; i++) {
        call("remove", (const void *[]){&i}, NULL);
    }
}

int main(int argc, char **argv) {
    const float half = 0.70710678f;
    const gal_quat as_is = {0, 0, 0, 1}, about_y = {0, 1, 0, 0}, odd = {half, 0, 0, half};
    GDExtensionInitialization initialization;
    void *extension = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    GDExtensionInitializationFunction entry;
    if (!extension) {
        fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: mock_godot EXTENSION.so MODEL.gallop");
        return 1;
    }
    *(void **)&entry = dlsym(extension, "gallop_godot_entry");
    expect(entry && entry(get_proc_address, NULL, &initialization), "the entry");
    initialization.initialize(initialization.userdata, GDEXTENSION_INITIALIZATION_SCENE);
    expect(strcmp(mock.class_name, "GallopCrowd") == 0 && strcmp(mock.parent, "Node") == 0,
           "the class is registered");
    expect(mock.class.create_instance_func(mock.class.class_userdata) == &mock.object, "an object is made");
    check_refusals(argv[2]);
    check_contacts();
    drive(argv[2], as_is, as_is, 1, 1e-4f);
    drive(argv[2], odd, about_y, 1, 1e-4f);
    drive(argv[2], odd, about_y, 0, 1e-3f); /* the walker's bones are rigid, so turns alone lead there, too */
    mock.class.free_instance_func(mock.class.class_userdata, mock.object.instance);
    initialization.deinitialize(initialization.userdata, GDEXTENSION_INITIALIZATION_SCENE);
    expect(mock.texts == 0, "every string was given back");
    printf("%s\n", mistakes ? "mistakes" : "all as promised");
    return mistakes != 0;
}
