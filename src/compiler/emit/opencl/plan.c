#include "compiler/emit/opencl/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/loop/print_c.h"
#include "compiler/loop/print_c_parts.h"
#include "compiler/program/reads.h"

extern const gali_embedded gali_embedded_device_scalars, gali_embedded_device_images;

static const gali_c_words words[] = {
    [GALI_DEVICE_ITEM] = {.function = "void ", .pointer = "__global "},
    [GALI_DEVICE_AXES] = {.function = "void ", .pointer = "__global ", .axes = 1},
    [GALI_DEVICE_TERM] = {.function = "float ", .pointer = "__global ", .axes = 1, .returns = 1},
};

gali_launch *gali_device_add_launch(gali_device_plan *plan, const char *stem, uint32_t stage) {
    gali_launch *launch = &plan->launches[plan->launch_count];
    *launch = (gali_launch){.shape = GALI_LAUNCH_ITEMS, .most = INT64_MAX, .rows = 1, .tiles = 1};
    launch->stage = stage;
    snprintf(launch->name, sizeof launch->name, "%.12s%u", stem, plan->launch_count++);
    return launch;
}

void gali_device_add_argument(gali_launch *launch, gali_argument_kind kind, uint32_t number) {
    if (launch->argument_count < GALI_LAUNCH_ARGUMENTS_MAX) {
        launch->argument[launch->argument_count] = (gali_argument){kind, number};
    }
    launch->argument_count++; /* past the limit: check_launches */
}

uint32_t gali_device_extent(gali_device_plan *plan, gali_extent extent) {
    uint32_t i = 0;
    while (i < plan->extent_count && plan->extents[i] != extent) {
        i++;
    }
    if (i == plan->extent_count) {
        plan->extents[plan->extent_count++] = extent;
    }
    return i;
}

static int is_written(const gali_loop_buffer *buffer) {
    return buffer->role == GALI_LOOP_OUTPUT || buffer->role == GALI_LOOP_TEMPORARY;
}

static int is_image(const gali_device_function *function, uint32_t parameter) {
    return (int)(function->images >> parameter & 1);
}

/* Whether a function has no parameter for it. */
static int is_returned(const gali_device_function *function, const gali_loop_buffer *buffer) {
    return function->form == GALI_DEVICE_TERM && is_written(buffer);
}

/* The pointer to a buffer of a function, out of where it begins. */
static void add_pointer(gali_text *to, const gali_device_function *function, const gali_loop_buffer *buffer) {
    const char *element = gali_element_list[buffer->element].c;
    if (buffer->role == GALI_LOOP_CONSTANT) {
        gali_text_add(to, "(__global const %s *)(weights + %uUL * %sat_", element, GALI_DEVICE_UNIT,
                      function->prefix);
    } else {
        gali_text_add(to, "(__global %s%s *)(memory + %uUL * %sat_", is_written(buffer) ? "" : "const ",
                      element, GALI_DEVICE_UNIT, function->prefix);
    }
    gali_c_name(to, buffer->name);
    gali_text_add(to, ")");
}

void gali_device_add_list(gali_text *to, const gali_device_function *function, int declare) {
    const gali_loop_function *f = function->lowered.function;
    for (uint32_t i = 0; i < f->symbols; i++) {
        gali_text_add(to, declare ? ", uint32_t %s" : ", %s", function->prefix);
        gali_c_name(to, f->variable[i]->name);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        if (is_returned(function, f->buffer[i])) {
            continue;
        }
        if (is_image(function, i)) {
            gali_text_add(to, ", %s%sat_", declare ? "__read_only image2d_t " : "", function->prefix);
            gali_c_name(to, f->buffer[i]->name);
        } else if (declare) {
            gali_text_add(to, ", uint32_t %sat_", function->prefix);
            gali_c_name(to, f->buffer[i]->name);
        } else {
            gali_text_add(to, ", ");
            add_pointer(to, function, f->buffer[i]);
        }
    }
}

