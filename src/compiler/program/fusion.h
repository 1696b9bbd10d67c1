/*
 * What the files that fuse share. Each leaves a program that computes what it did.
 *
 *     sweep.c   scalars made simple, stages that are there twice, or for nobody
 *     tables.c  what sizes and constants alone make
 *     fuse.c    stages put into those that read them
 *     group.c   stages joined to functions
 */
#ifndef GALI_COMPILER_PROGRAM_FUSION_H
#define GALI_COMPILER_PROGRAM_FUSION_H

#include "compiler/program/look.h"
#include "compiler/program/profile.h"
#include "compiler/program/scalars.h"

typedef struct gali_reader {
    uint32_t stage;
    struct gali_reader *next;
} gali_reader;

/* What a stage makes at the largest sizes, of which any other sizes read a part. */
typedef struct gali_table {
    gali_type type;
    const void *data; /* NULL: nothing is known, or another size makes other elements */
} gali_table;

typedef struct gali_fusion {
    gali_program *p;
    gali_profile profile;
    gali_scalars *scalars;
    gali_reader **readers; /* [tensor_count] stages that read a tensor, once each */
    uint8_t *of_sizes;     /* [tensor_count] what it holds follows from sizes and constants alone */
    gali_table *prepared;  /* [tensor_count] */
    uint32_t *into; /* [stage_count] of stages that are gone: the stage that they went into; GALI_NONE: none */
} gali_fusion;

/* ---- sweep.c ---- */

/* Makes all scalars simple and kept (scalars.h), stages that are the same one; fills readers. */
void gali_fusion_clean(gali_fusion *f);

/* Drops stages that nobody reads. */
void gali_fusion_sweep(gali_fusion *f);

/* Enters the stage with the tensors that it reads, or takes it out. */
void gali_fusion_add_reads(gali_fusion *f, uint32_t stage);
void gali_fusion_drop_reads(gali_fusion *f, uint32_t stage);

/* ---- tables.c ---- */

/* Finds the tensors that follow from sizes and constants alone. */
void gali_fusion_find_tables(gali_fusion *f);

/*
 * Whether the stage makes a table for that reader: computed once per call and stored, where the reader would compute it
 * again and again. look: the stage's.
 */
int gali_fusion_is_table(const gali_fusion *f, const gali_program_stage *stage, const gali_look *look,
                         const gali_program_stage *reader);

/* Computes, as they would be when sizes are numbers, those that sizes only say the length of; then makes them constants. */
void gali_fusion_prepare_tables(gali_fusion *f);
void gali_fusion_use_prepared(gali_fusion *f);

/* ---- group.c ---- */

/* Joins stages to groups, brings the groups' stages together and in order. */
void gali_fusion_group(gali_fusion *f);

#endif
