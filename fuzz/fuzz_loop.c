/* The loop IR's parser and verifier on any bytes; what they let through comes back from its print, and becomes C. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/loop/loop.h"
#include "compiler/loop/print_c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_arena arena = {0};
    gali_loop_function *function = NULL, *again = NULL;
    gali_text first = {0}, second = {0}, c = {0};
    gal_error error = {0};
    if (gali_loop_parse(&function, (const char *)data, size, &arena, &error) == GAL_OK) {
        gali_loop_print(function, &first);
        if (gali_loop_parse(&again, first.bytes, first.size, &arena, &error) != GAL_OK) {
            abort(); /* what is printed can be read */
        }
        gali_loop_print(again, &second);
        if (strcmp(first.bytes, second.bytes) != 0) {
            abort();
        }
        gali_loop_print_c(function, "f", 4, &c, &error);
    }
    gali_text_release(&first);
    gali_text_release(&second);
    gali_text_release(&c);
    gali_arena_release(&arena);
    return 0;
}
