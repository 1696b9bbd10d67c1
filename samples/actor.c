/*
 * A character as an engine takes it, at frames of the engine's own rate: an actor that goes where the character's root goes,
 * bones in their parents' frames below it, steps to be heard. In the engine's space and units, here Unity's; docs/game.md has
 * the axes of others. Plays a walker for some seconds, and checks that the bones lead back to the pose.
 */
#include <math.h>
#include <stdio.h>

#include <gallop/crowd.h>

enum { JOINTS_MOST = 256, CONTACTS_MOST = 16, FRAMES_MOST = 4 /* of the crowd in one of the engine's */ };

typedef struct actor {
    gal_character who;
    gal_character_state before, now; /* of the last two steps */
    gal_transform root;              /* in the engine's space */
    gal_transform bones[JOINTS_MOST];
    int down[CONTACTS_MOST]; /* contacts that have been heard */
    int heard;
} actor;

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

static float mix(float a, float b, float share) {
    return a + (b - a) * share;
}

static gal_transform within(gal_transform parent, gal_transform world) {
    const gal_quat back = {-parent.rotation.x, -parent.rotation.y, -parent.rotation.z, parent.rotation.w};
    const gal_vec3 way = {world.position.x - parent.position.x, world.position.y - parent.position.y,
                          world.position.z - parent.position.z};
    return (gal_transform){turn(back, way), both(back, world.rotation)};
}

/* Unity: x to the other side, metres. What is relative to a parent goes the same way as what is in the world. */
static gal_transform to_engine(gal_transform t, float metres) {
    return (gal_transform){{-t.position.x * metres, t.position.y * metres, t.position.z * metres},
                           {t.rotation.x, -t.rotation.y, -t.rotation.z, t.rotation.w}};
}

/* Where the root is between the last two steps: the facing goes the short way round. */
static gal_transform root_between(const gal_character_state *a, const gal_character_state *b, float share) {
    const float turned = remainderf(b->facing - a->facing, 6.2831853f), half = (a->facing + turned * share) / 2;
    return (gal_transform){
        {mix(a->root.x, b->root.x, share), mix(a->root.y, b->root.y, share), mix(a->root.z, b->root.z, share)},
        {0, sinf(half), 0, cosf(half)}};
}

/* Whoever was added or teleported has made no step: nothing lies between, and what it stands on is not heard. */
static void put_down(actor *self, const gal_crowd *crowd) {
    gal_crowd_state(crowd, self->who, &self->now);
    self->before = self->now;
    for (uint32_t i = 0; i < CONTACTS_MOST; i++) {
        self->down[i] = self->now.contacts[i] > 0.6f;
    }
}

/* A contact that comes down is a step; it counts again when it has been up. The joint says which sound, and where. */
static void listen(actor *self, const gal_controller *controller, uint32_t contacts) {
    for (uint32_t i = 0; i < contacts; i++) {
        const int down = self->now.contacts[i] > (self->down[i] ? 0.3f : 0.6f);
        if (down && !self->down[i]) {
            const int32_t joint = gal_controller_contact_joint(controller, i);
            printf("%s%s",
                   self->heard++ ? ", " : "heard: ", gal_controller_joint_name(controller, (uint32_t)joint));
        }
        self->down[i] = down;
    }
}

/* The actor's transform and its bones', `share` of the way from the step before the last to the last. */
static void place(actor *self, const gal_crowd *crowd, const gal_controller *controller, float share) {
    static gal_transform pose[JOINTS_MOST];
    const gal_controller_info info = gal_controller_get_info(controller);
    const gal_transform root = root_between(&self->before, &self->now, share);
    gal_crowd_pose_between(crowd, self->who, share, pose);
    self->root = to_engine(root, info.unit_metres);
    for (uint32_t j = 0; j < info.joints; j++) {
        const int32_t parent = gal_controller_joint_parent(controller, j);
        self->bones[j] = to_engine(within(parent < 0 ? root : pose[parent], pose[j]), info.unit_metres);
    }
}

/* How far the bones, each in its parent's, lead from the pose; metres. */
static float off(const actor *self, const gal_crowd *crowd, const gal_controller *controller, float share) {
    static gal_transform pose[JOINTS_MOST], at[JOINTS_MOST];
    const gal_controller_info info = gal_controller_get_info(controller);
    float worst = 0;
    gal_crowd_pose_between(crowd, self->who, share, pose);
    for (uint32_t j = 0; j < info.joints; j++) {
        const int32_t p = gal_controller_joint_parent(controller, j);
        const gal_transform parent = p < 0 ? self->root : at[p], bone = self->bones[j];
        const gal_vec3 way = turn(parent.rotation, bone.position),
                       to = to_engine(pose[j], info.unit_metres).position;
        at[j] =
            (gal_transform){{parent.position.x + way.x, parent.position.y + way.y, parent.position.z + way.z},
                            both(parent.rotation, bone.rotation)};
        worst = fmaxf(worst, fabsf(at[j].position.x - to.x) + fabsf(at[j].position.y - to.y) +
                                 fabsf(at[j].position.z - to.z));
    }
    return worst;
}

int main(int argc, char **argv) {
    static actor self;
    const float seconds = 1.0f / 144; /* of the engine's frame */
    gal_error error = {0};
    gal_controller *controller;
    gal_crowd *crowd;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK ||
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller}, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const gal_controller_info info = gal_controller_get_info(controller);
    float owed = 0, worst = 0; /* steps that are due; metres */
    if (info.joints > JOINTS_MOST) {
        return 1;
    }
    gal_crowd_add(crowd, NULL, &self.who);
    put_down(&self, crowd);
    for (int frame = 0; frame < 3 * 144; frame++) {
        gal_crowd_set_input(crowd, self.who, &(gal_input){.move_x = 0.3f, .move_y = 1});
        owed = fminf(owed + seconds * info.rate, FRAMES_MOST);
        for (; owed >= 1; owed--) {
            self.before = self.now;
            gal_crowd_step(crowd);
            gal_crowd_state(crowd, self.who, &self.now);
            listen(&self, controller, info.contacts);
        }
        place(&self, crowd, controller, owed);
        worst = fmaxf(worst, off(&self, crowd, controller, owed));
    }
    printf("\nthe actor is at %.2f %.2f %.2f m; bones lead to within %.1g m of the pose\n",
           (double)self.root.position.x, (double)self.root.position.y, (double)self.root.position.z,
           (double)worst);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    return worst < 1e-4f && self.heard >= 6 && self.root.position.z > 1 && self.root.position.x > 0.3f ? 0 : 1;
}
