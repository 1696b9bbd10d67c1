/* A controller judged: run through all scripts that apply to it, and its figures. */
#ifndef GALI_CLI_JUDGED_H
#define GALI_CLI_JUDGED_H

#include "judge/figures.h"

enum { GALI_JUDGE_SCRIPTS_MAX = 64 };

/* What is run: zeroed, then these. */
typedef struct gali_judged_desc {
    const char *path;
    double seconds;    /* of each script */
    uint32_t interval; /* frames that an evaluation stands for */
    int keeps_joints;  /* for pictures */
    uint32_t threads;  /* 1..GALI_THREADS_MAX; figures are the same whatever number */
    gal_network_desc network;
} gali_judged_desc;

typedef struct gali_judged {
    gali_judged_desc desc;
    gal_controller *controller, *bare;                                   /* bare: without what mends its feet */
    gali_judge_stage whole[GALI_GROUND_KINDS], alone[GALI_GROUND_KINDS]; /* of the one, and of the other */
    gali_judge_figures figures[GALI_JUDGE_SCRIPTS_MAX];
} gali_judged;

/* Opens the model and runs it; release it even after a failure. */
gal_status gali_judged_make(gali_judged *self, const gali_judged_desc *desc, gal_error *error);
void gali_judged_release(gali_judged *self);

/* Whether the script, of gali_judge_scripts, was run. */
int gali_judged_has(const gali_judged *self, uint32_t script);

/* Its trace as the contract says, with foot locking. */
const gali_judge_trace *gali_judged_trace(const gali_judged *self, uint32_t script);

uint64_t gali_judged_resets(const gali_judged *self);
int gali_judged_finite(const gali_judged *self);

/* Of a character and step, on one thread, sixteen characters a crowd. */
double gali_judged_step_seconds(const gali_judged *self);

#endif
