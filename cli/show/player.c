#include "show/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "embedded.h"
#include "json.h"
#include "space.h"

enum { STATE_COLUMNS = 10, GROUND_CELLS = 160 };

/* What one step of each state column stands for: facing, phase, speed, stick, run, strafe, crouch, camera,
 * jump. */
static const double state_scale[STATE_COLUMNS] = {1e-4,    2e-4,    1e-3,    1 / 3e4, 1 / 3e4,
                                                  1 / 3e4, 1 / 3e4, 1 / 3e4, 1e-4,    1 / 3e4};

/* The patch of ground shown, metres. */
typedef struct patch {
    float x, z, cell;
} patch;

/* Base64 on the way to a file: up to two bytes wait for their third. */
typedef struct base64 {
    FILE *out;
    unsigned char waiting[3];
    unsigned count;
} base64;

static void put_group(base64 *self) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)self->waiting[0] << 16 | (uint32_t)self->waiting[1] << 8 | self->waiting[2];
    char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63]};
    for (unsigned i = self->count + 1; i < 4; i++) {
        text[i] = '=';
    }
    fwrite(text, 1, sizeof text, self->out);
    memset(self->waiting, 0, sizeof self->waiting);
    self->count = 0;
}

static void put_byte(base64 *self, uint32_t byte) {
    self->waiting[self->count++] = (unsigned char)(byte & 255);
    if (self->count == 3) {
        put_group(self);
    }
}

static void put_i16(base64 *self, double value) {
    double whole = round(value);
    int clamped = whole > 32767 ? 32767 : whole < -32767 ? -32767 : (int)whole;
    uint32_t bits = (uint32_t)clamped;
    put_byte(self, bits);
    put_byte(self, bits >> 8);
}

static void put_f32(base64 *self, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) {
        put_byte(self, bits >> shift);
    }
}

static base64 open_base64(gali_json *json, const char *key) {
    gali_json_text(json, key, "");
    fseek(json->out, -1, SEEK_CUR); /* back over the closing quote */
    return (base64){.out = json->out};
}

static void close_base64(base64 *self) {
    if (self->count > 0) {
        put_group(self);
    }
    fputc('"', self->out);
}

static size_t rows_of(const gali_recording *recording) {
    return (size_t)recording->characters * recording->frames;
}

static void write_roots(gali_json *json, const gali_player_desc *desc) {
    const gali_recording *recording = desc->recording;
    base64 out = open_base64(json, "roots");
    for (size_t i = 0; i < rows_of(recording); i++) {
        gal_vec3 root = gali_vec3_scale(recording->states[i].root, desc->contract->unit);
        put_f32(&out, root.x);
        put_f32(&out, root.y);
        put_f32(&out, root.z);
    }
    close_base64(&out);
}

