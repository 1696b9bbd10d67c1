/* Memory on the pages of this run: everybody's on 2 MB pages, or everybody's on small ones. */
#define _GNU_SOURCE /* madvise */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Set by bench_network before it starts itself again, since the C library's malloc reads its own setting then. */
int bench_small_pages(void) {
    return getenv("GALLOP_BENCH_SMALL_PAGES") != NULL;
}

void *bench_alloc(size_t bytes) {
    const size_t large = (size_t)2 << 20;
    const size_t page = bytes < large || bench_small_pages() ? 64 : large;
    const size_t rounded = (bytes + 64 + page - 1) / page * page;
    void *memory = aligned_alloc(page, rounded);
    if (memory == NULL) {
        fprintf(stderr, "bench: out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    if (page == large) {
        madvise(memory, rounded, MADV_HUGEPAGE);
    }
    return memset(memory, 0, rounded);
}

void bench_free(void *memory) {
    free(memory);
}
