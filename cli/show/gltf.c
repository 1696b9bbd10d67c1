#include "show/gltf.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model_file.h"
#include "motion/skeleton.h"
#include "show/capsules.h"
#include "show/glb.h"
#include "space.h"

enum { PARTS = GALI_LIMB_VISOR + 1 };

/* Accessors of a primitive; there is none where the body has no such part. */
typedef struct primitive {
    int there;
    uint32_t position, normal, joints, weights, corners;
} primitive;

typedef struct writer {
    const gali_contract *contract;
    const gal_transform *poses; /* [frames][joints] */
    uint32_t frames;
    gal_transform bind[GALI_JOINTS_MAX]; /* in the world, units */
    gali_glb glb;
    gali_json json;
    uint32_t bind_matrices, times, rotations[GALI_JOINTS_MAX], translations[GALI_JOINTS_MAX];
    primitive parts[PARTS];
} writer;

static const char *const part_names[PARTS] = {"Body", "Head", "Visor"};
static const float part_colours[PARTS][4] = {
    {0.60f, 0.62f, 0.66f, 1}, {0.72f, 0.58f, 0.48f, 1}, {0.05f, 0.06f, 0.08f, 1}};

static void build_bind(writer *self) {
    const gali_contract *contract = self->contract;
    int measured = gali_model_file_height(contract) * contract->unit > 0.01f;
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        int32_t parent = contract->joints[j].parent;
        gal_transform rest = contract->joints[j].rest;
        gal_transform placed = parent < 0 ? rest : gali_transform_mul(self->bind[parent], rest);
        self->bind[j] = measured ? placed : self->poses[j];
    }
}

/* What takes a vertex of the bind pose into each joint's frame, column by column. */
static void add_bind_matrices(writer *self) {
    float matrices[GALI_JOINTS_MAX][16];
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        gal_quat back = gali_quat_conjugate(self->bind[j].rotation);
        gal_vec3 place = gali_vec3_scale(self->bind[j].position, -self->contract->unit);
        gal_vec3 columns[4] = {gali_quat_turn(back, (gal_vec3){1, 0, 0}),
                               gali_quat_turn(back, (gal_vec3){0, 1, 0}),
                               gali_quat_turn(back, (gal_vec3){0, 0, 1}), gali_quat_turn(back, place)};
        for (int c = 0; c < 4; c++) {
            float column[4] = {columns[c].x, columns[c].y, columns[c].z, c == 3 ? 1.0f : 0.0f};
            memcpy(matrices[j] + 4 * c, column, sizeof column);
        }
    }
    self->bind_matrices = gali_glb_add(&self->glb, GALI_GLB_MAT4, 0, matrices, self->contract->joint_count);
}

static gal_status add_body(writer *self, gal_error *error) {
    gali_figure figure;
    gali_figure_build(&figure, self->contract, self->bind);
    gal_status status = GAL_OK;
    for (int part = 0; part < PARTS && status == GAL_OK; part++) {
        gali_capsules body;
        status = gali_capsules_make(&body, &figure, (gali_limb_part)part, self->bind, error);
        if (status == GAL_OK && body.vertex_count > 0) {
            gali_glb *glb = &self->glb;
            self->parts[part] =
                (primitive){1,
                            gali_glb_add(glb, GALI_GLB_VEC3, 1, body.position, body.vertex_count),
                            gali_glb_add(glb, GALI_GLB_VEC3, 1, body.normal, body.vertex_count),
                            gali_glb_add(glb, GALI_GLB_JOINTS, 1, body.joints, body.vertex_count),
                            gali_glb_add(glb, GALI_GLB_VEC4, 1, body.weights, body.vertex_count),
                            gali_glb_add(glb, GALI_GLB_CORNERS, 1, body.corners, body.corner_count)};
        }
        gali_capsules_release(&body);
    }
    return status;
}

