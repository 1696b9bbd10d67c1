/*
 * A program for a device: OpenCL C, and the launches that run it.
 *
 *     plan.c      launches, one after the other: a kernel for each stage; where tensors and constants lie
 *     product.c   stages that are blended products, as kernels of tiles
 *     sum.c       all other products, convolutions among them, as kernels of tiles; reductions that items share
 *     task.c      which tilings sums of products have: by rules, a log or whoever tries some; what may be an image
 *     emit.c      a plan as C that any host builds
 *     body/       what is not printed: products (product.cl, row.cl, tile.cl), reductions (shared.cl), scalars (scalars.cl),
 *                 the host's side (host.inc)
 *
 * A stage is a kernel of an item for each element of its tensor, printed from its loops (loop/print_c.h). Products of rows
 * with constant weights, blended over experts or not, have kernels of their own: tiles of many rows, or rows one by one where
 * they are few. What finishes such a sum is printed as any stage and called inside.
 *
 * There are two pieces of memory: of constants, and of all else. In the latter tensors lie as place.c has them, behind
 * these the inputs, then the outputs. A kernel's first two parameters are the two, then launch->argument, all of them u32.
 *
 * Invariant: launches stand in an order in which each reads what earlier ones wrote; one reads or writes a tensor in its
 * type's order, back to back.
 */
#ifndef GALI_COMPILER_EMIT_OPENCL_PLAN_H
#define GALI_COMPILER_EMIT_OPENCL_PLAN_H

#include "base/embedded.h"
#include "compiler/log/log.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/tiling.h"
#include "graph/text.h"

enum {
    GALI_DEVICE_CHOSEN_MAX = 16, /* tilings of a product, for different counts of rows */
    GALI_LAUNCHES_OF_STAGE =
        4 * GALI_DEVICE_CHOSEN_MAX, /* that is a product: those with what finishes them, by rules and chosen */
    GALI_LAUNCH_NAME_MAX = 24,
    GALI_LAUNCH_ARGUMENTS_MAX = 2 * GALI_LOOP_BUFFERS_MAX,
    GALI_LAUNCH_GROUP = 256, /* items of a group that makes elements one by one */
    GALI_ROW_OUTPUTS = 8,    /* of a group, of products of few rows */
    GALI_DEVICE_UNIT = 64,   /* bytes: where a tensor or a constant begins is told in these */
    GALI_DEVICE_EXTENTS_MAX = 1024,
    GALI_DEVICE_IMAGE_LOG = 11,                            /* texels of a row of an image: 2 to that */
    GALI_DEVICE_IMAGE_FLOATS = 4 << GALI_DEVICE_IMAGE_LOG, /* of a row */
};

typedef enum gali_launch_shape {
    GALI_LAUNCH_ITEMS, /* an item for each element */
    GALI_LAUNCH_TILES, /* a group for each tile of rows and outputs */
    GALI_LAUNCH_ROWS,  /* a group for each row and GALI_ROW_OUTPUTS outputs */
    GALI_LAUNCH_SUMS,  /* as many groups as `groups` says */
} gali_launch_shape;

typedef enum gali_argument_kind {
    GALI_ARGUMENT_COUNT,    /* elements of the launch (ITEMS), or its rows */
    GALI_ARGUMENT_SYMBOL,   /* a size: its symbol */
    GALI_ARGUMENT_TENSOR,   /* where that tensor begins */
    GALI_ARGUMENT_CONSTANT, /* where a constant begins: this is it */
    GALI_ARGUMENT_EXTENT,   /* the plan's extent of that number */
    GALI_ARGUMENT_IMAGE,    /* the plan's image of that number */
} gali_argument_kind;

typedef struct gali_argument {
    gali_argument_kind kind;
    uint32_t number;
} gali_argument;

typedef struct gali_launch {
    char name[GALI_LAUNCH_NAME_MAX];
    gali_launch_shape shape;
    uint32_t stage;       /* of the program */
    gali_extent count;    /* elements, or rows */
    gali_extent groups;   /* SUMS */
    int64_t least, most;  /* the counts for which it is the one that runs */
    uint32_t group;       /* items of a group */
    uint32_t rows, tiles; /* of a group; groups side by side that make a row */
    uint32_t task;        /* 1 + the plan's task that it is of; 0: none */
    uint32_t argument_count;
    gali_argument argument[GALI_LAUNCH_ARGUMENTS_MAX];
} gali_launch;

/*
 * A sum of products, for which a tiling is to be chosen: y[batches][rows][outputs] over experts and inputs. Its name in logs
 * is that of what it computes with its sizes, but for rows of a product, whose tilings depend on them.
 */
