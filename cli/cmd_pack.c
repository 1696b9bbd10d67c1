/* gallop pack: packs Hexagon assembly anew, knowing soft dependencies. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "commands.h"
#include "compiler/packer/packer.h"
#include "options.h"

enum { FILE_MOST = 1 << 26 };

typedef struct pack {
    const char *path, *out, *soft;
    int always, blocks, keep_registers;
    gali_packer_options options;
    gali_packer_report report;
    gal_error error;
} pack;

static void print_blocks(const gali_packer_report *report) {
    printf("%-24s %6s %12s %7s %7s %6s\n", "block", "line", "instructions", "before", "after", "bound");
    for (uint32_t i = 0; i < report->listed; i++) {
        const gali_packer_block *it = &report->list[i];
        printf("%-24s %6u %12u %7u %7u %6u%s\n", *it->label ? it->label : "-", (unsigned)it->line,
               (unsigned)it->instructions, (unsigned)it->before, (unsigned)it->written, (unsigned)it->bound,
               it->is_loop ? "  loop" : "");
    }
}

static void print_report(const pack *self) {
    const gali_packer_report *report = &self->report;
    if (self->blocks) {
        print_blocks(report);
    }
    printf("packets %u, before %u; blocks %u: %u shorter, %u kept where they were shorter, %u kept before an "
           "alignment, %u with an instruction that is not known\n",
           (unsigned)report->packets_after, (unsigned)report->packets_before, (unsigned)report->blocks,
           (unsigned)report->fewer, (unsigned)report->kept, (unsigned)report->unpaid, (unsigned)report->left);
}

static gal_status pack_file(pack *self) {
    void *bytes;
    size_t size;
    gali_text out = {0};
    gal_status status = gali_file_read(self->path, FILE_MOST, NULL, &bytes, &size, &self->error);
    if (status == GAL_OK) {
        status = gali_packer_run(bytes, size, &self->options, &out, &self->report, &self->error);
        gali_release(NULL, bytes, size);
    }
    if (status == GAL_OK) {
        status = gali_file_write(self->out, out.bytes ? out.bytes : "", out.size, &self->error);
    }
    gali_text_release(&out);
    return status;
}

static int run(int argc, char **argv) {
    pack self = {.soft = "paper"};
    const gali_option options[] = {
        {"FILE.s", GALI_OPTION_WORD, &self.path, 1, 0},
        {"-o", GALI_OPTION_TEXT, &self.out, 0, 0},
        {"--soft", GALI_OPTION_TEXT, &self.soft, 0, 0},
        {"--always", GALI_OPTION_FLAG, &self.always, 0, 0},
        {"--blocks", GALI_OPTION_FLAG, &self.blocks, 0, 0},
        {"--keep-registers", GALI_OPTION_FLAG, &self.keep_registers, 0, 0},
    };
    int result = gali_options_read("pack", argc, argv, options, sizeof options / sizeof options[0]), soft = 0;
    if (result != GALI_EXIT_OK) {
        return result;
    }
    while (soft < GALI_PACKER_SOFT_COUNT && strcmp(self.soft, gali_packer_soft_names[soft]) != 0) {
        soft++;
    }
    if (soft == GALI_PACKER_SOFT_COUNT) {
        return gali_command_usage("pack", "--soft %.20s: paper, hard or none", self.soft);
    }
    if (!self.out) {
        return gali_command_usage("pack", "-o OUT.s is missing");
    }
    result = gali_command_spare("pack", self.out, &self.path, 1);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    self.options = (gali_packer_options){(gali_packer_soft)soft, self.keep_registers, self.always};
    const gal_status status = pack_file(&self);
    if (status == GAL_OK) {
        print_report(&self);
    } else if (status == GAL_IO) { /* says which file */
        result = gali_command_bad("pack", "%s", self.error.message);
    } else {
        result = gali_command_bad("pack", "%s: %s", self.path, self.error.message);
    }
    gali_packer_report_release(&self.report);
    return result;
}

const gali_command gali_command_pack = {
    .name = "pack",
    .summary = "pack Hexagon assembly anew, knowing soft dependencies",
    .help =
        "usage: gallop pack FILE.s -o OUT.s [options]\n"
        "\n"
        "Takes the assembly that clang -S wrote for Hexagon v66 with HVX vectors of 128 bytes, packs each "
        "block\n"
        "of packets anew, and writes it where that takes fewer packets, also with what aligns the code after "
        "it;\n"
        "all else stays as it is.\n"
        "\n"
        "  -o OUT.s         what is written\n"
        "  --soft WHICH     what soft dependencies are: paper (default: allowed in one packet, at a penalty),\n"
        "                   hard (never in one packet) or none (allowed, and not seen by the score)\n"
        "  --keep-registers rename no register\n"
        "  --always         write our packing even where it is no shorter, for comparisons\n"
        "  --blocks         a line for each block: its packets before and after, and what they cannot go "
        "below\n",
    .run = run,
};