/* Whether a word of the printed text, "gali_one_..", is one of scalars.cl. */
static int is_known(const char *word, size_t size) {
    const char *at = gali_embedded_device_scalars.data, *end = at + gali_embedded_device_scalars.size;
    for (; at + size < end; at++) {
        if (memcmp(at, word, size) == 0 && at[size] == '(') {
            return 1;
        }
    }
    return 0;
}

/* What scalars.cl lacks is float64, which few devices have, and what is made for vectors. */
static gal_status check_words(const gali_program *program, const gali_text *text, const gali_lowered *lowered,
                              uint32_t stage, gal_error *error) {
    static const char one[] = "gali_one_", letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const char *place = gali_program_place_of(program, program->stages[stage].node);
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        if (lowered->function->buffer[i]->element == GALI_f64) {
            return gali_fail(error, GAL_UNSUPPORTED, "%.150s: float64 has no kernels", place);
        }
    }
    const char *at = text->bytes ? text->bytes : "";
    if (strstr(at, "double")) {
        return gali_fail(error, GAL_UNSUPPORTED, "%.150s: float64 has no kernels", place);
    }
    for (at = strstr(at, one); at; at = strstr(at, one)) {
        size_t size = strspn(at, letters);
        if (!is_known(at, size)) {
            return gali_fail(error, GAL_UNSUPPORTED, "%.150s: \"%.*s\" has no kernels", place,
                             (int)(size - (sizeof one - 1)), at + sizeof one - 1);
        }
        at += size;
    }
    return GAL_OK;
}

typedef struct gali_device_shared {
    const char *text, *name;
    size_t size;
    struct gali_device_shared *next;
} gali_device_shared;

const char *gali_device_share(gali_device_plan *plan, const gali_text *text, const char *name) {
    gali_arena *arena = plan->program->arena;
    for (const gali_device_shared *s = plan->shared; s; s = s->next) {
        if (s->size == text->size && memcmp(s->text, text->bytes, text->size) == 0) {
            return s->name;
        }
    }
    gali_device_shared *s = gali_arena_take(arena, sizeof *s);
    const char *copy = gali_arena_copy(arena, text->bytes, text->size);
    if (s && copy) {
        *s = (gali_device_shared){copy, name, text->size, plan->shared};
        plan->shared = s;
    }
    return NULL;
}

/* Buffers by their numbers: two stages that compute the same have the same text. */
static void rename_buffers(gali_loop_function *f) {
    for (uint32_t i = 0; i < f->buffers; i++) {
        snprintf(f->buffer[i]->name, GALI_LOOP_NAME_MAX, i < f->parameters ? "t%u" : "own%u", i);
    }
}

/* "item12"; terms of one stage have their prefixes. */
static const char *name_function(gali_device_plan *plan, uint32_t number,
                                 const gali_device_function *function) {
    gali_text own = {0};
    gali_text_add(&own, "%s%s%u", function->prefix, function->form == GALI_DEVICE_ITEM ? "item" : "element",
                  number);
    const char *name = gali_arena_copy(plan->program->arena, own.bytes, own.size);
    gali_text_end(&own, &plan->source);
    return name;
}

gal_status gali_device_describe(gali_device_plan *plan, gali_program *program, uint32_t stage, gali_text *text,
                                gal_error *error) {
    gali_lowered lowered;
    gal_status status =
        gali_program_lower_items(program, program->stages[stage].group, &plan->lowered, &lowered, error);
    if (status == GAL_OK) {
        rename_buffers(lowered.function);
        status = gali_loop_print_item(lowered.function, "gali_item", &words[GALI_DEVICE_TERM], text, error);
    }
    return status;
}

