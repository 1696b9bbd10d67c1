/*
 * Rollback, as netcode does it: two machines run the same crowd, a player's input reaches the other one late. That one
 * goes on with the input it has, keeps a snapshot of each frame, and when the input arrives goes back to the frame that
 * it is for and plays again. Then both crowds are the same, bit for bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gallop/crowd.h>

enum {
    CHARACTERS = 4,
    FRAMES = 120,
    PRESSED = 60,
    DELAY = 9
}; /* one presses at PRESSED, known DELAY frames later */

static gal_crowd *make_crowd(const gal_controller *controller) {
    gal_crowd *crowd;
    gal_crowd_desc desc = {.controller = controller, .capacity = CHARACTERS};
    if (gal_crowd_create(&crowd, &desc, NULL) != GAL_OK) {
        return NULL;
    }
    for (int i = 0; i < CHARACTERS; i++) {
        gal_character who;
        gal_crowd_add(crowd, &(gal_spawn){.x = 100.0f * (float)i}, &who);
    }
    return crowd;
}

/* A frame of a crowd in which the first player has, or has not yet, turned round. */
static void play(gal_crowd *crowd, int turned) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        gal_input input = {.move_y = i == 0 && turned ? -1 : 1, .run = 0.3f * (float)i};
        gal_crowd_set_input(crowd, gal_crowd_at(crowd, i), &input);
    }
    gal_crowd_step(crowd);
}

static int same(const gal_crowd *a, const gal_crowd *b) {
    size_t size = gal_crowd_snapshot_size(a);
    char *x = malloc(size), *y = malloc(size);
    size_t in_a = 0, in_b = 0;
    int equal = x && y && gal_crowd_save(a, x, size, &in_a) == GAL_OK &&
                gal_crowd_save(b, y, size, &in_b) == GAL_OK && in_a == in_b && memcmp(x, y, in_a) == 0;
    free(x);
    free(y);
    return equal;
}

static int run(gal_crowd *here, gal_crowd *there) {
    size_t size = gal_crowd_snapshot_size(there);
    char *snapshot = malloc(size); /* of the frame that this sample goes back to; a game keeps a ring of them */
    size_t used = 0;
    int good = snapshot != NULL;
    for (int frame = 0; frame < FRAMES && good; frame++) {
        play(here, frame >= PRESSED);
        if (frame == PRESSED) {
            good = gal_crowd_save(there, snapshot, size, &used) == GAL_OK;
        }
        if (frame == PRESSED + DELAY) {
            printf("frame %d: %s\n", frame,
                   same(here, there) ? "the same" : "apart, as the input is not known there");
            good = gal_crowd_restore(there, snapshot, used, NULL) == GAL_OK;
            for (int again = PRESSED; again < frame && good; again++) {
                play(there, 1);
            }
        }
        play(there, frame >= PRESSED + DELAY);
    }
    free(snapshot);
    good = good && same(here, there);
    printf("frame %d: %s\n", FRAMES, good ? "the same bits" : "APART");
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    gal_crowd *here = make_crowd(controller), *there = make_crowd(controller);
    int status = here && there ? run(here, there) : 1;
    gal_crowd_destroy(here);
    gal_crowd_destroy(there);
    gal_controller_close(controller);
    return status;
}
