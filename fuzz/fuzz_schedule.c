/* The schedule's parser on any bytes; what it lets through is applied to a layer whose form the first byte chooses. */
#include "compiler/schedule/schedule.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_dense dense = {.experts = 4,
                        .slots = 4,
                        .inputs = 5,
                        .outputs = 37,
                        .activation = GALI_ACTIVATION_ELU,
                        .least = 1,
                        .most = 5};
    gali_arena arena = {0};
    gali_expression *expression;
    gali_loop_function *function;
    gali_schedule schedule;
    gal_error error = {0};
    if (size == 0) {
        return 0;
    }
    dense.form = data[0] == 'b' ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
    dense.sparse = data[0] == 's';
    dense.slots = dense.sparse ? 2 : 4;
    require(gali_dense_expression(&dense, &arena, &expression, &error) == GAL_OK);
    if (gali_schedule_parse(&schedule, (const char *)data + 1, size - 1, &error) == GAL_OK) {
        gal_status status = gali_schedule_apply(expression, &schedule, &arena, &function, &error);
        require(status == GAL_OK || status == GAL_BAD_DATA);
    }
    gali_arena_release(&arena);
    return 0;
}
