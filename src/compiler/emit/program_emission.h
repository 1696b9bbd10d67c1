/*
 * What the files that write a program as C share.
 *
 *     program.c       the header and the source as a whole
 *     program_sizes.c which sizes it takes
 *     program_run.c   what a run does: groups called between steps
 *     program_group.c a group: its functions and its call
 */
#ifndef GALI_COMPILER_EMIT_PROGRAM_EMISSION_H
#define GALI_COMPILER_EMIT_PROGRAM_EMISSION_H

#include "compiler/emit/program.h"
#include "compiler/loop/loop.h"

/* A constant as a function reads it (buffer zeros: in the order of its type), which starts at `at` in the weights. */
typedef struct gali_emission_constant {
    uint32_t tensor;
    gali_loop_buffer buffer;
    size_t at;
    struct gali_emission_constant *next;
} gali_emission_constant;

/* A function that stands in the source: groups that differ in their tensors' names alone share one. */
typedef struct gali_emission_function {
    const char *name, *text; /* text: printed with names that say nothing */
    size_t size;
    struct gali_emission_function *next;
} gali_emission_function;

typedef struct gali_emission {
    gali_program *p;
    const gali_emit_desc *desc;
    /* of the group that is written: its loops take much, and nobody wants them afterwards */
    gali_arena lowered;
    gali_text functions, calls, weights;
    gali_emission_constant *constants;
    gali_emission_function *shared;
    uint32_t *symbol; /* [symbols] 1 + the number of a size that inputs tell, then those that outputs have */
    uint32_t depth;   /* of blocks, of the line of the run that is written next */
    uint32_t given, numbered;     /* how many of them inputs tell; all */
    uint32_t versioned, versions; /* groups with versions, and these */
    int shares;                   /* a group's function is given out to threads */
    gal_error *error;
} gali_emission;

/* ---- program_sizes.c ---- */

/* "if (size_n < 1 || ..) { return -1; }", of ranges and of demands. */
void gali_emission_checks(const gali_emission *e, gali_text *to);

/* Where inputs tell sizes: their limits by name and gali_refusal's declaration; the function; the run's call of it. */
void gali_emission_limits(const gali_emission *e, gali_text *to);
void gali_emission_refusal(const gali_emission *e, gali_text *to);
void gali_emission_ask(const gali_emission *e, gali_text *to);

/* ---- program.c ---- */

/* Sizes may have names that are no C: then their number is part of it. */
void gali_emission_size_name(const gali_emission *e, gali_text *to, uint32_t symbol);
/* Inputs and outputs may have names that are no C, or the same: their number is part of it. */
void gali_emission_port(gali_text *to, const char *stem, uint32_t number, const char *name);
/* A type in a comment, which no size's name ends. */
void gali_emission_type(const gali_emission *e, gali_text *to, const gali_type *type);
/* An extent as an int64_t of C. */
void gali_emission_extent(const gali_emission *e, gali_text *to, gali_extent extent);

/* The sizes that inputs tell, or those that outputs have, in their order. */
void gali_emission_sizes(const gali_emission *e, gali_text *to, int given, const char *before,
                         const char *after);

/* "const int64_t at3 = 64 * n, at0 + 128 * n, whichever is larger", with such a beginning. */
void gali_emission_place(const gali_emission *e, gali_text *to, const gali_program_slot *slot,
                         const char *begin);

/* That of each slot that lies behind others. Unless `all`, only where the workspace's end is computed of such places. */
void gali_emission_places(const gali_emission *e, gali_text *to, int all);

/* What sizes are computed with, each where `body` uses it. */
void gali_emission_size_functions(gali_text *to, const char *body);

/* The weights as words of C. */
void gali_emission_weights(const gali_emission *e, gali_text *to);

/* Lanes of a printed function; 0: plain C. */
uint32_t gali_emission_lanes(const gali_emission *e);

/* ---- program_run.c ---- */

/* A condition of C that is true where sizes do not fulfil the demand. */
void gali_emission_demand(const gali_emission *e, gali_text *to, const gali_demand *demand);

/* Before a line of the run: blocks in blocks are indented. */
void gali_emission_indent(gali_emission *e);

/* A pointer to the tensor, as the run has it; buffer: as a function reads it, NULL: in the order of its type. */
void gali_emission_pointer(gali_emission *e, gali_text *to, uint32_t tensor, const gali_loop_buffer *buffer);

/* Fills e->functions, a function for each group; e->calls, the body of the run; and e->weights. */
gal_status gali_emission_groups(gali_emission *e);

/* ---- program_group.c ---- */

/* Adds the group's functions to e->functions, and its call to e->calls. */
gal_status gali_emission_group(gali_emission *e, uint32_t group);

#endif
