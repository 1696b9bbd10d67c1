/*
 * Rolling hills as ground: a sum of a few waves in directions and lengths that do not repeat together.
 * Smooth, the same on every machine up to rounding, and nowhere steeper than `steepest`.
 */
#ifndef GALI_CLI_HILLS_H
#define GALI_CLI_HILLS_H

typedef struct gali_hills {
    float unit;     /* metres in one unit of length */
    float steepest; /* bound on the slope, rise over run (0.36: 20 degrees); 0: flat */
} gali_hills;

/* A gal_ground_fn whose context is a gali_hills. */
float gali_hills_ground(void *hills, float x, float z);

#endif
