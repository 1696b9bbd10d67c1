/*
 * A compiled controller: walker.h and walker.c were made by
 *
 *     gallop compile models/walker.gallop --weights blob -o .
 *
 * and this program needs nothing else of Gallop. It runs eight characters for a frame, each at its own phase.
 *
 *     compiled walker.weights
 */
#include <stdio.h>

#include "walker.h"

enum { CHARACTERS = 8 };

static _Alignas(64) float weights[WALKER_WEIGHTS];
static _Alignas(64) float workspace[WALKER_WORKSPACE * CHARACTERS];
static float x[CHARACTERS][WALKER_INPUTS], phase[CHARACTERS], y[CHARACTERS][WALKER_OUTPUTS];

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(weights, sizeof *weights, WALKER_WEIGHTS, file) != WALKER_WEIGHTS) {
        fprintf(stderr, "usage: compiled walker.weights\n");
        return 1;
    }
    fclose(file);
    for (int c = 0; c < CHARACTERS; c++) {
        phase[c] = 6.2831853f * (float)c / CHARACTERS;
    }
    if (walker_run(CHARACTERS, x[0], phase, y[0], weights, workspace) != 0) {
        return 1;
    }
    for (int c = 0; c < CHARACTERS; c++) {
        printf("character %d at phase %.2f: first outputs %g %g %g\n", c, (double)phase[c], (double)y[c][0],
               (double)y[c][1], (double)y[c][2]);
    }
    return 0;
}
