/* What every fuzz target has: the entry that libFuzzer and replay.c call, and a promise whose break ends the run. */
#ifndef GALLOP_FUZZ_FUZZ_H
#define GALLOP_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* size bytes of anything, of the target's to read or refuse. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int holds) {
    if (!holds) {
        abort();
    }
}

#endif
