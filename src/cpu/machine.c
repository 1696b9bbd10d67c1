#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "cpu/machine.h"

#include <stdint.h>

#if defined(__linux__)
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

static const size_t l2_default = (size_t)512 << 10;

#if defined(__linux__)
/* The C library asks CPUID on x86; elsewhere the kernel's tables know: "512K". */
size_t gali_machine_l2(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE
    long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (size > 0) {
        return (size_t)size;
    }
#endif
    unsigned kilobytes = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "r");
    if (file) {
        if (fscanf(file, "%7uK", &kilobytes) != 1) {
            kilobytes = 0;
        }
        fclose(file);
    }
    return kilobytes ? (size_t)kilobytes << 10 : l2_default;
}

/* Whole small pages inside the memory; the system makes large ones where 2 MB of them are aligned. */
void gali_machine_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + size) / page * page;
    if (end > first) {
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)size;
#endif
}
#else
size_t gali_machine_l2(void) {
    return l2_default;
}

void gali_machine_huge_pages(void *memory, size_t size) {
    (void)memory;
    (void)size;
}
#endif
