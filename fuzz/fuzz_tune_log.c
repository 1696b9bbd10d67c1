/* The tuning log's reader on any bytes: records of layers, and of groups, which have no characters. */
#include "compiler/log/log.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gali_log log = {.count = 0};
    gal_error error = {0};
    gali_log_parse(&log, (const char *)data, size, "fuzz", &error);
    for (uint32_t i = 0; i < log.count; i++) {
        require(log.records[i].schedule && log.records[i].line >= 1);
    }
    gali_log_release(&log);
    return 0;
}