typedef struct gali_device_task {
    gali_log_task name;
    int product; /* of rows with packed constant weights, as many rows as there are; else any other */
    uint32_t batches, rows, experts, inputs, outputs;
    uint32_t images;    /* operands that may be images */
    gali_tiling tiling; /* that it has, of a product at its rows; depth and parts 0: not chosen yet */
} gali_device_task;

/*
 * A tiling, and the rows from which on it is to be taken, until the rules take another; 0: of all rows, as of what is no
 * product.
 */
typedef struct gali_device_chosen {
    int64_t from;
    gali_tiling tiling;
} gali_device_chosen;

/* What a plan is made for. */
typedef struct gali_device_limits {
    uint32_t group_most;  /* items of a group */
    uint32_t local_bytes; /* of a group */
    /* Fills up to GALI_DEVICE_CHOSEN_MAX, by rising rows, returns how many: 0, rules choose. NULL: rules. */
    uint32_t (*choose)(void *context, const gali_device_task *task, gali_device_chosen *chosen);
    void *context;
    const char *machine;    /* the device's name in logs; NULL: none */
    uint32_t image_rows;    /* of the largest image that it has; 0: it has none */
    int prefers_images;     /* where nothing is chosen, operands are read through images */
    int divided_addresses;  /* for measuring: where an element lies is divided out each time */
    int half_weights;       /* those of products are float16 */
    uint32_t cores;         /* that work side by side; 0: as many as a large device has */
    const int64_t *typical; /* [symbols] sizes to choose by; NULL: by the program's ranges */
} gali_device_limits;

/* A constant or a tensor that kernels read as an image, too (body/images.cl). */
typedef struct gali_device_image {
    int constant;
    /* where the constant begins; the tensor, which is copied before the first kernel that reads it */
    uint32_t number;
    gali_extent floats; /* in it */
} gali_device_image;

typedef struct gali_device_plan {
    gali_program *program;
    gali_device_limits device;
    gali_text source, weights;
    uint32_t launch_count;
    gali_launch *launches;
    struct gali_device_shared *shared; /* what stands in the source */
    /* loops of the stage that is planned: they take much, and nobody wants them afterwards */
    gali_arena lowered;
    gali_program_tensor *bare; /* [tensors + 1] made by no stage, and behind them a term (sum.c) */
    uint32_t *constant_at;     /* [tensors] 1 + where a constant begins; 0: no kernel reads it */
    uint32_t functions;        /* printed so far */
    uint32_t extent_count;
    gali_extent extents[GALI_DEVICE_EXTENTS_MAX]; /* that kernels are told */
    uint32_t task_count, image_count;
    gali_device_task *tasks;   /* [stages at most] in the order of their stages */
    gali_device_image *images; /* [tensors and stages at most] */
} gali_device_plan;

/*
 * The plan of a program that is fused and has ranges, in whose arena it lies but for its texts. The program's stages are
 * changed: it is of no other use afterwards. Errors: GAL_UNSUPPORTED (branches, loops and calls between stages, elements
 * that the device's words lack, a stage past a limit of loops, a weight past float16's range), GAL_NO_MEMORY. Released in any case.
 */
gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program,
                                 const gali_device_limits *device, gal_error *error);
void gali_device_plan_release(gali_device_plan *plan);

/*
 * Where tensors begin with these sizes, in units: at[tensors], 0 of those that have no memory. Returns how many units the
 * memory has; 0: a tensor is too large for indices of 32 bits, or there is no memory here.
 */
uint64_t gali_device_plan_places(const gali_device_plan *plan, const int64_t *symbols, uint32_t *at);

/* A choice out of a log: what was measured on this device; of a product from each count of rows on. */
typedef struct gali_device_logged {
    const gali_log *log;
    uint32_t tasks, known; /* that were asked for, that it knew */
} gali_device_logged;

/* Its context is a gali_device_logged. */
uint32_t gali_device_choose_logged(void *context, const gali_device_task *task, gali_device_chosen *chosen);

/* Whether a tiling can be of a task: it divides into items, its parts divide the depth, and it fits into the device. */
int gali_tiling_fits(const gali_tiling *tiling, const gali_device_task *task, const gali_device_limits *device);

/* Of those, of which kind the task is. */
int gali_tiling_fits_product(const gali_tiling *tiling, const gali_device_task *task,
                             const gali_device_limits *device);
int gali_tiling_fits_sum(const gali_tiling *tiling, const gali_device_limits *device);

/* Rows of an image of so many floats. */
uint64_t gali_device_image_rows(uint64_t floats);

/* ---- for product.c and sum.c ---- */

/* Before a kernel's own parameters. */
#define GALI_DEVICE_MEMORY "__global uchar *memory, __global const uchar *restrict weights, uint32_t count"

