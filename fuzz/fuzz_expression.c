/* The parser of expressions on any bytes, up to a line of its own that starts with `;`, and behind that a schedule for it. */
#include <string.h>

#include "compiler/schedule/schedule.h"
#include "fuzz.h"

static void apply(const gali_expression *expression, const char *text, size_t size, gali_arena *arena) {
    gali_schedule schedule;
    gali_loop_function *function;
    gal_error error = {0};
    if (gali_schedule_parse(&schedule, text, size, &error) == GAL_OK) {
        gal_status status = gali_schedule_apply(expression, &schedule, arena, &function, &error);
        require(status == GAL_OK || status == GAL_BAD_DATA || status == GAL_NO_MEMORY);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_expression *expression = NULL, *again = NULL;
    gali_text first = {0}, second = {0};
    gal_error error = {0};
    const char *text = (const char *)data;
    size_t end = 0;
    while (end < size && !(text[end] == ';' && end && text[end - 1] == '\n')) {
        end++;
    }
    if (gali_expression_parse(&expression, text, end, &arena, &error) == GAL_OK) {
        gali_expression_print(expression, &first);
        require(gali_expression_parse(&again, first.bytes, first.size, &arena, &error) == GAL_OK);
        gali_expression_print(again, &second);
        require(strcmp(first.bytes, second.bytes) == 0);
        apply(expression, text + end, size - end, &arena);
    }
    gali_text_release(&first);
    gali_text_release(&second);
    gali_arena_release(&arena);
    return 0;
}