/* Which parameters are images: of float32, and no larger than one may be. */
static uint64_t choose_images(gali_device_plan *plan, const gali_device_function *function) {
    const gali_lowered *lowered = &function->lowered;
    uint64_t images = 0;
    for (uint32_t i = 0; i < lowered->function->parameters && function->wants_images; i++) {
        const gali_loop_buffer *buffer = lowered->function->buffer[i];
        if (buffer->element == GALI_f32 && !is_written(buffer) && !buffer->packed_rank &&
            gali_device_image_fits(plan, lowered->tensors[i])) {
            images |= (uint64_t)1 << i;
        }
    }
    return images;
}

gal_status gali_device_add_function(gali_device_plan *plan, gali_program *program, uint32_t stage,
                                    gali_device_function *function, gal_error *error) {
    const gali_program_stage *s = &program->stages[stage];
    gali_c_words with = words[function->form];
    gali_lowered *lowered = &function->lowered;
    gali_text nameless = {0};
    gal_status status = gali_program_lower_items(program, s->group, &plan->lowered, lowered, error);
    if (status == GAL_OK) {
        rename_buffers(lowered->function);
        with.images = function->images = choose_images(plan, function);
        status = gali_loop_print_item(lowered->function, "gali_item", &with, &nameless, error);
    }
    status = status == GAL_OK ? check_words(program, &nameless, lowered, stage, error) : status;
    if (status == GAL_OK && !nameless.failed) {
        const char *mine = name_function(plan, plan->functions++, function);
        function->name = gali_device_share(plan, &nameless, mine);
        if (!function->name && mine) {
            function->name = mine;
            gali_text_add(&plan->source, "/* ");
            gali_text_add_word(&plan->source, gali_program_place_of(program, s->node), 100);
            gali_text_add(&plan->source, " */\n");
            status = gali_loop_print_item(lowered->function, mine, &with, &plan->source, error);
            gali_text_add(&plan->source, "\n");
        }
    }
    gali_text_end(&nameless, &plan->source);
    return status == GAL_OK && !function->name ? gali_fail(error, GAL_NO_MEMORY, "no memory for kernels")
                                               : status;
}

/* Constants are whole units, the last one too: images are copied from them in whole texels. */
static void fill_unit(gali_device_plan *plan) {
    static const char zeros[GALI_DEVICE_UNIT];
    size_t over = plan->weights.size % GALI_DEVICE_UNIT;
    gali_text_add_bytes(&plan->weights, zeros, over ? GALI_DEVICE_UNIT - over : 0);
}

void *gali_device_add_constant(gali_device_plan *plan, size_t bytes, uint32_t *at) {
    fill_unit(plan);
    *at = (uint32_t)(plan->weights.size / GALI_DEVICE_UNIT);
    return gali_text_reserve(&plan->weights, bytes);
}

/* Where a constant of the program begins; it is put there when it is first asked for. */
static uint32_t constant_at(gali_device_plan *plan, uint32_t tensor) {
    if (!plan->constant_at[tensor]) {
        static const gali_loop_buffer plain;
        uint32_t at;
        void *place =
            gali_device_add_constant(plan, gali_program_constant_bytes(plan->program, tensor, &plain), &at);
        if (place) {
            gali_program_lay(plan->program, tensor, place);
        }
        plan->constant_at[tensor] = at + 1;
    }
    return plan->constant_at[tensor] - 1;
}

void gali_device_add_arguments(gali_device_plan *plan, gali_launch *launch,
                               const gali_device_function *function) {
    const gali_lowered *lowered = &function->lowered;
    for (uint32_t i = 0; i < lowered->function->symbols; i++) {
        gali_device_add_argument(launch, GALI_ARGUMENT_SYMBOL, lowered->symbols[i]);
    }
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        if (is_returned(function, lowered->function->buffer[i])) {
            continue;
        }
        uint32_t tensor = lowered->tensors[i];
        int constant = plan->program->tensors[tensor].role == GALI_TENSOR_CONSTANT;
        if (is_image(function, i)) {
            gali_device_add_argument(launch, GALI_ARGUMENT_IMAGE,
                                     gali_device_add_image(plan, constant,
                                                           constant ? constant_at(plan, tensor) : tensor,
                                                           gali_device_floats(plan, tensor)));
            continue;
        }
        gali_device_add_argument(launch, constant ? GALI_ARGUMENT_CONSTANT : GALI_ARGUMENT_TENSOR,
                                 constant ? constant_at(plan, tensor) : tensor);
    }
}

