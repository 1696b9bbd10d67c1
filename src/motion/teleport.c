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

static void move_points(const move *m, gal_vec3 *points, size_t count) {
    for (size_t i = 0; i < count; i++) {
        points[i] = move_point(m, points[i]);
    }
}

static void turn_flat(const move *m, gali_vec2 *vectors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vectors[i] = gali_vec2_turn(m->turn, vectors[i]);
    }
}

static void move_pose(const move *m, gal_transform *pose, size_t joints) {
    for (size_t j = 0; j < joints; j++) {
        pose[j].position = move_point(m, pose[j].position);
        pose[j].rotation = gali_quat_mul(m->rotation, pose[j].rotation);
    }
}

static void move_path(const move *m, gali_trajectory *path, size_t window) {
    move_points(m, path->position, window);
    turn_flat(m, path->direction, window);
    turn_flat(m, path->velocity, window);
    path->height += m->to.y - m->from.y;
    path->height_before += m->to.y - m->from.y;
}

static void move_feet(const move *m, gali_character *character, const gali_contract *contract) {
    move_points(m, character->toe_at, contract->hinge_count ? contract->leg_count : 0);
    move_points(m, character->contact_at, contract->contact_count);
    for (uint32_t i = 0; i < contract->leg_count; i++) {
        gali_foot *foot = &character->feet[i];
        foot->held = move_point(m, foot->held);
        foot->ground[0] += m->to.y - m->from.y;
        foot->ground[1] += m->to.y - m->from.y;
    }
}

void gali_teleport(gali_character *character, const gali_contract *contract, const gali_ground *ground,
                   uint32_t left, float x, float z, float facing) {
    uint32_t now = contract->past - left;
    gal_vec3 from = character->path.position[now];
    gali_vec2 turn = gali_facing_from_angle(facing - gali_facing_angle(character->path.direction[now]));
    const move m = {{from.x, gali_ground_at(ground, from.x, from.z), from.z},
                    {x, gali_ground_at(ground, x, z), z},
                    turn,
                    gali_quat_from_facing(turn)};
    move_path(&m, &character->path, contract->past + contract->future);
    move_points(&m, character->position, contract->joint_count);
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        character->velocity[j] = gali_vec3_turn(turn, character->velocity[j]);
    }
    move_pose(&m, character->pose, contract->joint_count);
    move_pose(&m, character->pose_before, contract->joint_count);
    move_pose(&m, character->pose_bridge, contract->joint_count);
    character->height_bridge += m.to.y - m.from.y;
    move_feet(&m, character, contract);
    turn_flat(&m, &character->velocity_wanted, 1);
    turn_flat(&m, &character->direction_wanted, 1);
    turn_flat(&m, &character->command.velocity, 1);
    turn_flat(&m, &character->command.facing, 1);
}
