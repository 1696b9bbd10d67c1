/*
 * A schedule: in which loops an expression is computed. A list of small values {primitive, target, argument}, applied
 * from first to last; its text form is one a line, or separated by semicolons:
 *
 *     vectorize n 16; split n 4; split c 6; reorder n.o c.o; compute_at total c.o; compute_at sum e; unroll n.i
 *
 * At first the order of the axes is that of the expression, and every stage has loops of its own, one stage after the
 * other. The order of axes is one for all stages: each stage has the loops of its own axes, in that order.
 *
 * A schedule never changes a bit of a result: sums are taken in ascending order in any case, and what would break that
 * is refused. primitives.def lists the primitives.
 */
#ifndef GALI_COMPILER_SCHEDULE_SCHEDULE_H
#define GALI_COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/schedule/layers.h"
#include "compiler/target.h"

enum { GALI_SCHEDULE_ENTRIES_MAX = 40 };

typedef enum gali_primitive {
#define PRIMITIVE(id, name, target, argument, meaning) GALI_PRIMITIVE_##id,
#include "compiler/schedule/primitives.def"
#undef PRIMITIVE
    GALI_PRIMITIVE_COUNT
} gali_primitive;

typedef struct gali_schedule_entry {
    gali_primitive primitive;
    char target[GALI_LOOP_NAME_MAX];
    char argument[GALI_LOOP_NAME_MAX]; /* a name, or "" */
    uint32_t number;                   /* or 0 */
} gali_schedule_entry;

typedef struct gali_schedule {
    uint32_t count;
    int full; /* an entry more than there is room for was added, and lost */
    gali_schedule_entry entry[GALI_SCHEDULE_ENTRIES_MAX];
} gali_schedule;

void gali_schedule_clear(gali_schedule *schedule);

/* Appends an entry; argument may be NULL. */
void gali_schedule_add(gali_schedule *schedule, gali_primitive primitive, const char *target,
                       const char *argument, uint32_t number);

/* Whether two are entry by entry the same. */
int gali_schedule_same(const gali_schedule *a, const gali_schedule *b);

void gali_schedule_print(const gali_schedule *schedule, const char *separator, gali_text *text);
void gali_schedule_print_entry(const gali_schedule_entry *entry, gali_text *text);

/* GAL_BAD_DATA, with the entry's number and text. */
gal_status gali_schedule_parse(gali_schedule *schedule, const char *text, size_t size, gal_error *error);

/*
 * The loops of an expression under a schedule, verified. GAL_BAD_DATA, with the entry's number and text, for an entry
 * that names what is not there, contradicts another or would change the order of a sum.
 */
gal_status gali_schedule_apply(const gali_expression *expression, const gali_schedule *schedule,
                               gali_arena *arena, gali_loop_function **out, gal_error *error);

/* A tile of the written rules: rows of characters, vectors of outputs (a panel's width), and of the inner kernel how many
 * experts at a time. */
typedef struct gali_tile {
    uint32_t rows, vectors, experts;
} gali_tile;

/*
 * The written rules for a dense layer on a target: panels and tiles by its registers. With tensorize the inner kernel
 * does the sums, where there is one (per-expert form).
 *
 *     gali_hand_tile    the best tile over the layer's counts of characters; of that many vectors unless 0
 *     gali_hand_cycles  what a step of k of one expert takes for `count` characters, in FMAs
 *     gali_hand_write   the schedule of a tile
 *     gali_schedule_hand    that of the best
 */
gali_tile gali_hand_tile(const gali_dense *dense, const gali_target *target, int tensorize, uint32_t vectors);
double gali_hand_cycles(const gali_target *target, gali_tile tile, uint32_t count);
gal_status gali_hand_write(const gali_dense *dense, const gali_target *target, int tensorize, gali_tile tile,
                           gali_schedule *schedule, gal_error *error);
gal_status gali_schedule_hand(const gali_dense *dense, const gali_target *target, int tensorize,
                              gali_schedule *schedule, gal_error *error);

#endif
