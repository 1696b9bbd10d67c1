#include "show/figure.h"

#include <ctype.h>
#include <string.h>

#include "model_file.h"
#include "space.h"

typedef struct build {
    const gali_contract *contract;
    gali_figure *figure;
    gal_vec3 rest[GALI_JOINTS_MAX]; /* world, units */
    float carried[GALI_JOINTS_MAX]; /* metres of bone below each joint */
    int named_sides;                /* whether the joints' names tell left and right */
    int32_t head;                   /* joint, or -1 */
} build;

static int contains(const char *text, const char *word) {
    size_t length = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == word[i]) {
            i++;
        }
        if (i == length) {
            return 1;
        }
    }
    return 0;
}

/* "Left", "LHipJoint", "thigh.L", "foot_l": 1; the same of the right: -1. */
static int side_of_name(const char *name) {
    size_t length = strlen(name);
    if (contains(name, "left") || contains(name, "right")) {
        return contains(name, "left") ? 1 : -1;
    }
    if ((name[0] == 'L' || name[0] == 'R') && isupper((unsigned char)name[1])) {
        return name[0] == 'L' ? 1 : -1;
    }
    if (length > 2 && (name[length - 2] == '.' || name[length - 2] == '_')) {
        int last = tolower((unsigned char)name[length - 1]);
        return last == 'l' ? 1 : last == 'r' ? -1 : 0;
    }
    return 0;
}

/* By name if any joint's name tells, else by place: +x is the character's left. */
static int side_of(const build *self, uint32_t joint) {
    if (self->named_sides) {
        return side_of_name(self->contract->joints[joint].name);
    }
    float x = self->rest[joint].x * self->contract->unit, least = 0.03f * self->figure->tall;
    return x > least ? 1 : x < -least ? -1 : 0;
}

static float bone_length(const build *self, uint32_t joint) {
    int32_t parent = self->contract->joints[joint].parent;
    return parent < 0
               ? 0
               : gali_vec3_length(gali_vec3_sub(self->rest[joint], self->rest[parent])) * self->contract->unit;
}

static void measure(build *self, const gal_transform *pose) {
    const gali_contract *contract = self->contract;
    gal_transform world[GALI_JOINTS_MAX];
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        const gali_joint *joint = &contract->joints[i];
        world[i] = joint->parent < 0 ? joint->rest : gali_transform_mul(world[joint->parent], joint->rest);
        self->rest[i] = pose ? pose[i].position : world[i].position;
        float away = fabsf(self->rest[i].z - self->rest[0].z) * contract->unit;
        self->figure->deep = fmaxf(self->figure->deep, 2 * away);
        self->named_sides |= side_of_name(joint->name) != 0;
    }
    for (uint32_t i = contract->joint_count; i-- > 1;) { /* children stand behind their parents */
        int32_t parent = contract->joints[i].parent;
        if (parent >= 0) {
            self->carried[parent] += self->carried[i] + bone_length(self, i);
        }
    }
}

static float radius(const build *self, float carried) {
    float tall = self->figure->tall;
    return fminf(fmaxf(0.048f * tall * powf(carried / (0.54f * tall), 0.7f), 0.0105f * tall), 0.066f * tall);
}

static void add(build *self, gali_limb limb) {
    if (self->figure->limb_count < GALI_LIMBS_MAX) {
        self->figure->limbs[self->figure->limb_count++] = limb;
    }
}

static void add_bones(build *self) {
    for (uint32_t i = 0; i < self->contract->joint_count; i++) {
        int32_t parent = self->contract->joints[i].parent;
        float length = bone_length(self, i);
        if (parent < 0 || length < 0.01f * self->figure->tall) {
            continue;
        }
        add(self, (gali_limb){.a = {(uint32_t)parent, (uint32_t)parent},
                              .b = {i, i},
                              .to = 1,
                              .radius_from = radius(self, self->carried[i] + length),
                              .radius_to = radius(self, self->carried[i]),
                              .side = side_of(self, i)});
    }
}

