/* Whether there is a device, and what a test without one ends with. */
#ifndef TEST_ANY_DEVICE_H
#define TEST_ANY_DEVICE_H

#include <stdio.h>

#include "opencl/opencl.h"

enum { SKIPPED = 77 };

/* Of OpenCL, by whatever loader is there; said if there is none. */
static inline int device_is_there(void) {
    gali_cl_facts facts[1];
    uint32_t count;
    gali_cl_list(facts, 1, &count, NULL);
    if (!count) {
        printf("no OpenCL device\n");
    }
    return count > 0;
}

#endif
