/* The .npy reader on any bytes. */
#include "fuzz.h"
#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_npy array;
    gal_error error = {0};
    if (gali_npy_parse(&array, data, size, "fuzz", &error) == GAL_OK && array.count > 0) {
        volatile uint8_t last =
            ((const uint8_t *)array.data)[array.count * gali_element_list[array.element].bytes - 1];
        (void)last; /* the last byte that is promised was there to read */
    }
    return 0;
}
