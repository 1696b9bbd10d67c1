/*
 * The packer's instructions, dependences, packets and registers, and, with llvm-mc as the judge, that random packets are refused
 * and taken as it does and that random blocks come out as packets that it takes. What becomes of a text: test_packer_text.c.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/packer/pack.h"
#include "compiler/packer/rename.h"

#define ASSEMBLE                                                                                               \
    "llvm-mc-19 -triple=hexagon -mcpu=hexagonv66 -mattr=+hvxv66,+hvx-length128b -filetype=obj -o /dev/null"

enum { BLOCK = 24, ROUNDS = 300, PACKETS = 3000 };

static const char *const samples[] = {
#define PACKER_OPERATION(word, form, unit, sample) sample,
#include "compiler/packer/operations.def"
#undef PACKER_OPERATION
};

static const gali_packer_unit sample_units[] = {
#define PACKER_OPERATION(word, form, unit, sample) GALI_PACKER_##unit,
#include "compiler/packer/operations.def"
#undef PACKER_OPERATION
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

static uint32_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

static gali_instruction instruction_of(const char *text) {
    gali_instruction made;
    if (!gali_instruction_read(text, strlen(text), &made)) {
        fail_msg("not known: %s", text);
    }
    return made;
}

/* ---- instructions ---- */

static void every_sample_is_of_its_row(void **state) {
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        gali_instruction made = instruction_of(samples[i]);
        if (made.unit != sample_units[i]) {
            fail_msg("%s is of another unit", samples[i]);
        }
        assert_string_equal(made.text, samples[i]);
    }
}

static void registers_are_read_off_the_text(void **state) {
    (void)state;
    gali_instruction it = instruction_of("v3:2.h += vmpy(v4.ub,r11.b)");
    assert_true(it.writes.vector == 0xc && it.reads.vector == (0x10 | 0xc) && it.reads.scalar == 1 << 11 &&
                it.is_pair);
    it = instruction_of("v4.cur = vmem(r11++#-2)");
    assert_string_equal(it.text, "v4 = vmem(r11++#-2)");
    assert_true(it.is_current && it.is_load && it.writes.vector == 0x10 && it.writes.scalar == 1 << 11);
    assert_true(it.step_register == 11 && it.step == -256 && it.address == GALI_PACKER_ADDRESS_AFTER);
    it = instruction_of("if (!p2.new) r1 = memw(r29+#-8)");
    assert_true(it.predicate == 2 && it.reads.scalar == ((uint64_t)1 << 34 | 1 << 29 | 2) && it.offset == -8);
    assert_true(it.new_reads.scalar == (uint64_t)1 << 34 && it.is_conditional);
    it = instruction_of("memw(r5+#4) = r7.new");
    assert_true(it.is_store && it.value == 7 && it.reads.scalar == (1 << 5 | 1 << 7) && it.writes.scalar == 0);
    it = instruction_of("r28 = and(r28,##536870908)");
    assert_true(it.words == 2 && it.step_register == GALI_PACKER_NO_REGISTER);
    it = instruction_of("r15 = add(r15,#1024)");
    assert_true(it.step_register == 15 && it.step == 1024);
    it = instruction_of("p0 = cmp.gt(r4,#0); if (!p0.new) jump:nt .LBB0_1");
    assert_true(it.is_jump && it.writes.scalar == (uint64_t)1 << 32 && strchr(it.text, ';'));
    it = instruction_of("r3.h = #7");
    assert_true(it.reads.scalar == 8);
}

static void what_is_not_known_is_said(void **state) {
    static const char *const texts[] = {"",
                                        "allocframe(#8)",
                                        "r31:30 = dealloc_return(r30):raw",
                                        "vshuff(v1,v0,r2)",
                                        "v1.tmp = vmem(r0)",
                                        "memw(r0+#0) += r1",
                                        "if (cmp.eq(r1.new,#0)) jump:nt .L",
                                        "r1 = insert(r2,#1,#1)",
                                        "v1:0.w,q0 = vadd(v1.w,v2.w,q0):carry",
                                        "r1 = memw(r2=##x)",
                                        "r1 = add(r2",
                                        "if (p0",
                                        "vmem(",
                                        "vmem({3++#1) = v5",
                                        "r99 = #1",
                                        "= r1"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        gali_instruction made;
        if (gali_instruction_read(texts[i], strlen(texts[i]), &made)) {
            fail_msg("known: %s", texts[i]);
        }
    }
}

