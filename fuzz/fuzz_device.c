/* The reader of device.json, which gallop probe writes, on any bytes: of what is read a roofline is some time. */
#include "compiler/log/device.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_device device;
    gal_error error = {0};
    if (gali_device_parse(&device, (const char *)data, size, "fuzz", "avx2", &error) != GAL_OK) {
        require(error.message[0] != 0);
        return 0;
    }
    int by_memory = 0;
    for (double room = 1; room < 1e12; room *= 1000) {
        require(gali_device_least(&device, 1e6, 1e6, room, &by_memory) >= 0);
    }
    return 0;
}
