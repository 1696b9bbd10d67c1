#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "cpu/machine.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/system.h"

#if defined(__linux__)
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

static const size_t l2_default = (size_t)512 << 10;
static const size_t large_page = (size_t)2 << 20;

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

/* Whole pages of what starts at a large page's bound. */
static void ask_for_large_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, size, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)size;
#endif
}
#else
size_t gali_machine_l2(void) {
    return l2_default;
}

static void ask_for_large_pages(void *memory, size_t size) {
    (void)memory;
    (void)size;
}
#endif

void *gali_machine_allocate(const gal_allocator *allocator, size_t size, int small_pages) {
    if ((allocator && allocator->allocate) || small_pages || size < large_page || size == GALI_SIZE_BAD) {
        return gali_allocate(allocator, size);
    }
    size_t whole = gali_size_align(size, large_page);
    void *memory = whole == GALI_SIZE_BAD ? NULL : gali_system_allocate(whole, large_page);
    if (memory) {
        ask_for_large_pages(memory, whole - size <= whole / 6 ? whole : whole - large_page);
    }
    return memory;
}
