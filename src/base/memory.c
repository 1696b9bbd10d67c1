#include "base/memory.h"

#include "base/size.h"
#include "base/system.h"

void *gali_allocate(const gal_allocator *allocator, size_t size) {
    if (size == GALI_SIZE_BAD) {
        return NULL;
    }
    if (allocator && allocator->allocate) {
        return allocator->allocate(allocator->context, size, GALI_ALIGNMENT);
    }
    size_t whole = gali_size_align(size ? size : 1, GALI_ALIGNMENT);
    return whole == GALI_SIZE_BAD ? NULL : gali_system_allocate(whole, GALI_ALIGNMENT);
}

void gali_release(const gal_allocator *allocator, void *memory, size_t size) {
    if (!memory) {
        return;
    }
    if (allocator && allocator->release) {
        allocator->release(allocator->context, memory, size, GALI_ALIGNMENT);
    } else {
        gali_system_release(memory);
    }
}