/* A comparison that jumps, and the same cut before its jump: what follows in the file is another's. */
static void what_stands_behind_an_instruction_is_not_its(void **state) {
    static const char text[] = "p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .L";
    const size_t cut = (size_t)(strstr(text, " jump") - text);
    gali_instruction made;
    (void)state;
    assert_true(gali_instruction_read(text, sizeof text - 1, &made));
    assert_true(made.is_jump);
    assert_false(gali_instruction_read(text, cut, &made));
}

/* ---- packets ---- */

/* The sample with r, v, p and q moved on, so that no two of a packet write the same. Some vectors' operations take r0 to r7
 * alone: theirs, which they read, stay. */
static void sample_apart(int sample, uint32_t by, char text[80]) {
    const char *at = samples[sample];
    char *to = text;
    const gali_packer_unit unit = sample_units[sample];
    const int keeps = unit >= GALI_PACKER_vector_alu && unit <= GALI_PACKER_vector_shift_permute;
    while (*at) {
        const int begins = at == samples[sample] || strchr(" (,:", at[-1]);
        const char letter = *at;
        *to++ = *at++;
        if (begins && strchr(keeps ? "vpq" : "rvpq", letter) && *at >= '0' && *at <= '9' &&
            strcmp(at, "31") != 0) {
            unsigned number = (unsigned)(*at++ - '0');
            number = letter == 'p' || letter == 'q' ? (number + by) % 4 : number + 6 * by;
            to += sprintf(to, "%u", number);
            if (*at == ':') {
                to += sprintf(to, ":%u", (unsigned)(at[1] - '0') + 6 * by);
                at += 2;
            }
        }
    }
    *to = 0;
}

/* Runs llvm-mc on a file; refused[line], from 1, of `lines`. Returns 0 where there is no llvm-mc. */
static int ask_judge(const char *path, unsigned char *refused, int lines) {
    char command[300], answer[600];
    memset(refused, 0, (size_t)lines + 1);
    if (system("command -v llvm-mc-19 >/dev/null") != 0) {
        return 0;
    }
    snprintf(command, sizeof command, ASSEMBLE " %s 2>&1", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(answer, sizeof answer, pipe)) {
        int line = 0;
        const char *place = strncmp(answer, path, strlen(path)) == 0 ? answer + strlen(path) : "";
        if (sscanf(place, ":%d:", &line) == 1 && line >= 1 && line <= lines && strstr(place, "error")) {
            refused[line] = 1;
        } else if (strstr(answer, "error")) {
            fail_msg("%s", answer);
        }
    }
    pclose(pipe);
    return 1;
}

/* A random packet as a line of text; returns whether we hold it to be one, or -1 where it says nothing. */
static int random_packet(FILE *file, char line[400]) {
    gali_instruction made[4];
    gali_packet_entry entries[4];
    const uint32_t count = 1 + draw(4);
    uint32_t control = 0;
    char *to = line + sprintf(line, "{ ");
    for (uint32_t i = 0; i < count; i++) {
        char text[80];
        sample_apart((int)draw(SAMPLES), i, text);
        made[i] = instruction_of(text);
        entries[i] = (gali_packet_entry){.instruction = &made[i]};
        control += made[i].is_jump || made[i].unit == GALI_PACKER_loop;
        to += sprintf(to, "%s%s", i ? "; " : "", text);
    }
    sprintf(to, " }\n");
    fputs(control > 1 ? "\n" : line, file);
    return control > 1 ? -1 : gali_packet_holds(entries, count);
}

