/* Height fields as ground. */
#include <math.h>

#include "motion/vec.h"

/* Splits a grid coordinate into a cell 0..count-2 and the part of it, 0..1; outside clamps to the border. */
static uint32_t cell_of(float at, uint32_t count, float *part) {
    float most = (float)(count - 1);
    float clamped = gali_clamp(at, 0, most);
    uint32_t cell = (uint32_t)clamped;
    cell = cell < count - 1 ? cell : count - 2;
    *part = clamped - (float)cell;
    return cell;
}

float gal_height_field_ground(void *height_field, float x, float z) {
    const gal_height_field *field = height_field;
    float u, v;
    uint32_t column = cell_of((x - field->origin_x) / field->cell, field->columns, &u);
    uint32_t row = cell_of((z - field->origin_z) / field->cell, field->rows, &v);
    const float *here = field->heights + (size_t)row * field->columns + column;
    const float *next = here + field->columns;
    return gali_mix(gali_mix(here[0], here[1], u), gali_mix(next[0], next[1], u), v);
}