/* A joint's frames: signs are chosen so that neighbours are near each other, as not every reader minds that. */
static void add_joint_motion(writer *self, uint32_t joint, gal_quat *rotations, gal_vec3 *translations) {
    uint32_t joints = self->contract->joint_count;
    gal_transform local[GALI_JOINTS_MAX];
    for (uint32_t f = 0; f < self->frames; f++) {
        gali_skeleton_local(self->contract, self->poses + (size_t)f * joints, local);
        gal_quat q = local[joint].rotation, last = f > 0 ? rotations[f - 1] : q;
        float side = q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w < 0 ? -1.0f : 1.0f;
        rotations[f] = (gal_quat){side * q.x, side * q.y, side * q.z, side * q.w};
        translations[f] = gali_vec3_scale(local[joint].position, self->contract->unit);
    }
    self->rotations[joint] = gali_glb_add(&self->glb, GALI_GLB_VEC4, 0, rotations, self->frames);
    self->translations[joint] = gali_glb_add(&self->glb, GALI_GLB_VEC3, 0, translations, self->frames);
}

static gal_status add_motion(writer *self, gal_error *error) {
    gal_quat *rotations = malloc(self->frames * sizeof *rotations);
    gal_vec3 *translations = malloc(self->frames * sizeof *translations);
    float *times = malloc(self->frames * sizeof *times);
    gal_status status = GAL_OK;
    if (!rotations || !translations || !times) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for %u frames", self->frames);
    }
    for (uint32_t f = 0; f < self->frames && status == GAL_OK; f++) {
        times[f] = (float)f / self->contract->rate;
    }
    for (uint32_t j = 0; j < self->contract->joint_count && status == GAL_OK; j++) {
        add_joint_motion(self, j, rotations, translations);
    }
    if (status == GAL_OK) {
        self->times = gali_glb_add(&self->glb, GALI_GLB_SCALAR, 0, times, self->frames);
    }
    free(rotations);
    free(translations);
    free(times);
    return status;
}

static void write_floats(gali_json *json, const char *key, const float *values, uint32_t count) {
    gali_json_open(json, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        gali_json_float(json, NULL, values[i]);
    }
    gali_json_close(json, ']');
}

/* The joints whose parent is `parent`, as a list under `key` if there are any, open for what follows. */
static int open_children(writer *self, const char *key, int32_t parent) {
    int found = 0;
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        if (self->contract->joints[j].parent == parent) {
            if (!found) {
                gali_json_open(&self->json, key, '[');
            }
            found = 1;
            gali_json_number(&self->json, NULL, j);
        }
    }
    return found;
}

static void write_joint(writer *self, uint32_t joint) {
    gali_json *json = &self->json;
    int32_t parent = self->contract->joints[joint].parent;
    gal_transform bind = self->bind[joint];
    gal_transform local = parent < 0 ? bind : gali_transform_within(self->bind[parent], bind);
    gal_vec3 place = gali_vec3_scale(local.position, self->contract->unit);
    gal_quat turn = gali_quat_unit(local.rotation);
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", self->contract->joints[joint].name);
    write_floats(json, "translation", (float[]){place.x, place.y, place.z}, 3);
    write_floats(json, "rotation", (float[]){turn.x, turn.y, turn.z, turn.w}, 4);
    if (open_children(self, "children", (int32_t)joint)) {
        gali_json_close(json, ']');
    }
    gali_json_close(json, '}');
}

/* Nodes: the joints by their numbers, then the body. */
static void write_scene(writer *self) {
    gali_json *json = &self->json;
    uint32_t joints = self->contract->joint_count;
    gali_json_open(json, "nodes", '[');
    for (uint32_t j = 0; j < joints; j++) {
        write_joint(self, j);
    }
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", "Figure");
    gali_json_number(json, "mesh", 0);
    gali_json_number(json, "skin", 0);
    gali_json_close(json, '}');
    gali_json_close(json, ']');
    gali_json_number(json, "scene", 0);
    gali_json_open(json, "scenes", '[');
    gali_json_open(json, NULL, '{');
    open_children(self, "nodes", -1);
    gali_json_number(json, NULL, joints);
    gali_json_close(json, ']');
    gali_json_close(json, '}');
    gali_json_close(json, ']');
    gali_json_open(json, "skins", '[');
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "inverseBindMatrices", self->bind_matrices);
    gali_json_open(json, "joints", '[');
    for (uint32_t j = 0; j < joints; j++) {
        gali_json_number(json, NULL, j);
    }
    gali_json_close(json, ']');
    gali_json_close(json, '}');
    gali_json_close(json, ']');
}

