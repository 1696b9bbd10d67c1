/* What the operating system tells and does about memory. All of it is a hint: results never depend on it. */
#ifndef GALI_CPU_MACHINE_H
#define GALI_CPU_MACHINE_H

#include "gallop/base.h"

/* Bytes of a core's L2 cache; 512 KB where nobody says. */
size_t gali_machine_l2(void);

/*
 * size bytes for weights, aligned to GALI_ALIGNMENT at least, not cleared; NULL if there are none (or size is
 * GALI_SIZE_BAD). Released with gali_release. A caller's allocator is asked for just that. From the C library 2 MB
 * and more start at a 2 MB page and the system is asked for such pages (Linux), unless small_pages is set: cold
 * weights then do not wait for address translation as well. The end stays on small pages where a large one would
 * waste more than a sixth of the whole.
 */
void *gali_machine_allocate(const gal_allocator *allocator, size_t size, int small_pages);

#endif