static void packets_are_those_that_the_assembler_takes(void **state) {
    static unsigned char refused[PACKETS + 2];
    static signed char held[PACKETS + 2];
    static char lines[PACKETS + 2][400];
    char path[64];
    uint32_t stricter = 0;
    (void)state;
    snprintf(path, sizeof path, "packer_packets_%d.s", (int)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(".L: f:\n", file);
    for (int i = 2; i < PACKETS + 2; i++) {
        held[i] = (signed char)random_packet(file, lines[i]);
    }
    fclose(file);
    const int asked = ask_judge(path, refused, PACKETS + 1);
    unlink(path);
    for (int i = 2; i < PACKETS + 2 && asked; i++) {
        if (held[i] == 1 && refused[i]) {
            fail_msg("refused by the assembler: %s", lines[i]);
        }
        stricter += held[i] == 0 && !refused[i];
    }
    assert_in_range(stricter, 0, PACKETS / 50);
}

/* ---- dependences ---- */

typedef struct scene {
    gali_instruction made[BLOCK];
    const gali_instruction *list[BLOCK];
    uint32_t count;
    gali_block_graph graph;
    gali_arena arena;
} scene;

static void scene_add(scene *self, const char *text) {
    self->made[self->count] = instruction_of(text);
    self->made[self->count].found_at = (uint16_t)(BLOCK - self->count);
    self->list[self->count] = &self->made[self->count];
    self->count++;
}

static void scene_graph(scene *self, gali_packer_soft soft) {
    assert_true(gali_block_graph_make(&self->graph, self->list, self->count, soft, &self->arena));
}

/* The dependence of b on a, as the only two instructions. */
static gali_dependence between(const char *a, const char *b, gali_packer_soft soft) {
    scene *self = calloc(1, sizeof *self);
    scene_add(self, a);
    scene_add(self, b);
    scene_graph(self, soft);
    const gali_dependence found = gali_block_edge(&self->graph, 0, 1);
    gali_arena_release(&self->arena);
    free(self);
    return found;
}

static void dependences_are_hard_or_soft(void **state) {
    static const struct {
        const char *a, *b;
        gali_dependence found;
    } rows[] = {
        {"v4 = vmem(r1+#0)", "v0.w += vrmpy(v4.ub,r2.b)", GALI_DEPENDENCE_CURRENT},
        {"v4 = vmem(r1++#1)", "v0.w += vrmpy(v4.ub,r1.b)", GALI_DEPENDENCE_HARD},
        {"v4 = vmemu(r1+#0)", "v0 = vnot(v4)", GALI_DEPENDENCE_HARD},
        {"if (p0) v4 = vmem(r1+#0)", "v0 = vnot(v4)", GALI_DEPENDENCE_HARD},
        {"v4.w = vadd(v1.w,v2.w)", "v0 = vnot(v4)", GALI_DEPENDENCE_HARD},
        {"v4.w = vadd(v1.w,v2.w)", "vmem(r1+#0) = v4", GALI_DEPENDENCE_NEW_VALUE},
        {"v5:4.w = vadd(v1:0.w,v3:2.w)", "vmem(r1+#0) = v4", GALI_DEPENDENCE_HARD},
        {"v4 = vmem(r1+#0)", "vmem(r1+#1) = v4", GALI_DEPENDENCE_HARD},
        {"r4 = add(r1,r2)", "memw(r3+#0) = r4", GALI_DEPENDENCE_NEW_VALUE},
        {"r4 = add(r1,r2)", "memw(r4+#0) = r4", GALI_DEPENDENCE_HARD},
        {"r4 = memw(r1++#4)", "memw(r3+#0) = r4", GALI_DEPENDENCE_NEW_VALUE},
        {"r4 = memw(r1++#4)", "memw(r3+#0) = r1", GALI_DEPENDENCE_HARD},
        {"r5:4 = combine(r1,r2)", "memw(r3+#0) = r4", GALI_DEPENDENCE_HARD},
        {"p0 = cmp.gt(r1,r2)", "if (!p0) jump:nt .L", GALI_DEPENDENCE_NEW_TEST},
        {"p0 = cmp.gt(r1,r2)", "if (p0) r3 = add(r4,r5)", GALI_DEPENDENCE_NEW_TEST},
        {"p0 = cmp.gt(r1,r2)", "r3 = mux(p0,r4,r5)", GALI_DEPENDENCE_HARD},
        {"p0 = cmp.gt(r1,r2)", "if (p0) v1 = vmem(r3+#0)", GALI_DEPENDENCE_HARD},
        {"r4 = add(r1,r2)", "r1 = add(r2,r3)", GALI_DEPENDENCE_BEFORE},
        {"r4 = add(r1,r2)", "r5 = add(r2,r3)", GALI_DEPENDENCE_NONE},
        {"r4 = add(r1,r2)", "r4 = add(r2,r3)", GALI_DEPENDENCE_HARD},
        {"r4 = add(r1,r2)", "r5 = add(r4,r3)", GALI_DEPENDENCE_HARD},
        {"r4 = add(r1,r2)", "jump .L", GALI_DEPENDENCE_END},
        {"p0 = r1", "if (p0) jump:nt .L", GALI_DEPENDENCE_NEW_TEST},
        {"p0 = and(p1,p2)", "if (p0) jump:nt .L", GALI_DEPENDENCE_HARD},
        {"memw(r1+#0) = r2", "r3 = memw(r4+#0)", GALI_DEPENDENCE_HARD},
        {"memw(r1+#0) = r2", "r3 = memw(r1+#4)", GALI_DEPENDENCE_NONE},
        {"memw(r1+#0) = r2", "r3 = memw(r1+#2)", GALI_DEPENDENCE_HARD},
        {"r3 = memw(r4+#0)", "memw(r1+#0) = r2", GALI_DEPENDENCE_BEFORE},
        {"vmem(r1+#0) = v2", "v3 = vmem(r1+#1)", GALI_DEPENDENCE_NONE},
        {"memb(r1+#-1) = r2", "v3 = vmem(r1+#0)", GALI_DEPENDENCE_HARD},
        {"vmemu(r1+#0) = v2", "v3 = vmem(r1+#1)", GALI_DEPENDENCE_HARD}, /* r1 64: 64..191 and 128..255 */
        {"vmem(r1+#1) = v2", "v3 = vmemu(r1+#0)", GALI_DEPENDENCE_HARD},
        {"vmem(r1+#2) = v2", "v3 = vmemu(r1+#0)", GALI_DEPENDENCE_NONE},
        {"vmem(r1+#0) = v2", "v3 = vmemu(r1+#1)", GALI_DEPENDENCE_NONE},
        {"vmemu(r1+#0) = v2", "v3 = vmemu(r1+#1)", GALI_DEPENDENCE_NONE},
        {"r1 = add(r1,#4)", "r2 = memw(r1+#0)", GALI_DEPENDENCE_NONE},
        {"r2 = memw(r1+#0)", "r1 = add(r1,#4)", GALI_DEPENDENCE_NONE},
        {"r1 = add(r1,#2)", "r2 = memw(r1+#0)", GALI_DEPENDENCE_HARD},
        {"r1 = add(r1,#128)", "v2 = vmem(r1+#7)", GALI_DEPENDENCE_HARD},
        {"r1 = add(r1,#4)", "memw(r1+#0) = r1", GALI_DEPENDENCE_HARD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const gali_dependence found = between(rows[i].a, rows[i].b, GALI_PACKER_SOFT_PAPER);
        if (found != rows[i].found) {
            fail_msg("%s, %s: %d, expected %d", rows[i].a, rows[i].b, (int)found, (int)rows[i].found);
        }
        const gali_dependence hard = between(rows[i].a, rows[i].b, GALI_PACKER_SOFT_HARD);
        const int is_soft = found > GALI_DEPENDENCE_END && found < GALI_DEPENDENCE_HARD;
        assert_true(!is_soft || hard == GALI_DEPENDENCE_HARD);
    }
}

/* Equation 4.4 as it stands: with no predecessors and one latency, the penalty alone decides. */
static void a_penalty_makes_a_soft_one_wait(void **state) {
    (void)state;
    scene *self = calloc(1, sizeof *self);
    gali_packing packing;
    scene_add(self, "v4 = vmem(r1+#0)");
    scene_add(self, "v5 = vmem(r2+#0)");
    scene_add(self, "v0.w += vrmpy(v5.ub,r2.b)");
    scene_graph(self, GALI_PACKER_SOFT_PAPER);
    assert_true(gali_pack(&self->graph, 0.5, 1, &packing, &self->arena));
    assert_true(packing.packet[2] == 0 && packing.packet[0] == 0 && packing.packet[1] == 1);
    assert_true(gali_pack(&self->graph, 0.5, 0, &packing, &self->arena));
    assert_true(packing.packet[2] == 0 && packing.packet[1] == 0 && packing.packet[0] == 1);
    assert_int_equal(packing.forms[1], GALI_PACKER_FORM_CURRENT);
    gali_arena_release(&self->arena);
    free(self);
}

static void results_of_a_block_get_registers_of_their_own(void **state) {
    static const char *const rows[][2] = {
        {"v4 = vmem(r1+#0)", "v18 = vmem(r1+#0)"},
        {"v5:4.uh = vzxt(v4.ub)", "v21:20.uh = vzxt(v18.ub)"},
        {"v0.w = vadd(v4.w,v5.w)", "v0.w = vadd(v20.w,v21.w)"},
        {"v3:2.w = vadd(v5:4.w,v5:4.w)", "v3:2.w = vadd(v21:20.w,v21:20.w)"},
        {"r6 = memw(r2++#4)", "r28 = memw(r2++#4)"},
        {"v5:4.uh = vzxt(v0.ub)", "v5:4.uh = vzxt(v0.ub)"},
        {"v0.w += vrmpy(v4.ub,r6.b)", "v0.w += vrmpy(v4.ub,r28.b)"},
        {"r6 = memw(r2++#4)", "r6 = memw(r2++#4)"},
        {"r7 = add(r6,r6)", "r7 = add(r6,r6)"},
    };
    (void)state;
    scene *self = calloc(1, sizeof *self);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        scene_add(self, rows[i][0]);
    }
    const gali_registers unused = {1u << 28, 0xfu << 18};
    assert_true(gali_rename(self->list, self->count, unused, &self->arena));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(self->list[i]->text, rows[i][1]);
    }
    gali_arena_release(&self->arena);
    free(self);
}

