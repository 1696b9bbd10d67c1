/* docs/cli.md names every command and every option that a command's help names (those of import stand in docs/import.md). */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"

static char page[1 << 16];

static const gali_command *const commands[] = {
    &gali_command_check,    &gali_command_demo,     &gali_command_drive,  &gali_command_eval,
    &gali_command_export,   &gali_command_info,     &gali_command_judge,  &gali_command_compile,
    &gali_command_tune,     &gali_command_inspect,  &gali_command_run,    &gali_command_probe,
    &gali_command_quantize, &gali_command_simulate, &gali_command_replay,
};

static int setup(void **state) {
    (void)state;
    FILE *file = fopen(GALLOP_SOURCE_DIR "/docs/cli.md", "rb");
    if (!file) {
        return -1;
    }
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    return 0;
}

static void names_every_option(void **state) {
    (void)state;
    char option[64];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        snprintf(option, sizeof option, "`gallop %s ", commands[i]->name);
        assert_non_null(strstr(page, option));
        for (const char *at = strstr(commands[i]->help, "--"); at; at = strstr(at + 2, "--")) {
            size_t length = 2;
            while (islower((unsigned char)at[length]) || at[length] == '-') {
                length++;
            }
            snprintf(option, sizeof option, "%.*s", (int)length, at);
            if (length > 2 && !strstr(page, option)) {
                fail_msg("gallop %s: %s is not in docs/cli.md", commands[i]->name, option);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_every_option)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
