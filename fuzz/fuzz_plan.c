/* The plan record's parser on any bytes; what it lets through prints as a text that it reads as the same plan. */
#include <string.h>

#include "fuzz.h"
#include "network/plan.h"

enum { TEXT_MOST = 1024 };

/* A gating layer, one with experts, one without panels, one of short floats. */
static gali_plan made(void) {
    gali_plan plan = {.isa = GAL_ISA_SCALAR,
                      .kernels = gali_kernels_get(GAL_ISA_SCALAR),
                      .narrow = gali_narrow_get(GAL_ISA_SCALAR),
                      .gating = 1,
                      .count = 4};
    plan.layers[0] = (gali_plan_layer){.inputs = 7, .outputs = 4, .experts = 1};
    plan.layers[1] = (gali_plan_layer){.inputs = 37, .outputs = 64, .experts = 4};
    plan.layers[2] = (gali_plan_layer){.kind = GALI_LAYER_ADD, .inputs = 64, .outputs = 32, .experts = 1};
    plan.layers[3] =
        (gali_plan_layer){.inputs = 32, .outputs = 61, .experts = 4, .precision = {GAL_PRECISION_FP16, 0}};
    gali_plan_choose(&plan, GAL_FORM_PER_EXPERT, 1 << 20);
    return plan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), printed[TEXT_MOST], again[TEXT_MOST];
    gali_plan plan = made(), copy = made();
    gal_error error = {0};
    memcpy(text, data, size);
    text[size] = 0;
    if (gali_plan_parse(&plan, text, &error) == GAL_OK) {
        require(gali_plan_print(&plan, printed, sizeof printed) < sizeof printed);
        require(gali_plan_parse(&copy, printed, &error) == GAL_OK);
        gali_plan_print(&copy, again, sizeof again);
        require(strcmp(printed, again) == 0);
    }
    free(text);
    return 0;
}