/* What a printed function is for. */
typedef enum gali_device_form {
    GALI_DEVICE_ITEM, /* NAME(item, ..) stores an element */
    GALI_DEVICE_AXES, /* NAME(axes.., ..) stores an element */
    GALI_DEVICE_TERM, /* NAME(axes.., ..) returns it */
} gali_device_form;

/* A function of the source, and what it reads; a kernel's parameters for it begin with `prefix`, which tells functions apart. */
typedef struct gali_device_function {
    gali_device_form form;
    int wants_images; /* what it reads of float32 is to be images, where they hold it */
    const char *prefix, *name;
    gali_lowered lowered;
    uint64_t images; /* bits of its parameters: these are */
} gali_device_function;

/*
 * The name under which that text stands already; or NULL, and it is kept under `name`, which lies in the arena. So stages that
 * compute the same, as a transformer's layers do, have one kernel.
 */
const char *gali_device_share(gali_device_plan *plan, const gali_text *text, const char *name);

/* A launch to be filled, and the buffers and sizes of a function as its arguments, of those that it has not. */
gali_launch *gali_device_add_launch(gali_device_plan *plan, const char *stem, uint32_t stage);
void gali_device_add_argument(gali_launch *launch, gali_argument_kind kind, uint32_t number);
void gali_device_add_arguments(gali_device_plan *plan, gali_launch *launch,
                               const gali_device_function *function);

/* A launch of a function of an item, for so many elements. */
gali_launch *gali_device_add_items(gali_device_plan *plan, uint32_t stage, const gali_device_function *function,
                                   int64_t least, int64_t most);

/*
 * A stage of a program, the plan's own or one that shares its tensors, as a function of function->form, or one that is there
 * and computes the same.
 */
gal_status gali_device_add_function(gali_device_plan *plan, gali_program *program, uint32_t stage,
                                    gali_device_function *function, gal_error *error);

/* Appends what the function of a stage computes, the same text for all that compute the same. */
gal_status gali_device_describe(gali_device_plan *plan, gali_program *program, uint32_t stage, gali_text *text,
                                gal_error *error);

/*
 * Makes a task one of the plan's, and returns how many tilings are chosen for it, as gali_device_limits.choose. `text` is what
 * it computes, `what` says it to readers; task->name is filled here.
 */
uint32_t gali_device_choose(gali_device_plan *plan, gali_device_task *task, const char *text, const char *what,
                            gali_device_chosen chosen[GALI_DEVICE_CHOSEN_MAX]);

/* The size that is asked for, or of 0 a usual one: 1 of a batch, 64 of any other; within the range of the program. */
int64_t gali_device_size(const gali_program *program, uint32_t symbol, int64_t asked);

/* An extent at the sizes to choose by. */
uint32_t gali_device_typical(const gali_device_plan *plan, gali_extent extent);

/* The floats of a tensor at any sizes, and whether they are no more than an image has. */
gali_extent gali_device_floats(const gali_device_plan *plan, uint32_t tensor);
int gali_device_image_fits(const gali_device_plan *plan, uint32_t tensor);

/* The image of a constant, by where it begins, or of a tensor. */
uint32_t gali_device_add_image(gali_device_plan *plan, int constant, uint32_t number, gali_extent floats);

/* ", uint32_t characters, uint32_t at_tx_0" of a function's parameters; or ", characters, (__global const float *)(..)". */
void gali_device_add_list(gali_text *to, const gali_device_function *function, int declare);

/* The number of an extent as an argument. */
uint32_t gali_device_extent(gali_device_plan *plan, gali_extent extent);

/* The product of extents. */
gali_extent gali_device_product_of(const gali_device_plan *plan, const gali_extent *extents, uint32_t count);

/*
 * Appends a kernel of the launch's name: "#define"s, which are ended, then the body, and an "#undef" of each; or gives the
 * launch the name of one that is there and has the same.
 */
void gali_device_add_kernel(gali_device_plan *plan, gali_launch *launch, gali_text *macros,
                            const gali_embedded *body);

/* Room for a constant of the device's own, and where it begins; NULL without memory. */
void *gali_device_add_constant(gali_device_plan *plan, size_t bytes, uint32_t *at);

/* The stage reads what its sums' kernel wrote, adds `start` (NULL: nothing), and finishes it. */
void gali_device_make_finish(gali_program *program, gali_program_stage *stage, gali_scalar_op op,
                             const gali_scalar *start);

/* Whether the stage is a product with weights. */
int gali_device_is_product(const gali_program *program, uint32_t stage);

/* The launches of stage `index`, if it is a product; none if a later one takes it in: *found is 1 for both. */
gal_status gali_device_add_product(gali_device_plan *plan, uint32_t index, int *found, gal_error *error);

/* The launches of stage `index`, if it reduces much: *found is 1 then. */
gal_status gali_device_add_sum(gali_device_plan *plan, uint32_t index, int *found, gal_error *error);

#endif
