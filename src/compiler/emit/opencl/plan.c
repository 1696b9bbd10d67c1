#include "compiler/emit/opencl/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
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

void gali_device_add_list(gali_text *to, const gali_lowered *lowered, int declare) {
    const gali_loop_function *f = lowered->function;
    for (uint32_t i = 0; i < f->symbols; i++) {
        gali_text_add(to, declare ? ", uint32_t " : ", ");
        gali_c_name(to, f->variable[i]->name);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        const gali_loop_buffer *buffer = f->buffer[i];
        int written = buffer->role == GALI_LOOP_OUTPUT || buffer->role == GALI_LOOP_TEMPORARY;
        gali_text_add(to, ", ");
        if (declare) {
            gali_text_add(to, "__global %s%s *", written ? "" : "const ", gali_element_list[buffer->element].c);
        }
        gali_c_name(to, buffer->name);
    }
}

gal_status gali_device_add_function(gali_device_plan *plan, uint32_t stage, const char *name,
                                    gali_lowered *lowered, gal_error *error) {
    gal_status status =
        gali_program_lower_items(plan->program, plan->program->stages[stage].group, lowered, error);
    if (status == GAL_OK) {
        status = gali_loop_print_item(lowered->function, name, &words, &plan->source, error);
        gali_text_add(&plan->source, "\n");
    }
    return status;
}

void gali_device_add_arguments(gali_launch *launch, const gali_lowered *lowered) {
    for (uint32_t i = 0; i < lowered->function->symbols; i++) {
        gali_device_add_argument(launch, GALI_ARGUMENT_SYMBOL, lowered->symbols[i]);
    }
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, lowered->tensors[i]);
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
    gali_device_add_arguments(launch, lowered);
    gali_text_add(to, "__kernel void %s(uint32_t count", launch->name);
    gali_device_add_list(to, lowered, 1);
    gali_text_add(to, ") {\n    const uint item = get_global_id(0);\n    if (item < count) {\n        %s(item",
                  function);
    gali_device_add_list(to, lowered, 0);
    gali_text_add(to, ");\n    }\n}\n\n");
}

/* A stage whose elements are items. */
static gal_status add_items(gali_device_plan *plan, uint32_t index, gal_error *error) {
    gali_lowered *lowered = gali_arena_take(plan->program->arena, sizeof *lowered);
    char function[GALI_LAUNCH_NAME_MAX];
    if (!lowered) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    snprintf(function, sizeof function, "item%u", index);
    gal_status status = gali_device_add_function(plan, index, function, lowered, error);
    if (status == GAL_OK) {
        gali_device_add_items(plan, index, function, lowered, 0);
    }
    return status;
}

/* Each stage is its own group, in the order of its type: nothing is joined, and all that is made is stored. */
static gal_status part_stages(gali_program *p, gal_error *error) {
    uint32_t group = 0;
    if (p->step_count) {
        return gali_fail(error, GAL_UNSUPPORTED, "branches, loops and calls between stages have no kernels");
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

gal_status gali_device_plan_make(gali_device_plan *plan, gali_program *program, const gali_device *device,
                                 gal_error *error) {
    size_t room = GALI_LAUNCHES_OF_STAGE * (size_t)program->stage_count + 1;
    *plan = (gali_device_plan){.program = program, .device = *device};
    plan->launches = gali_arena_take(program->arena, room * sizeof *plan->launches);
    plan->packed = gali_arena_take(program->arena, room * sizeof *plan->packed);
    if (!plan->launches || !plan->packed) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gal_status status = part_stages(program, error);
    gali_text_add_bytes(&plan->source, gali_embedded_device_scalars.data, gali_embedded_device_scalars.size);
    for (uint32_t i = 0; i < program->stage_count && status == GAL_OK; i++) {
        int found = program->stages[i].gone;
        if (!found) {
            status = gali_device_add_product(plan, i, &found, error);
        }
        if (status == GAL_OK && !found) {
            status = add_items(plan, i, error);
        }
    }
    if (status == GAL_OK && plan->source.failed) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for kernels");
    }
    return status;
}