static float largest(gal_vec3 v, float so_far) {
    return fmaxf(so_far, fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
}

static void write_poses(gali_json *json, const gali_player_desc *desc) {
    const gali_recording *recording = desc->recording;
    float most = 1e-6f;
    for (size_t i = 0; i < rows_of(recording) * recording->joints; i++) {
        most = largest(
            gali_vec3_sub(recording->poses[i].position, recording->states[i / recording->joints].root), most);
    }
    gali_json_number(json, "poseScale", (double)most * (double)desc->contract->unit / 32767);
    base64 out = open_base64(json, "poses");
    for (size_t i = 0; i < rows_of(recording) * recording->joints; i++) {
        gal_vec3 v = gali_vec3_sub(recording->poses[i].position, recording->states[i / recording->joints].root);
        put_i16(&out, (double)(v.x / most) * 32767);
        put_i16(&out, (double)(v.y / most) * 32767);
        put_i16(&out, (double)(v.z / most) * 32767);
    }
    close_base64(&out);
}

static void write_states(gali_json *json, const gali_player_desc *desc) {
    const gali_recording *recording = desc->recording;
    gali_json_open(json, "stateScale", '[');
    for (int k = 0; k < STATE_COLUMNS; k++) {
        gali_json_number(json, NULL, state_scale[k]);
    }
    gali_json_close(json, ']');
    base64 out = open_base64(json, "states");
    for (size_t i = 0; i < rows_of(recording); i++) {
        const gal_character_state *state = &recording->states[i];
        const gal_input *input = &recording->inputs[i];
        float row[STATE_COLUMNS] = {gali_angle_wrap(state->facing),
                                    state->phase,
                                    state->speed * desc->contract->unit,
                                    input->move_x,
                                    input->move_y,
                                    input->run,
                                    input->strafe,
                                    input->crouch,
                                    gali_angle_wrap(input->camera_yaw),
                                    input->jump != 0};
        for (int k = 0; k < STATE_COLUMNS; k++) {
            put_i16(&out, (double)row[k] / state_scale[k]);
        }
    }
    close_base64(&out);
}

static void write_contacts(gali_json *json, const gali_player_desc *desc) {
    const gali_contract *contract = desc->contract;
    gali_json_open(json, "contactJoints", '[');
    for (uint32_t k = 0; k < contract->contact_count; k++) {
        gali_json_number(json, NULL, contract->contact_joints[k]);
    }
    gali_json_close(json, ']');
    base64 out = open_base64(json, "contacts");
    for (size_t i = 0; i < rows_of(desc->recording); i++) {
        for (uint32_t k = 0; k < contract->contact_count; k++) {
            float amount = fminf(fmaxf(desc->recording->states[i].contacts[k], 0), 1);
            put_byte(&out, (uint32_t)(amount * 255 + 0.5f));
        }
    }
    close_base64(&out);
}

static void write_trajectory(gali_json *json, const gali_player_desc *desc) {
    const gali_recording *recording = desc->recording;
    size_t count = rows_of(recording) * recording->samples;
    float most = 1e-6f;
    for (size_t i = 0; i < count; i++) {
        gal_vec3 v = gali_vec3_sub(recording->trajectory[i], recording->states[i / recording->samples].root);
        most = largest((gal_vec3){v.x, 0, v.z}, most);
    }
    gali_json_open(json, "samples", '[');
    for (uint32_t k = 0; k < recording->samples; k++) {
        gali_json_number(json, NULL, desc->contract->samples[k]);
    }
    gali_json_close(json, ']');
    gali_json_number(json, "trajectoryScale", (double)most * (double)desc->contract->unit / 32767);
    base64 out = open_base64(json, "trajectory");
    for (size_t i = 0; i < count; i++) {
        gal_vec3 v = gali_vec3_sub(recording->trajectory[i], recording->states[i / recording->samples].root);
        put_i16(&out, (double)(v.x / most) * 32767);
        put_i16(&out, (double)(v.z / most) * 32767);
        put_i16(&out, (double)gali_angle_wrap(recording->trajectory_facing[i]) * 1e4);
    }
    close_base64(&out);
}

/* A square around all characters' ways, with room for the edge to fade. */
static patch patch_of(const gali_player_desc *desc) {
    const gali_recording *recording = desc->recording;
    float unit = desc->contract->unit, low_x = 0, high_x = 0, low_z = 0, high_z = 0, reach = 0;
    for (size_t i = 0; i < rows_of(recording); i++) {
        gal_vec3 root = gali_vec3_scale(recording->states[i].root, unit);
        low_x = i == 0 ? root.x : fminf(low_x, root.x);
        high_x = i == 0 ? root.x : fmaxf(high_x, root.x);
        low_z = i == 0 ? root.z : fminf(low_z, root.z);
        high_z = i == 0 ? root.z : fmaxf(high_z, root.z);
    }
    reach = hypotf(high_x - low_x, high_z - low_z) / 2 / 0.62f + 4 * desc->figure->tall;
    return (patch){(low_x + high_x) / 2 - reach, (low_z + high_z) / 2 - reach, 2 * reach / (float)GROUND_CELLS};
}

static double height_at(const gali_player_desc *desc, patch ground, int column, int row) {
    float unit = desc->contract->unit;
    float x = (ground.x + (float)column * ground.cell) / unit, z = (ground.z + (float)row * ground.cell) / unit;
    float height = desc->ground ? desc->ground(desc->ground_context, x, z) * unit : 0;
    return isfinite(height) ? (double)height : 0;
}

static void write_ground(gali_json *json, const gali_player_desc *desc) {
    patch ground = patch_of(desc);
    double most = 1e-3;
    for (int i = 0; i < (GROUND_CELLS + 1) * (GROUND_CELLS + 1); i++) {
        most = fmax(most, fabs(height_at(desc, ground, i % (GROUND_CELLS + 1), i / (GROUND_CELLS + 1))));
    }
    gali_json_open(json, "ground", '{');
    gali_json_number(json, "columns", GROUND_CELLS + 1);
    gali_json_number(json, "rows", GROUND_CELLS + 1);
    gali_json_number(json, "cell", (double)ground.cell);
    gali_json_number(json, "x", (double)ground.x);
    gali_json_number(json, "z", (double)ground.z);
    gali_json_number(json, "scale", most / 32767);
    base64 out = open_base64(json, "heights");
    for (int i = 0; i < (GROUND_CELLS + 1) * (GROUND_CELLS + 1); i++) {
        put_i16(&out, height_at(desc, ground, i % (GROUND_CELLS + 1), i / (GROUND_CELLS + 1)) / most * 32767);
    }
    close_base64(&out);
    gali_json_close(json, '}');
}

static void write_pair(gali_json *json, const char *key, const uint32_t pair[2]) {
    gali_json_open(json, key, '[');
    gali_json_number(json, NULL, pair[0]);
    gali_json_number(json, NULL, pair[1]);
    gali_json_close(json, ']');
}

static void write_limbs(gali_json *json, const gali_figure *figure) {
    static const char *const parts[] = {"body", "head", "visor"};
    gali_json_open(json, "limbs", '[');
    for (uint32_t i = 0; i < figure->limb_count; i++) {
        const gali_limb *limb = &figure->limbs[i];
        gali_json_open(json, NULL, '{');
        write_pair(json, "a", limb->a);
        write_pair(json, "b", limb->b);
        gali_json_number(json, "from", (double)limb->from);
        gali_json_number(json, "to", (double)limb->to);
        gali_json_number(json, "ra", (double)limb->radius_from);
        gali_json_number(json, "rb", (double)limb->radius_to);
        gali_json_number(json, "side", limb->side);
        gali_json_text(json, "part", parts[limb->part]);
        gali_json_number(json, "forward", (double)limb->forward);
        gali_json_number(json, "half", (double)limb->half);
        gali_json_close(json, '}');
    }
    gali_json_close(json, ']');
}

static void write_skeleton(gali_json *json, const gali_player_desc *desc) {
    const gali_contract *contract = desc->contract;
    gali_json_open(json, "joints", '[');
    for (uint32_t i = 0; i < contract->joint_count; i++) {
        gali_json_open(json, NULL, '{');
        gali_json_text(json, "name", contract->joints[i].name);
        gali_json_number(json, "parent", contract->joints[i].parent);
        gali_json_close(json, '}');
    }
    gali_json_close(json, ']');
    write_limbs(json, desc->figure);
    gali_json_open(json, "groundJoints", '[');
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gali_json_number(json, NULL, contract->legs[i].heel);
        gali_json_number(json, NULL, contract->legs[i].toe);
    }
    gali_json_close(json, ']');
    gali_json_number(json, "footReach", 0.12 * (double)desc->figure->tall);
}