/* What has its register in its text by rule, leaves the block, or is made in halves, keeps it. */
static void other_results_keep_their_registers(void **state) {
    static const char *const blocks[][4] = {
        {"r6 += add(r1,r2)", "r6 = add(#4,asl(r6,#2))", "r7 = r6", "r6 = #1"},
        {"r6 = memw(r1+#0)", "v1 = valign(v2,v3,r6)", "r6 = add(r6,#4)", "r6 = add(r6,#4)"},
        {"if (p0) r6 = #1", "r7 = r6", "if (!p0) r6 = #2", "r9 = r6"},
        {"v1:0 = vcombine(v2,v3)", "v0 = vnot(v4)", "v6 = vnot(v1)", "v9:8.w = vadd(v1:0.w,v3:2.w)"},
        {"r6 = #1", "memw(r6++#4) = r7", "r6 += add(r1,r2)", "jumpr r6"},
    };
    (void)state;
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        scene *self = calloc(1, sizeof *self);
        for (int i = 0; i < 4; i++) {
            scene_add(self, blocks[b][i]);
        }
        const gali_registers unused = {0x1000ff00u, 0xffff0000u};
        assert_true(gali_rename(self->list, self->count, unused, &self->arena));
        for (int i = 0; i < 4; i++) {
            assert_string_equal(self->list[i]->text, blocks[b][i]);
        }
        gali_arena_release(&self->arena);
        free(self);
    }
}

