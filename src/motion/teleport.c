#include "motion/teleport.h"

/* Turned about `from`, then moved so that `from` is at `to`. */
typedef struct move {
    gal_vec3 from, to;
    gali_vec2 turn;
    gal_quat rotation; /* the same as turn */
} move;

static gal_vec3 move_point(const move *m, gal_vec3 point) {
    return gali_vec3_add(m->to, gali_vec3_turn(m->turn, gali_vec3_sub(point, m->from)));
}

/* What becomes of the numbers of each kind of field (state.def), count of them from `number` on. */

static void move_POINT(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    for (uint32_t end = number + 3 * count; number < end; number += 3) {
        gali_bank_set3(bank, number, lane, move_point(m, gali_bank_get3(bank, number, lane)));
    }
}

static void move_VECTOR(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    for (uint32_t end = number + 3 * count; number < end; number += 3) {
        gali_bank_set3(bank, number, lane, gali_vec3_turn(m->turn, gali_bank_get3(bank, number, lane)));
    }
}

static void move_SPOT(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    for (uint32_t end = number + 2 * count; number < end; number += 2) {
        gali_vec2 at = gali_bank_get2(bank, number, lane);
        gal_vec3 moved = move_point(m, (gal_vec3){at.x, m->from.y, at.z});
        gali_bank_set2(bank, number, lane, (gali_vec2){moved.x, moved.z});
    }
}

static void move_FLAT(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    for (uint32_t end = number + 2 * count; number < end; number += 2) {
        gali_bank_set2(bank, number, lane, gali_vec2_turn(m->turn, gali_bank_get2(bank, number, lane)));
    }
}

static void move_HEIGHT(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    for (uint32_t end = number + count; number < end; number++) {
        gali_bank_set(bank, number, lane, gali_bank_get(bank, number, lane) + (m->to.y - m->from.y));
    }
}

static void move_PLAIN(const move *m, gali_bank *bank, uint32_t number, uint32_t lane, uint32_t count) {
    (void)m;
    (void)bank;
    (void)number;
    (void)lane;
    (void)count;
}

static void move_state(const move *m, gali_bank *bank, const gali_contract *c, const gali_layout *is,
                       uint32_t lane) {
#define FIELD(name, kind, bound, count) move_##kind(m, bank, is->name, lane, count);
#include "motion/state.def"
#undef FIELD
    (void)c;
}

static void move_history(const move *m, gali_bank *bank, const gali_contract *contract, const gali_layout *is,
                         uint32_t lane) {
    for (uint32_t back = 1; back <= contract->past; back++) {
        float *record = gali_bank_record(bank, contract, is, lane, back);
        gal_vec3 *place = (gal_vec3 *)(void *)(record + GALI_RECORD_PLACE);
        gali_vec2 *facing = (gali_vec2 *)(void *)(record + GALI_RECORD_FACING);
        gali_vec2 *velocity = (gali_vec2 *)(void *)(record + GALI_RECORD_VELOCITY);
        *place = move_point(m, *place);
        *facing = gali_vec2_turn(m->turn, *facing);
        *velocity = gali_vec2_turn(m->turn, *velocity);
    }
}

static void move_pose(const move *m, gal_transform *pose, size_t joints) {
    for (size_t j = 0; j < joints; j++) {
        pose[j].position = move_point(m, pose[j].position);
        pose[j].rotation = gali_quat_mul(m->rotation, pose[j].rotation);
    }
}

/* Where the root was `left` frames ago. */
static gal_vec3 root_before(const gali_lanes *lanes, uint32_t lane, uint32_t left, gali_vec2 *facing) {
    const gali_layout *is = &lanes->controller->layout;
    if (left == 0) {
        *facing = gali_bank_get2(lanes->bank, is->facing, lane);
        return gali_bank_get3(lanes->bank, is->root, lane);
    }
    const float *record = gali_bank_record(lanes->bank, lanes->controller->contract, is, lane, left);
    *facing = (gali_vec2){record[GALI_RECORD_FACING], record[GALI_RECORD_FACING + 1]};
    return (gal_vec3){record[GALI_RECORD_PLACE], record[GALI_RECORD_PLACE + 1], record[GALI_RECORD_PLACE + 2]};
}

void gali_teleport(const gali_lanes *lanes, uint32_t lane, uint32_t left, float x, float z, float facing) {
    const gali_contract *contract = lanes->controller->contract;
    const gali_layout *is = &lanes->controller->layout;
    gali_bank *bank = lanes->bank;
    gali_vec2 faced;
    gal_vec3 from = root_before(lanes, lane, left, &faced);
    gali_vec2 turn = gali_facing_from_angle(facing - gali_facing_angle(faced));
    const move m = {{from.x, gali_ground_at(lanes->ground, from.x, from.z), from.z},
                    {x, gali_ground_at(lanes->ground, x, z), z},
                    turn,
                    gali_quat_from_facing(turn)};
    move_state(&m, bank, contract, is, lane);
    move_history(&m, bank, contract, is, lane);
    for (uint32_t which = 0; which < GALI_POSES; which++) {
        move_pose(&m, gali_bank_pose_at(bank, is, lane, which), contract->joint_count);
    }
}
