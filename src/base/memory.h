/* Memory through a gal_allocator, or the C library's where it is NULL. */
#ifndef GALI_BASE_MEMORY_H
#define GALI_BASE_MEMORY_H

#include "gallop/base.h"

enum { GALI_ALIGNMENT = 64 }; /* of everything allocated: a cache line and the widest vector */

/* size bytes aligned to GALI_ALIGNMENT, not cleared; NULL if there are none (or size is GALI_SIZE_BAD). */
void *gali_allocate(const gal_allocator *allocator, size_t size);

/* size as it was allocated; NULL is allowed. */
void gali_release(const gal_allocator *allocator, void *memory, size_t size);

#endif
