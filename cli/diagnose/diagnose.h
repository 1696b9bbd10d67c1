/*
 * Why frames do not fit: every known mistake is undone in turn, and the one whose undoing makes the error
 * collapse is named.
 *
 * Nothing is guessed from looks: a mistake is named only if the numbers, read as it says, fit. docs/cli.md lists
 * the mistakes, mistakes.def is the list itself.
 */
#ifndef GALI_CLI_DIAGNOSE_H
#define GALI_CLI_DIAGNOSE_H

#include "frames.h"
#include "model_file.h"

typedef enum gali_diagnosis_kind {
    GALI_DIAGNOSIS_NONE = 0, /* no known mistake */
    GALI_DIAGNOSIS_LIKELY,   /* the error falls to a third or less and below 0.7, but something is left */
    GALI_DIAGNOSIS_SURE,     /* the error collapses */
} gali_diagnosis_kind;

typedef struct gali_diagnosis {
    gali_diagnosis_kind kind;
    double before, after; /* errors, as the functions below say */
    char text[1024];      /* what is wrong, in words, without a full stop; empty for NONE */
} gali_diagnosis;

/*
 * Why the network does not give the frames' y. Errors are root mean squares over frames and features, in units
 * of each feature's own spread. GAL_NO_MEMORY.
 */
gal_status gali_diagnose_frames(gali_diagnosis *out, const gali_model_file *file, const gali_frames *frames,
                                gal_error *error);

/*
 * Why the poses in the frames' y do not fit the contract's skeleton. Errors are the mean distance of a bone's end
 * from where length and rotation put it, in bone lengths. The file has a contract. GAL_NO_MEMORY.
 */
gal_status gali_diagnose_pose(gali_diagnosis *out, const gali_model_file *file, const gali_frames *frames,
                              gal_error *error);

#endif
