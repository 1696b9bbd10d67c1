/*
 * A skinned mesh: for each joint the matrix that brings a vertex from the rest pose, in which the mesh was bound, to the
 * pose of this frame. It is the joint's transform times the inverse of the one at rest; engines call the latter the bind
 * pose. Prints the matrices of a walker after a second, and checks that each takes its joint along.
 */
#include <math.h>
#include <stdio.h>

#include <gallop/crowd.h>

enum { JOINTS_MOST = 256 };

/* As shaders take it: out = M (x, y, z, 1). */
typedef struct matrix {
    float row[3][4];
} matrix;

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

/* The rest pose in the character's space, once for a controller: a parent stands before its children. */
static void find_rest(const gal_controller *controller, uint32_t joints, gal_transform *rest) {
    for (uint32_t j = 0; j < joints; j++) {
        const int32_t parent = gal_controller_joint_parent(controller, j);
        rest[j] = gal_controller_joint_rest(controller, j);
        if (parent >= 0) {
            gal_vec3 at = turn(rest[parent].rotation, rest[j].position);
            rest[j].position = (gal_vec3){rest[parent].position.x + at.x, rest[parent].position.y + at.y,
                                          rest[parent].position.z + at.z};
            rest[j].rotation = both(rest[parent].rotation, rest[j].rotation);
        }
    }
}

static matrix skin(gal_transform pose, gal_transform rest) {
    const gal_quat back = {-rest.rotation.x, -rest.rotation.y, -rest.rotation.z, rest.rotation.w};
    const gal_quat turned = both(pose.rotation, back);
    const gal_vec3 x = turn(turned, (gal_vec3){1, 0, 0}), y = turn(turned, (gal_vec3){0, 1, 0}),
                   z = turn(turned, (gal_vec3){0, 0, 1}), at = turn(turned, rest.position);
    return (matrix){{{x.x, y.x, z.x, pose.position.x - at.x},
                     {x.y, y.y, z.y, pose.position.y - at.y},
                     {x.z, y.z, z.z, pose.position.z - at.z}}};
}

/* How far the matrix puts the joint's place at rest from its place in the pose. */
static float distance_of(const matrix *m, gal_vec3 rest, gal_vec3 pose) {
    const float to[3] = {pose.x, pose.y, pose.z};
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        const float *r = m->row[i];
        const float off = r[0] * rest.x + r[1] * rest.y + r[2] * rest.z + r[3] - to[i];
        sum += off * off;
    }
    return sqrtf(sum);
}

static int show(const gal_controller *controller, const gal_transform *pose, uint32_t joints) {
    static gal_transform rest[JOINTS_MOST];
    float worst = 0;
    find_rest(controller, joints, rest);
    for (uint32_t j = 0; j < joints; j++) {
        const matrix m = skin(pose[j], rest[j]);
        printf("%-14s", gal_controller_joint_name(controller, j));
        for (int i = 0; i < 12; i++) {
            printf("%9.3f", (double)m.row[i / 4][i % 4]);
        }
        printf("\n");
        worst = fmaxf(worst, distance_of(&m, rest[j].position, pose[j].position));
    }
    printf("joints are off by %.1g units at most\n", (double)worst);
    return worst < 0.01f ? 0 : 1;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
    uint32_t joints;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK ||
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    gal_crowd_add(crowd, NULL, &who);
    gal_crowd_set_input(crowd, who, &(gal_input){.move_y = 1});
    for (int frame = 0; frame < 60; frame++) {
        gal_crowd_step(crowd);
    }
    const gal_transform *pose = gal_crowd_pose(crowd, who, &joints);
    int status = joints <= JOINTS_MOST ? show(controller, pose, joints) : 1;
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    return status;
}