gali_launch *gali_device_add_items(gali_device_plan *plan, uint32_t index, const gali_device_function *function,
                                   int64_t least, int64_t most) {
    const gali_program_stage *stage = &plan->program->stages[index];
    gali_launch *launch = gali_device_add_launch(plan, "stage", index);
    gali_text *to = &plan->source;
    launch->least = least;
    launch->most = most;
    launch->count = gali_device_product_of(plan, stage->extent, stage->rank);
    launch->group = plan->device.group_most < GALI_LAUNCH_GROUP ? plan->device.group_most : GALI_LAUNCH_GROUP;
    gali_device_add_argument(launch, GALI_ARGUMENT_COUNT, 0);
    gali_device_add_arguments(plan, launch, function);
    gali_text key = {0};
    gali_text_add(&key, "kernel of %s", function->name);
    const char *name = gali_arena_copy(plan->program->arena, launch->name, strlen(launch->name));
    const char *there = key.failed || !name ? NULL : gali_device_share(plan, &key, name);
    gali_text_end(&key, to);
    if (there) {
        snprintf(launch->name, sizeof launch->name, "%s", there);
        return launch;
    }
    gali_text_add(to, "__kernel void %s(" GALI_DEVICE_MEMORY, launch->name);
    gali_device_add_list(to, function, 1);
    gali_text_add(to, ") {\n    const uint item = get_global_id(0);\n    if (item < count) {\n        %s(item",
                  function->name);
    gali_device_add_list(to, function, 0);
    gali_text_add(to, ");\n    }\n}\n\n");
    return launch;
}

void gali_device_add_kernel(gali_device_plan *plan, gali_launch *launch, gali_text *macros,
                            const gali_embedded *body) {
    gali_text *to = &plan->source;
    const char *name = gali_arena_copy(plan->program->arena, launch->name, strlen(launch->name));
    const char *there = macros->failed || !name ? NULL : gali_device_share(plan, macros, name);
    if (there) {
        snprintf(launch->name, sizeof launch->name, "%s", there);
        gali_text_end(macros, to);
        return;
    }
    gali_text_add(to, "#define NAME %s\n", launch->name);
    gali_text_add_bytes(to, macros->bytes ? macros->bytes : "", macros->size);
    gali_text_add_bytes(to, body->data, body->size);
    gali_text_add(to, "#undef NAME\n");
    for (const char *at = macros->bytes; at && (at = strstr(at, "#define ")) != NULL;) {
        at += sizeof "#define " - 1;
        gali_text_add(to, "#undef %.*s\n", (int)strcspn(at, " (\n"), at);
    }
    gali_text_add(to, "\n");
    gali_text_end(macros, to);
}

gali_extent gali_device_product_of(const gali_device_plan *plan, const gali_extent *extents, uint32_t count) {
    gali_extent product = 1;
    for (uint32_t i = 0; i < count; i++) {
        product = gali_extent_mul(plan->program->graph->extents, product, extents[i]);
    }
    return product;
}

/* A stage whose elements are items. */
static gal_status add_items(gali_device_plan *plan, uint32_t index, gal_error *error) {
    gali_device_function *function = gali_arena_take(plan->program->arena, sizeof *function);
    if (!function) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    function->prefix = "";
    function->wants_images =
        plan->device.prefers_images && plan->program->stages[index].reduced; /* read often */
    plan->program->stages[index].blocks = gali_program_sum_blocks(&plan->program->stages[index]);
    gal_status status = gali_device_add_function(plan, plan->program, index, function, error);
    if (status == GAL_OK) {
        gali_device_add_items(plan, index, function, 0, INT64_MAX);
    }
    return status;
}

