/*
 * A case: frames, what they are judged by, and how the recorded numbers are read.
 *
 * A reading says how recorded numbers are taken before they meet the network: from which column, times, plus;
 * which expert and how weights lie. The plain reading takes all as it is. A mistake changes a reading step by
 * step, and a case says what error a reading leaves.
 */
#ifndef GALI_CLI_DIAGNOSE_CASE_H
#define GALI_CLI_DIAGNOSE_CASE_H

#include "diagnose.h"

enum {
    GALI_CASE_FRAMES = 12, /* frames looked at, at most */
    GALI_PAIRS = 32,       /* pairs of inputs that are tried on all frames */
};

/* Column i is scale[i] * recorded[source[i]] + shift[i]. */
typedef struct gali_columns {
    uint32_t count;
    uint32_t *source;
    float *scale, *shift;
} gali_columns;

typedef struct gali_reading {
    gali_columns x, y;
    float phase_scale, phase_shift;
    uint32_t experts[GALI_EXPERTS_MAX]; /* the file's expert that is blended with coefficient e */
    uint64_t transposed;                /* a bit per dense layer: its weights lie as [K][N] */
    uint64_t gate_transposed;           /* the same for the gating network's layers */
    /* of the hidden layers that have the first one's; GALI_ACTIVATION_COUNT: as in the file */
    gali_activation hidden;
} gali_reading;

/* Mean and standard deviation of recorded columns. */
typedef struct gali_spread {
    float *mean, *deviation;
} gali_spread;

typedef struct gali_case gali_case;

struct gali_case {
    const gali_model_file *file;
    uint32_t frames, inputs, outputs, experts, gate_width; /* gate_width 0: a gating network */
    float *x, *gate, *y;      /* recorded: [frames][inputs], [frames][gate_width], [frames][outputs] */
    gali_spread x_all, y_all; /* of all frames that were given */
    uint32_t all;             /* how many those are */
    double (*error)(gali_case *self, const gali_reading *reading);
    double enough;     /* an error that needs no explanation */
    double sure, part; /* a mistake is sure if it leaves less than this, and less than this part of the error */
    uint32_t pairs[GALI_PAIRS][2], pair_count; /* of mistake_features.c */
    uint64_t work;                             /* multiply-adds of this look */
    float *x_read, *gate_read;                 /* what is run now */
    float *got;                                /* [frames][outputs] of the network */
    gal_network *network;                      /* of the file's layers as `made` reads them */
    gali_reading made, ran;                    /* readings that network and got are of */
    int has_got, pose;                         /* pose: judged as a pose alone */
    int blended;                               /* network's gate is the caller */
};

/* Both zero *self on failure. frames with a y. */
gal_status gali_case_open(gali_case *self, const gali_model_file *file, const gali_frames *frames,
                          gal_error *error);
void gali_case_close(gali_case *self);

/* A plain reading of the case; gali_reading_close frees it. 0 if there is no memory. */
int gali_reading_open(gali_reading *reading, const gali_case *self);
void gali_reading_close(gali_reading *reading);

/* *to = *from; both are of one case. */
void gali_reading_copy(gali_reading *to, const gali_reading *from);

/* Runs the network on x and gate as the reading has them, into self->got; 0 if that is not possible. */
int gali_case_run(gali_case *self, const gali_reading *reading);

/* Whether the time for one look is spent; then nothing runs any more until `work` is set back. */
int gali_case_spent(const gali_case *self);

/* Recorded y of a frame as the reading has it. */
float gali_case_y(const gali_case *self, const gali_reading *reading, uint32_t frame, uint32_t feature);

/* One known mistake. Steps are numbered; several may be undone one after the other. */
typedef struct gali_mistake {
    int pose;      /* whether it can be seen in poses alone; its steps then change y alone */
    uint32_t most; /* steps undone together, at most */
    int whole;     /* say is asked once, for all steps together */
    int costly;    /* looked at only where the others do not explain all */
    uint32_t (*steps)(gali_case *self, const gali_reading *reading);
    int (*undo)(gali_case *self, gali_reading *reading, uint32_t step); /* 0: this step means nothing here */
    void (*say)(const gali_case *self, const gali_reading *reading, uint32_t step, char *text, size_t size);
} gali_mistake;

/* Which recorded numbers a step is about: bits. */
typedef enum gali_side { GALI_SIDE_X = 1, GALI_SIDE_Y = 2, GALI_SIDE_BOTH = 3 } gali_side;

/* "recorded inputs", "recorded outputs", "recorded inputs and outputs". */
const char *gali_side_name(gali_side side);

/* Name of a feature of x or of y, with or without a contract. */
void gali_case_name(const gali_case *self, gali_side side, uint32_t feature, char *text, size_t size);

#endif