/* The joint called a head, nearest to the root; -1 if there is none. */
static int32_t find_head(const gali_contract *contract) {
    for (uint32_t i = 1; i < contract->joint_count; i++) {
        if (contains(contract->joints[i].name, "head") && contract->joints[i].parent >= 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* From the head joint on along the neck, as long as a head is. */
static void add_head(build *self) {
    float tall = self->figure->tall, length = self->head < 0 ? 0 : bone_length(self, (uint32_t)self->head);
    if (length < 0.01f * tall) {
        return;
    }
    uint32_t head = (uint32_t)self->head, neck = (uint32_t)self->contract->joints[head].parent;
    gali_limb limb = {.a = {neck, neck},
                      .b = {head, head},
                      .from = 1,
                      .to = 1 + 0.042f * tall / length,
                      .radius_from = 0.041f * tall,
                      .radius_to = 0.052f * tall,
                      .part = GALI_LIMB_HEAD};
    add(self, limb);
    limb.part = GALI_LIMB_VISOR;
    limb.radius_from = limb.radius_to = 0.014f * tall;
    limb.forward = 0.041f * tall;
    limb.half = 0.022f * tall;
    add(self, limb);
}

/* An animal's neck and muzzle are thicker than what they carry; eyes at a third of the muzzle. */
static void add_muzzle(build *self) {
    gali_figure *figure = self->figure;
    uint32_t bones = figure->limb_count;
    for (uint32_t i = 0; i < bones; i++) {
        gali_limb *limb = &figure->limbs[i];
        if ((int32_t)limb->b[0] == self->head) {
            limb->radius_from = 0.125f * figure->tall;
            limb->radius_to = 0.09f * figure->tall;
        } else if ((int32_t)limb->a[0] == self->head) {
            limb->radius_from = 0.09f * figure->tall;
            limb->radius_to = 0.045f * figure->tall;
            limb->part = GALI_LIMB_HEAD;
            gali_limb eyes = *limb;
            eyes.to = 0.35f;
            eyes.radius_from = eyes.radius_to = 0.018f * figure->tall;
            eyes.half = 0.07f * figure->tall;
            eyes.part = GALI_LIMB_VISOR;
            add(self, eyes);
        }
    }
}

/* A trunk between the hips in front and those behind. */
static void add_trunk(build *self) {
    const gali_contract *contract = self->contract;
    uint32_t hips[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = i;
        for (; at > 0 && self->rest[hips[at - 1]].z > self->rest[contract->legs[i].hip].z; at--) {
            hips[at] = hips[at - 1];
        }
        hips[at] = contract->legs[i].hip;
    }
    float half = 0.5f * fabsf(self->rest[hips[2]].x - self->rest[hips[3]].x) * contract->unit;
    float width = fminf(fmaxf(0.6f * half, 0.08f * self->figure->tall), 0.2f * self->figure->tall);
    add(self, (gali_limb){.a = {hips[0], hips[1]},
                          .b = {hips[2], hips[3]},
                          .from = -0.03f,
                          .to = 1.03f,
                          .radius_from = width,
                          .radius_to = 1.25f * width});
}

/* Height of a pose, units. */
static float height_of(const gal_transform *pose, uint32_t joints) {
    float low = pose[0].position.y, high = low;
    for (uint32_t i = 1; i < joints; i++) {
        low = fminf(low, pose[i].position.y);
        high = fmaxf(high, pose[i].position.y);
    }
    return high - low;
}

void gali_figure_build(gali_figure *figure, const gali_contract *contract, const gal_transform *pose) {
    build self = {.contract = contract, .figure = figure};
    float height = gali_model_file_height(contract);
    if (height * contract->unit > 0.01f) {
        pose = NULL;
    }
    height = pose ? fmaxf(height_of(pose, contract->joint_count), height) : height;
    *figure = (gali_figure){.tall = height * contract->unit, .unit = contract->unit};
    measure(&self, pose);
    self.head = find_head(contract);
    add_bones(&self);
    if (contract->leg_count == 4) {
        add_trunk(&self);
        add_muzzle(&self);
    } else {
        add_head(&self);
    }
}

static gal_vec3 middle(const gal_transform *pose, const uint32_t pair[2]) {
    return gali_vec3_scale(gali_vec3_add(pose[pair[0]].position, pose[pair[1]].position), 0.5f);
}

void gali_figure_ends(const gali_figure *figure, const gali_limb *limb, const gal_transform *pose, float facing,
                      gal_vec3 *from, gal_vec3 *to) {
    gal_vec3 a = middle(pose, limb->a), along = gali_vec3_sub(middle(pose, limb->b), a);
    *from = gali_vec3_add(a, gali_vec3_scale(along, limb->from));
    *to = gali_vec3_add(a, gali_vec3_scale(along, limb->to));
    if (limb->part == GALI_LIMB_VISOR) {
        gal_vec3 front = {sinf(facing), 0, cosf(facing)}, side = {front.z, 0, -front.x};
        gal_vec3 at = gali_vec3_add(*to, gali_vec3_scale(front, limb->forward / figure->unit));
        side = gali_vec3_scale(side, limb->half / figure->unit);
        *from = gali_vec3_add(at, side);
        *to = gali_vec3_sub(at, side);
    }
}