static void write_recording(FILE *out, const gali_player_desc *desc) {
    gali_json json = {.out = out, .flat = 1};
    gali_json_open(&json, NULL, '{');
    gali_json_text(&json, "title", desc->title);
    gali_json_text(&json, "subtitle", desc->subtitle);
    gali_json_number(&json, "rate", (double)desc->contract->rate);
    gali_json_number(&json, "frames", desc->recording->frames);
    gali_json_number(&json, "tall", (double)desc->figure->tall);
    gali_json_number(&json, "reach", (double)fmaxf(desc->figure->tall, 0.75f * desc->figure->deep));
    gali_json_open(&json, "characters", '[');
    for (uint32_t i = 0; i < desc->recording->characters; i++) {
        gali_json_open(&json, NULL, '{');
        gali_json_text(&json, "name", desc->names[i]);
        gali_json_close(&json, '}');
    }
    gali_json_close(&json, ']');
    write_skeleton(&json, desc);
    write_roots(&json, desc);
    write_poses(&json, desc);
    write_states(&json, desc);
    write_contacts(&json, desc);
    write_trajectory(&json, desc);
    write_ground(&json, desc);
    gali_json_close(&json, '}');
}

/* The page's text up to and without `mark`, written; the text behind it, returned. */
static const char *put_until(FILE *out, const char *text, const char *end, const char *mark) {
    size_t length = strlen(mark);
    for (const char *at = text; at + length <= end; at++) {
        if (memcmp(at, mark, length) == 0) {
            fwrite(text, 1, (size_t)(at - text), out);
            return at + length;
        }
    }
    return text; /* cannot be: the page is ours */
}

static void write_page(FILE *out, const gali_player_desc *desc) {
    const char *text = gali_embedded_player_html.data, *end = text + gali_embedded_player_html.size;
    text = put_until(out, text, end, "{{style}}");
    fwrite(gali_embedded_player_css.data, 1, gali_embedded_player_css.size, out);
    text = put_until(out, text, end, "{{recording}}");
    write_recording(out, desc);
    text = put_until(out, text, end, "{{script}}");
    fwrite(gali_embedded_player_js.data, 1, gali_embedded_player_js.size, out);
    fwrite(text, 1, (size_t)(end - text), out);
}

gal_status gali_player_write(const char *path, const gali_player_desc *desc, gal_error *error) {
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, path, error);
    if (status != GAL_OK) {
        return status;
    }
    write_page(draft.stream, desc);
    return gali_file_finish(&draft, error);
}
