/* The tuning log's reader on any bytes: records of layers, of groups, which have no characters, and of tilings, which print as
 * they are read. */
#include "compiler/log/log.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_log log = {.count = 0};
    gal_error error = {0};
    gali_log_parse(&log, (const char *)data, size, "fuzz", &error);
    for (uint32_t i = 0; i < log.count; i++) {
        gali_tiling tiling, again;
        gali_text text = {0};
        require(log.records[i].schedule && log.records[i].line >= 1);
        if (gali_tiling_parse(&tiling, log.records[i].schedule, &error) == GAL_OK) {
            gali_tiling_print(&tiling, &text);
            require(gali_tiling_parse(&again, text.bytes, &error) == GAL_OK &&
                    gali_tiling_same(&tiling, &again));
        }
        gali_text_release(&text);
    }
    gali_log_release(&log);
    return 0;
}
