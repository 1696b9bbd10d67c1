/*
 * A rig of your own: bones with other names, axes and lengths than the controller's joints, driven by it.
 *
 * A bone is turned by what its joint turned away from rest, so its axes may be any; but both must rest in one pose (here a T
 * pose, facing +z). A bone keeps its own length. The hips go where the joint's are, by as much more as the rig is taller. In
 * the crowd's space here; docs/game.md has the axes of engines. Plays a walker for two seconds, and checks that every bone
 * points where its joint's does.
 */
#include <math.h>
#include <stdio.h>

#include <gallop/crowd.h>

/* A bone, a parent before its children; at rest it lies in its parent as `rest`, metres. */
typedef struct bone {
    const char *name, *joint; /* joint: of the controller */
    int parent;
    gal_transform rest, local; /* local: what the engine is given each frame, in the parent's frame */
    gal_quat offset;           /* from the joint's rotation to the bone's */
    int32_t index;             /* of the joint */
} bone;

/* A leg and the hips of somebody a fifth taller, whose bones look along their x, as some programs' do. */
static bone rig[] = {
    {.name = "pelvis", .joint = "Hips", .parent = -1, .rest = {{0, 1.1f, 0}, {0, 0, 0, 1}}},
    {.name = "thigh.L",
     .joint = "LeftHip",
     .parent = 0,
     .rest = {{0.1f, 0, 0}, {0, 0, -0.70710678f, 0.70710678f}}},
    {.name = "shin.L", .joint = "LeftKnee", .parent = 1, .rest = {{0.5f, 0, 0}, {0, 0, 0, 1}}},
    {.name = "foot.L",
     .joint = "LeftAnkle",
     .parent = 2,
     .rest = {{0.5f, 0, 0}, {0, -0.70710678f, 0, 0.70710678f}}},
};
enum { BONES = sizeof rig / sizeof rig[0] };

/* q turns a vector v to q v q*. */
static gal_vec3 turn(gal_quat q, gal_vec3 v) {
    gal_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return (gal_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                      v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/* Turns by b, then by a. */
static gal_quat both(gal_quat a, gal_quat b) {
    return (gal_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static gal_quat back(gal_quat q) {
    return (gal_quat){-q.x, -q.y, -q.z, q.w};
}

/* How joint and bone lie to the world at rest. */
static gal_quat joint_rest(const gal_controller *controller, int32_t joint) {
    gal_quat turned = {0, 0, 0, 1};
    for (; joint >= 0; joint = gal_controller_joint_parent(controller, (uint32_t)joint)) {
        turned = both(gal_controller_joint_rest(controller, (uint32_t)joint).rotation, turned);
    }
    return turned;
}

static gal_quat bone_rest(int b) {
    gal_quat turned = {0, 0, 0, 1};
    for (; b >= 0; b = rig[b].parent) {
        turned = both(rig[b].rest.rotation, turned);
    }
    return turned;
}

/* Once for a rig; 0 if the controller lacks a joint. */
static int bind(const gal_controller *controller) {
    for (int b = 0; b < BONES; b++) {
        rig[b].index = gal_controller_joint_find(controller, rig[b].joint);
        if (rig[b].index < 0) {
            fprintf(stderr, "bone %s: the controller has no joint %s\n", rig[b].name, rig[b].joint);
            return 0;
        }
        rig[b].offset = both(back(joint_rest(controller, rig[b].index)), bone_rest(b));
    }
    return 1;
}

/* Every frame: the world rotations by the joints', from them those in the parents. The root is where the character stands. */
static void drive(const gal_transform *pose, gal_vec3 root, float metres, float taller) {
    for (int b = 0; b < BONES; b++) {
        const int p = rig[b].parent;
        const gal_quat world = both(pose[rig[b].index].rotation, rig[b].offset);
        rig[b].local = rig[b].rest;
        rig[b].local.rotation =
            p < 0 ? world : both(back(both(pose[rig[p].index].rotation, rig[p].offset)), world);
        if (p < 0) { /* steps as long as the controller's: a rig whose legs are longer slides by as much */
            const gal_vec3 at = pose[rig[b].index].position;
            rig[b].local.position = (gal_vec3){(root.x + (at.x - root.x) * taller) * metres,
                                               (root.y + (at.y - root.y) * taller) * metres,
                                               (root.z + (at.z - root.z) * taller) * metres};
        }
    }
}

/* The largest angle between a bone and its joint's, radians: both from one joint of the leg to the next. */
static float off(const gal_transform *pose) {
    float worst = 0;
    gal_quat world = rig[0].local.rotation;
    for (int b = 1; b + 1 < BONES; b++) {
        world = both(world, rig[b].local.rotation);
        const gal_vec3 along = turn(world, rig[b + 1].rest.position);
        const gal_vec3 from = pose[rig[b].index].position, to = pose[rig[b + 1].index].position;
        const gal_vec3 joint = {to.x - from.x, to.y - from.y, to.z - from.z};
        const float product = along.x * joint.x + along.y * joint.y + along.z * joint.z;
        const float lengths = sqrtf((along.x * along.x + along.y * along.y + along.z * along.z) *
                                    (joint.x * joint.x + joint.y * joint.y + joint.z * joint.z));
        worst = fmaxf(worst, acosf(fminf(product / lengths, 1)));
    }
    return worst;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK ||
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (!bind(controller)) {
        return 1;
    }
    const float metres = gal_controller_get_info(controller).unit_metres;
    const float hips = gal_controller_joint_rest(controller, (uint32_t)rig[0].index).position.y * metres;
    float worst = 0;
    gal_crowd_add(crowd, NULL, &who);
    gal_crowd_set_input(crowd, who, &(gal_input){.move_x = 0.5f, .move_y = 1});
    for (int frame = 0; frame < 120; frame++) {
        gal_character_state state;
        gal_crowd_step(crowd);
        gal_crowd_state(crowd, who, &state);
        const gal_transform *pose = gal_crowd_pose(crowd, who, NULL);
        drive(pose, state.root, metres, rig[0].rest.position.y / hips);
        worst = fmaxf(worst, off(pose));
    }
    for (int b = 0; b < BONES; b++) {
        const gal_transform t = rig[b].local;
        printf("%-8s at %6.3f %6.3f %6.3f, turned %6.3f %6.3f %6.3f %6.3f\n", rig[b].name, (double)t.position.x,
               (double)t.position.y, (double)t.position.z, (double)t.rotation.x, (double)t.rotation.y,
               (double)t.rotation.z, (double)t.rotation.w);
    }
    printf("bones point where their joints' do to within %.2f radians\n", (double)worst);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    return worst < 0.1f && rig[0].local.position.y > 1 ? 0 : 1;
}