/* Each stage is its own group, in the order of its type: nothing is joined, and all that is made is stored. */
static gal_status part_stages(gali_program *p, gal_error *error) {
    uint32_t group = 0;
    if (p->step_count) {
        const gali_program_step *step = &p->steps[0];
        return gali_fail(error, GAL_UNSUPPORTED,
                         "%s has no kernels: devices run graphs of one path whose inputs tell all sizes",
                         step->kind == GALI_CONTROL_IF     ? "a branch"
                         : step->kind == GALI_CONTROL_LOOP ? "a loop"
                         : step->kind == GALI_CONTROL_CALL ? step->call->function
                                                           : "a size that only running tells");
    }
    for (uint32_t i = 0; i < p->graph->output_count; i++) {
        const gali_program_tensor *output = &p->tensors[p->graph->outputs[i]];
        if (output->role != GALI_TENSOR_OUTPUT || output->stage == GALI_NONE) {
            return gali_fail(error, GAL_UNSUPPORTED, "output %.100s is known without a run: that has no kernel",
                             output->name);
        }
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        gali_program_stage *stage = &p->stages[i];
        const gali_program_tensor *tensor = &p->tensors[stage->tensor];
        if (stage->gone) {
            stage->group = group; /* any that ascends: a group's first stage is found by halves */
            continue;
        }
        if (tensor->home != GALI_NONE) {
            return gali_fail(error, GAL_UNSUPPORTED,
                             "%.100s lies in another tensor's memory: that has no kernel", tensor->name);
        }
        stage->group = group++;
        stage->rows = 0;
        stage->parted = 0;
    }
    p->group_count = group;
    p->target = NULL;
    return GAL_OK;
}

static void fill_bare(gali_device_plan *plan) {
    const gali_program *p = plan->program;
    for (uint32_t i = 0; i < p->tensor_count; i++) { /* none, of a graph of nothing */
        plan->bare[i] = p->tensors[i];
        plan->bare[i].stage = GALI_NONE;
    }
    plan->bare[p->tensor_count] = (gali_program_tensor){
        .name = "term", .type = {.element = GALI_f32}, .value = GALI_NONE, .slot = GALI_NONE};
}

/* How images are read, on a device that has them. */
static void add_image_words(gali_device_plan *plan) {
    if (plan->device.image_rows) {
        gali_text_add(&plan->source, "\n#define GALI_IMAGE_WIDTH_LOG %d\n#define GALI_IMAGE_WIDTH %d\n%s",
                      GALI_DEVICE_IMAGE_LOG, 1 << GALI_DEVICE_IMAGE_LOG,
                      plan->device.divided_addresses ? "#define GALI_DIVIDED_ADDRESSES\n" : "");
        gali_text_add_bytes(&plan->source, gali_embedded_device_images.data, gali_embedded_device_images.size);
    }
}

/* What the products took in makes nothing. */
static gal_status add_all(gali_device_plan *plan, gal_error *error) {
    gali_program *p = plan->program;
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < p->stage_count && status == GAL_OK; i++) {
        int found = p->stages[i].gone;
        if (!found) {
            status = gali_device_add_product(plan, i, &found, error);
        }
        if (status == GAL_OK && !found) {
            status = gali_device_add_sum(plan, i, &found, error);
        }
        if (status == GAL_OK && !found) {
            status = add_items(plan, i, error);
        }
        gali_arena_release(&plan->lowered);
    }
    return status;
}

static gal_status check_launches(const gali_device_plan *plan, gal_error *error) {
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        if (plan->launches[i].argument_count > GALI_LAUNCH_ARGUMENTS_MAX) {
            const gali_program *p = plan->program;
            return gali_fail(error, GAL_UNSUPPORTED, "%.150s: it reads too many tensors for a kernel",
                             gali_program_place_of(p, p->stages[plan->launches[i].stage].node));
        }
    }
    return GAL_OK;
}

gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program,
                                 const gali_device_limits *device, gal_error *error) {
    size_t room = 1;
    for (uint32_t i = 0; i < program->stage_count; i++) { /* what is no product has one */
        room += gali_device_is_product(program, i) ? GALI_LAUNCHES_OF_STAGE : 1;
    }
    *plan = (gali_device_plan){.program = program, .device = *device};
    plan->launches = gali_arena_take(program->arena, room * sizeof *plan->launches);
    plan->constant_at =
        gali_arena_take(program->arena, (program->tensor_count + 1) * sizeof *plan->constant_at);
    plan->tasks = gali_arena_take(program->arena, ((size_t)program->stage_count + 1) * sizeof *plan->tasks);
    plan->images = gali_arena_take(program->arena, ((size_t)program->tensor_count + program->stage_count + 1) *
                                                       sizeof *plan->images);
    plan->bare = gali_arena_take(program->arena, (program->tensor_count + 1) * sizeof *plan->bare);
    if (!plan->launches || !plan->constant_at || !plan->tasks || !plan->images || !plan->bare) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gal_status status = part_stages(program, error);
    fill_bare(plan);
    gali_text_add_bytes(&plan->source, gali_embedded_device_scalars.data, gali_embedded_device_scalars.size);
    add_image_words(plan);
    status = status == GAL_OK ? add_all(plan, error) : status;
    status = status == GAL_OK ? check_launches(plan, error) : status;
    status = status == GAL_OK ? gali_program_place(program, error) : status;
    fill_unit(plan);
    if (status == GAL_OK && (plan->source.failed || plan->weights.failed)) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for kernels");
    }
    return status;
}

void gali_device_plan_release(gali_device_plan *plan) {
    gali_text_release(&plan->source);
    gali_text_release(&plan->weights);
}

/* Units of a tensor; 0: it is too large. */
static uint64_t units_of(const gali_program *p, uint32_t tensor, const int64_t *symbols) {
    const gali_type *type = &p->tensors[tensor].type;
    uint64_t count = 1;
    for (int i = 0; i < type->rank; i++) {
        int64_t extent = gali_extent_value(p->graph->extents, type->shape[i], symbols);
        count *= extent > 0 ? (uint64_t)extent : 1;
        if (count > UINT32_MAX) {
            return 0;
        }
    }
    return (count * gali_element_list[type->element].bytes + GALI_DEVICE_UNIT - 1) / GALI_DEVICE_UNIT;
}

uint64_t gali_device_plan_places(const gali_device_plan *plan, const int64_t *symbols, uint32_t *at) {
    const gali_program *p = plan->program;
    int64_t *slots = malloc((p->slot_count + 1u) * sizeof *slots);
    if (!slots) {
        return 0;
    }
    for (uint32_t i = 0; i < p->slot_count; i++) {
        slots[i] = gali_program_slot_at(p, &p->slots[i], slots, symbols);
    }
    uint64_t end = (uint64_t)gali_program_slot_at(p, &p->top, slots, symbols) / GALI_DEVICE_UNIT;
    int fits = 1;
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        const gali_program_tensor *t = &p->tensors[i];
        int placed = (t->role == GALI_TENSOR_MADE || t->role == GALI_TENSOR_KEPT) && t->slot != GALI_NONE;
        at[i] = placed ? (uint32_t)(slots[t->slot] / GALI_DEVICE_UNIT) : 0;
        fits &= !placed || units_of(p, i, symbols);
    }
    free(slots);
    for (int role = GALI_TENSOR_INPUT; role <= GALI_TENSOR_OUTPUT; role++) {
        for (uint32_t i = 0; i < p->tensor_count && role != GALI_TENSOR_CONSTANT; i++) {
            if (p->tensors[i].role == (gali_tensor_role)role) {
                uint64_t units = units_of(p, i, symbols);
                at[i] = (uint32_t)end;
                fits &= units > 0;
                end += units;
            }
        }
    }
    return fits && end <= UINT32_MAX ? end + (end == 0) : 0;
}
