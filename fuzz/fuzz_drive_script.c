/* The drive script's reader on any bytes. */
#include "drive_script.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_drive_script script;
    gal_error error = {0};
    if (gali_drive_script_parse(&script, (const char *)data, size, "fuzz", &error) == GAL_OK) {
        for (uint32_t i = 0; i < script.frames; i++) {
            const gal_input *in = &script.inputs[i];
            require(in->move_x >= -1 && in->move_x <= 1 && in->run >= 0 && in->run <= 1);
        }
        gali_drive_script_release(&script);
    }
    return 0;
}
