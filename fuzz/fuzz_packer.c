/* The packer of Hexagon assembly on any bytes: what it writes it reads again, with as many packets as it said. */
#include "compiler/packer/packer.h"

#include "fuzz.h"

static gal_status pack(const char *text, size_t size, gali_packer_options options, gali_text *out,
                       gali_packer_report *report) {
    gal_error error = {0};
    gal_status status = gali_packer_run(text, size, &options, out, report, &error);
    require(status == GAL_OK || error.message[0] != 0);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int way = 0; way < 2 * GALI_PACKER_SOFT_COUNT; way++) {
        gali_packer_options options = {(gali_packer_soft)(way / 2), 0, way % 2};
        gali_text out = {0}, again = {0};
        gali_packer_report report, second = {.blocks = 0};
        if (pack((const char *)data, size, options, &out, &report) == GAL_OK && out.size) {
            require(options.always || report.packets_after <= report.packets_before);
            require(pack(out.bytes, out.size, options, &again, &second) == GAL_OK);
            require(second.packets_before == report.packets_after && second.blocks == report.blocks);
        }
        gali_packer_report_release(&report);
        gali_packer_report_release(&second);
        gali_text_release(&out);
        gali_text_release(&again);
    }
    return 0;
}