/* ---- random blocks ---- */

/* A sample with registers drawn from a few, so that many meet; not one whose result has to be its operand. */
static void random_instruction(char text[80]) {
    int sample = (int)draw(SAMPLES);
    while (strstr(samples[sample], "or(#") || sample_units[sample] == GALI_PACKER_jump ||
           sample_units[sample] == GALI_PACKER_jump_register || sample_units[sample] == GALI_PACKER_loop) {
        sample = (int)draw(SAMPLES);
    }
    const char *at = samples[sample];
    char *to = text;
    while (*at) {
        const int begins = at == samples[sample] || strchr(" (,:", at[-1]);
        const char letter = *at;
        *to++ = *at++;
        if (begins && strchr("rvpq", letter) && *at >= '0' && *at <= '9') {
            unsigned number = draw(letter == 'r' || letter == 'v' ? 8 : 4);
            if (at[1] == ':') {
                to += sprintf(to, "%u:%u", number | 1, (number | 1) - 1);
                at += 3;
            } else {
                to += sprintf(to, "%u", number);
                at++;
            }
        }
    }
    *to = 0;
}

/* Each dependence between different packets in its direction, the hard ones never within one. */
static void check_packing(const scene *self, const gali_packing *packing) {
    for (uint32_t j = 0; j < self->count; j++) {
        assert_in_range(packing->packet[j], 0, packing->packets - 1);
        for (uint32_t i = 0; i < j; i++) {
            const gali_dependence edge = gali_block_edge(&self->graph, i, j);
            assert_true(edge == GALI_DEPENDENCE_NONE || packing->packet[i] >= packing->packet[j]);
            assert_true(edge != GALI_DEPENDENCE_HARD || packing->packet[i] > packing->packet[j]);
        }
    }
}