static void write_primitive(gali_json *json, const primitive *own, int material) {
    gali_json_open(json, NULL, '{');
    gali_json_open(json, "attributes", '{');
    gali_json_number(json, "POSITION", own->position);
    gali_json_number(json, "NORMAL", own->normal);
    gali_json_number(json, "JOINTS_0", own->joints);
    gali_json_number(json, "WEIGHTS_0", own->weights);
    gali_json_close(json, '}');
    gali_json_number(json, "indices", own->corners);
    gali_json_number(json, "material", material);
    gali_json_close(json, '}');
}

static void write_material(gali_json *json, int part) {
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", part_names[part]);
    gali_json_open(json, "pbrMetallicRoughness", '{');
    write_floats(json, "baseColorFactor", part_colours[part], 4);
    gali_json_number(json, "metallicFactor", 0);
    gali_json_number(json, "roughnessFactor", 0.8);
    gali_json_close(json, '}');
    gali_json_close(json, '}');
}

static void write_body(writer *self) {
    gali_json *json = &self->json;
    int material = 0;
    gali_json_open(json, "meshes", '[');
    gali_json_open(json, NULL, '{');
    gali_json_open(json, "primitives", '[');
    for (int part = 0; part < PARTS; part++) {
        if (self->parts[part].there) {
            write_primitive(json, &self->parts[part], material++);
        }
    }
    gali_json_close(json, ']');
    gali_json_close(json, '}');
    gali_json_close(json, ']');
    gali_json_open(json, "materials", '[');
    for (int part = 0; part < PARTS; part++) {
        if (self->parts[part].there) {
            write_material(json, part);
        }
    }
    gali_json_close(json, ']');
}

static void write_channel(gali_json *json, uint32_t sampler, uint32_t joint, const char *path) {
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "sampler", sampler);
    gali_json_open(json, "target", '{');
    gali_json_number(json, "node", joint);
    gali_json_text(json, "path", path);
    gali_json_close(json, '}');
    gali_json_close(json, '}');
}

static void write_sampler(gali_json *json, uint32_t times, uint32_t values) {
    gali_json_open(json, NULL, '{');
    gali_json_number(json, "input", times);
    gali_json_number(json, "output", values);
    gali_json_close(json, '}');
}

/* Sampler 2 j is joint j's rotation, 2 j + 1 its translation. */
static void write_animation(writer *self) {
    gali_json *json = &self->json;
    gali_json_open(json, "animations", '[');
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", self->contract->name);
    gali_json_open(json, "channels", '[');
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        write_channel(json, 2 * j, j, "rotation");
        write_channel(json, 2 * j + 1, j, "translation");
    }
    gali_json_close(json, ']');
    gali_json_open(json, "samplers", '[');
    for (uint32_t j = 0; j < self->contract->joint_count; j++) {
        write_sampler(json, self->times, self->rotations[j]);
        write_sampler(json, self->times, self->translations[j]);
    }
    gali_json_close(json, ']');
    gali_json_close(json, '}');
    gali_json_close(json, ']');
}

static void write_text(writer *self, FILE *text) {
    self->json = (gali_json){.out = text, .flat = 2};
    gali_json *json = &self->json;
    gali_json_open(json, NULL, '{');
    gali_json_open(json, "asset", '{');
    gali_json_text(json, "version", "2.0");
    gali_json_text(json, "generator", "gallop export");
    gali_json_close(json, '}');
    write_scene(self);
    write_body(self);
    write_animation(self);
    gali_glb_describe(&self->glb, json);
    gali_json_close(json, '}');
}

static gal_status add_all(writer *self, gal_error *error) {
    build_bind(self);
    add_bind_matrices(self);
    gal_status status = add_body(self, error);
    return status == GAL_OK ? add_motion(self, error) : status;
}

gal_status gali_gltf_write(const char *path, const gali_contract *contract, const gal_transform *poses,
                           uint32_t frames, gal_error *error) {
    writer *self = calloc(1, sizeof *self);
    FILE *text = tmpfile(); /* the JSON's length stands before it */
    gal_status status = GAL_OK;
    if (!self || !text) {
        status = gali_fail(error, self ? GAL_IO : GAL_NO_MEMORY, "no temporary file or memory for a .glb");
    } else {
        self->contract = contract;
        self->poses = poses;
        self->frames = frames;
        status = add_all(self, error);
        if (status == GAL_OK) {
            write_text(self, text);
            status = gali_glb_write(&self->glb, text, path, error);
        }
        gali_glb_release(&self->glb);
    }
    if (text) {
        fclose(text);
    }
    free(self);
    return status;
}
