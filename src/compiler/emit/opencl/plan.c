#include "compiler/emit/opencl/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/loop/print_c.h"
#include "compiler/loop/print_c_parts.h"

extern const gali_embedded gali_embedded_device_scalars;

static const gali_c_words words = {"void ", "__global "};

gali_launch *gali_device_add_launch(gali_device_plan *plan, const char *stem) {
    gali_launch *launch = &plan->launches[plan->launch_count];
    *launch = (gali_launch){.shape = GALI_LAUNCH_ITEMS, .least = 0, .most = INT64_MAX, .rows = 1, .tiles = 1};
    snprintf(launch->name, sizeof launch->name, "%.12s%u", stem, plan->launch_count++);
    return launch;
}

void gali_device_add_argument(gali_launch *launch, gali_argument_kind kind, uint32_t number) {
    if (launch->argument_count < GALI_LAUNCH_ARGUMENTS_MAX) {
        launch->argument[launch->argument_count++] = (gali_argument){kind, number};
    }
}

/* The pointer to a buffer of a lowered function, out of where it begins. */
static void add_pointer(gali_text *to, const gali_loop_buffer *buffer) {
    const char *element = gali_element_list[buffer->element].c;
    if (buffer->role == GALI_LOOP_CONSTANT) {
        gali_text_add(to, "(__global const %s *)(weights + %uUL * at_", element, GALI_DEVICE_UNIT);
    } else {
        int written = buffer->role == GALI_LOOP_OUTPUT || buffer->role == GALI_LOOP_TEMPORARY;
        gali_text_add(to, "(__global %s%s *)(memory + %uUL * at_", written ? "" : "const ", element,
                      GALI_DEVICE_UNIT);
    }
    gali_c_name(to, buffer->name);
    gali_text_add(to, ")");
}