static void write_packing(FILE *file, const scene *self, const gali_packing *packing, int *line,
                          char text[][600]) {
    for (uint32_t p = packing->packets; p-- > 0;) {
        gali_text words = {0};
        const char *between_two = "";
        for (uint32_t i = 0; i < self->count; i++) {
            if (packing->packet[i] == p) {
                gali_text_add(&words, "%s", between_two);
                gali_packing_text(&self->graph, packing, i, &words);
                between_two = "; ";
            }
        }
        fprintf(file, "{ %s }\n", words.bytes);
        snprintf(text[++*line], 600, "%s", words.bytes);
        gali_text_release(&words);
    }
}

static void random_blocks_keep_their_dependences(void **state) {
    static unsigned char refused[ROUNDS * BLOCK + 1];
    static char text[ROUNDS * BLOCK + 1][600];
    char path[64];
    int lines = 0;
    (void)state;
    snprintf(path, sizeof path, "packer_blocks_%d.s", (int)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int round = 0; round < ROUNDS; round++) {
        scene *self = calloc(1, sizeof *self);
        gali_packing packing;
        uint32_t bound;
        for (uint32_t count = 1 + draw(BLOCK); self->count < count;) {
            char one[80];
            random_instruction(one);
            const gali_instruction made = instruction_of(one);
            const int is_twice = made.is_load && made.step_register >= 0 && !made.is_vector &&
                                 made.writes.scalar == (uint64_t)1 << made.step_register;
            if (!is_twice) { /* r1 = memw(r1++#4) writes r1 twice */
                scene_add(self, one);
            }
        }
        scene_graph(self, (gali_packer_soft)(round % 3));
        assert_true(gali_pack(&self->graph, 0.1 * (round % 11), round % 3, &packing, &self->arena));
        assert_true(gali_pack_bound(&self->graph, &self->arena, &bound));
        assert_in_range(packing.packets, bound, self->count);
        check_packing(self, &packing);
        write_packing(file, self, &packing, &lines, text);
        gali_arena_release(&self->arena);
        free(self);
    }
    fclose(file);
    const int asked = ask_judge(path, refused, lines);
    unlink(path);
    for (int i = 1; i <= lines && asked; i++) {
        if (refused[i]) {
            fail_msg("refused by the assembler: %s", text[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_of_its_row),
        cmocka_unit_test(registers_are_read_off_the_text),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(what_stands_behind_an_instruction_is_not_its),
        cmocka_unit_test(packets_are_those_that_the_assembler_takes),
        cmocka_unit_test(dependences_are_hard_or_soft),
        cmocka_unit_test(a_penalty_makes_a_soft_one_wait),
        cmocka_unit_test(results_of_a_block_get_registers_of_their_own),
        cmocka_unit_test(other_results_keep_their_registers),
        cmocka_unit_test(random_blocks_keep_their_dependences),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!failed && system("command -v llvm-mc-19 >/dev/null") != 0) {
        print_message("skipped: no llvm-mc-19 to judge packets\n");
        return 77;
    }
    return failed;
}
