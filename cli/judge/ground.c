#include "judge/ground.h"

#include <math.h>

static const float degrees[GALI_GROUND_KINDS] = {[GALI_GROUND_SLOPE_10] = 10,
                                                 [GALI_GROUND_SLOPE_15] = 15,
                                                 [GALI_GROUND_SLOPE_20] = 20,
                                                 [GALI_GROUND_SLOPE_30] = 30};

/* Metres. */
static const float step_high = 0.18f, step_deep = 0.3f, landing = 2, flight = 10;

gali_judge_ground gali_judge_ground_make(gali_judge_ground_kind kind, float unit) {
    return (gali_judge_ground){.kind = kind,
                               .slope = tanf(degrees[kind] * 3.14159265f / 180),
                               .hills = {.unit = unit, .steepest = kind == GALI_GROUND_HILLS ? 0.364f : 0}};
}

/* Steps taken after so many metres of a flight; the first riser stands at 0. */
static float steps_after(float metres) {
    return fminf(fmaxf(floorf(metres / step_deep) + 1, 0), flight);
}

static float stairs_at(float metres) {
    float run = (flight - 1) * step_deep + landing, at = metres - 2 * run * floorf(metres / (2 * run));
    float steps = at < run ? steps_after(at - landing) : flight - steps_after(at - run - landing);
    return steps * step_high;
}

float gali_judge_ground_at(void *ground, float x, float z) {
    const gali_judge_ground *self = ground;
    if (self->kind == GALI_GROUND_HILLS) {
        return gali_hills_ground((void *)(uintptr_t)&self->hills, x, z);
    }
    if (self->kind == GALI_GROUND_STAIRS) {
        return stairs_at(z * self->hills.unit) / self->hills.unit;
    }
    return self->slope * z;
}

int gali_judge_ground_is_slope(gali_judge_ground_kind kind) {
    return degrees[kind] > 0;
}

gal_vec3 gali_judge_ground_normal(const gali_judge_ground *ground, float x, float z) {
    void *self = (void *)(uintptr_t)ground;
    float reach = 0.02f / ground->hills.unit;
    if (ground->kind == GALI_GROUND_STAIRS) {
        return (gal_vec3){0, 1, 0};
    }
    float along_x = gali_judge_ground_at(self, x + reach, z) - gali_judge_ground_at(self, x - reach, z);
    float along_z = gali_judge_ground_at(self, x, z + reach) - gali_judge_ground_at(self, x, z - reach);
    gal_vec3 normal = {-along_x, 2 * reach, -along_z};
    return gali_vec3_scale(normal, 1 / gali_vec3_length(normal));
}