void gali_device_add_list(gali_text *to, const gali_lowered *lowered, int declare) {
    const gali_loop_function *f = lowered->function;
    for (uint32_t i = 0; i < f->symbols; i++) {
        gali_text_add(to, declare ? ", uint32_t " : ", ");
        gali_c_name(to, f->variable[i]->name);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        gali_text_add(to, declare ? ", uint32_t at_" : ", ");
        if (declare) {
            gali_c_name(to, f->buffer[i]->name);
        } else {
            add_pointer(to, f->buffer[i]);
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
static gal_status check_words(const gali_device_plan *plan, const gali_text *text, const gali_lowered *lowered,
                              uint32_t stage, gal_error *error) {
    static const char one[] = "gali_one_", letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const char *place = gali_program_place_of(plan->program, plan->program->stages[stage].node);
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

gal_status gali_device_add_function(gali_device_plan *plan, uint32_t stage, gali_lowered *lowered,
                                    const char **name, gal_error *error) {
    gali_program *p = plan->program;
    gali_text nameless = {0}, own = {0};
    gal_status status = gali_program_lower_items(p, p->stages[stage].group, lowered, error);
    if (status == GAL_OK) {
        rename_buffers(lowered->function);
        status = gali_loop_print_item(lowered->function, "gali_item", &words, &nameless, error);
    }
    status = status == GAL_OK ? check_words(plan, &nameless, lowered, stage, error) : status;
    if (status == GAL_OK && !nameless.failed) {
        gali_text_add(&own, "item%u", stage);
        const char *mine = gali_arena_copy(p->arena, own.bytes, own.size);
        *name = gali_device_share(plan, &nameless, mine);
        if (!*name && mine) {
            *name = mine;
            gali_text_add(&plan->source, "/* ");
            gali_emission_word(&plan->source, gali_program_place_of(p, p->stages[stage].node), 100);
            gali_text_add(&plan->source, " */\n");
            status = gali_loop_print_item(lowered->function, mine, &words, &plan->source, error);
            gali_text_add(&plan->source, "\n");
        }
    }
    gali_text_end(&own, &plan->source);
    gali_text_end(&nameless, &plan->source);
    return status == GAL_OK && !*name ? gali_fail(error, GAL_NO_MEMORY, "no memory for kernels") : status;
}

void *gali_device_add_constant(gali_device_plan *plan, size_t bytes, uint32_t *at) {
    static const char zeros[GALI_DEVICE_UNIT];
    size_t over = plan->weights.size % GALI_DEVICE_UNIT;
    gali_text_add_bytes(&plan->weights, zeros, over ? GALI_DEVICE_UNIT - over : 0);
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

void gali_device_add_arguments(gali_device_plan *plan, gali_launch *launch, const gali_lowered *lowered) {
    for (uint32_t i = 0; i < lowered->function->symbols; i++) {
        gali_device_add_argument(launch, GALI_ARGUMENT_SYMBOL, lowered->symbols[i]);
    }
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        uint32_t tensor = lowered->tensors[i];
        int constant = plan->program->tensors[tensor].role == GALI_TENSOR_CONSTANT;
        gali_device_add_argument(launch, constant ? GALI_ARGUMENT_CONSTANT : GALI_ARGUMENT_TENSOR,
                                 constant ? constant_at(plan, tensor) : tensor);
    }
}

void gali_device_add_items(gali_device_plan *plan, uint32_t index, const char *function,
                           const gali_lowered *lowered, int64_t least) {
    const gali_program_stage *stage = &plan->program->stages[index];
    gali_launch *launch = gali_device_add_launch(plan, "stage");
    gali_text *to = &plan->source;
    launch->count = 1;
    launch->least = least;
    for (uint32_t i = 0; i < stage->rank; i++) {
        launch->count = gali_extent_mul(plan->program->graph->extents, launch->count, stage->extent[i]);
    }
    launch->group = plan->device.group_most < GALI_LAUNCH_GROUP ? plan->device.group_most : GALI_LAUNCH_GROUP;
    gali_device_add_argument(launch, GALI_ARGUMENT_COUNT, 0);
    gali_device_add_arguments(plan, launch, lowered);
    gali_text key = {0};
    gali_text_add(&key, "kernel of %s", function);
    const char *name = gali_arena_copy(plan->program->arena, launch->name, strlen(launch->name));
    const char *there = key.failed || !name ? NULL : gali_device_share(plan, &key, name);
    gali_text_end(&key, to);
    if (there) {
        snprintf(launch->name, sizeof launch->name, "%s", there);
        return;
    }
    gali_text_add(to, "__kernel void %s(" GALI_DEVICE_MEMORY, launch->name);
    gali_device_add_list(to, lowered, 1);
    gali_text_add(to, ") {\n    const uint item = get_global_id(0);\n    if (item < count) {\n        %s(item",
                  function);
    gali_device_add_list(to, lowered, 0);
    gali_text_add(to, ");\n    }\n}\n\n");
}

/* A stage whose elements are items. */
static gal_status add_items(gali_device_plan *plan, uint32_t index, gal_error *error) {
    gali_lowered *lowered = gali_arena_take(plan->program->arena, sizeof *lowered);
    const char *function = NULL;
    if (!lowered) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gal_status status = gali_device_add_function(plan, index, lowered, &function, error);
    if (status == GAL_OK) {
        gali_device_add_items(plan, index, function, lowered, 0);
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
            stage->group = GALI_NONE;
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
            status = add_items(plan, i, error);
        }
    }
    return status;
}

gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program,
                                 const gali_device_limits *device, gal_error *error) {
    size_t room = GALI_LAUNCHES_OF_STAGE * (size_t)program->stage_count + 1;
    *plan = (gali_device_plan){.program = program, .device = *device};
    plan->launches = gali_arena_take(program->arena, room * sizeof *plan->launches);
    plan->constant_at =
        gali_arena_take(program->arena, (program->tensor_count + 1) * sizeof *plan->constant_at);
    if (!plan->launches || !plan->constant_at) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gal_status status = part_stages(program, error);
    gali_text_add_bytes(&plan->source, gali_embedded_device_scalars.data, gali_embedded_device_scalars.size);
    status = status == GAL_OK ? add_all(plan, error) : status;
    status = status == GAL_OK ? gali_program_place(program, error) : status;
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
