#include "precision_option.h"

#include <string.h>

#include "commands.h"

static int read_name(const char *name, gal_precision *precision) {
    for (int i = 0; i < GAL_PRECISION_COUNT; i++) {
        if (strcmp(name, gal_precision_name((gal_precision)i)) == 0) {
            *precision = (gal_precision)i;
            return 1;
        }
    }
    return 0;
}

int gali_precision_option_read(const gali_precision_option *option, const char *command,
                               gal_network_desc *desc) {
    double block = 0;
    if (option->name && !read_name(option->name, &desc->precision)) {
        return gali_command_usage(
            command, "--precision %s: stored, f32, fp16, bf16, bf16-dot, int16, int8 or int8-dot expected",
            option->name);
    }
    if (!option->block) {
        return GALI_EXIT_OK;
    }
    if (!gali_precision_has_integers(desc->precision)) {
        return gali_command_usage(command, "--block is for --precision int16, int8 and int8-dot alone");
    }
    const int bytes = gali_precision_has_bytes(desc->precision);
    if (strcmp(option->block, "row") == 0 && bytes) {
        desc->block = GAL_BLOCK_ROW;
        return GALI_EXIT_OK;
    }
    const uint32_t whole =
        gali_options_number(option->block, &block) && block >= 1 && block <= 65536 ? (uint32_t)block : 0;
    if (!gali_precision_block_fits(whole) || (double)whole != block) {
        return gali_command_usage(command, "--block %s: %sa multiple of %d up to %d expected", option->block,
                                  bytes ? "`row` or " : "", GALI_BLOCK_LEAST, GALI_BLOCK_MOST);
    }
    desc->block = whole;
    return GALI_EXIT_OK;
}
