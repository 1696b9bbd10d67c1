/* What the operating system tells and does about memory. All of it is a hint: results never depend on it. */
#ifndef GALI_CPU_MACHINE_H
#define GALI_CPU_MACHINE_H

#include <stddef.h>

/* Bytes of a core's L2 cache; 512 KB where nobody says. */
size_t gali_machine_l2(void);

/* Asks for 2 MB pages for memory that was just allocated and not yet written. */
void gali_machine_huge_pages(void *memory, size_t size);

#endif
