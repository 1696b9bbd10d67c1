/* What the packer makes of a text of Hexagon assembly: which blocks it writes anew, which stay, what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/packer/packer.h"
#include "compiler/packer/rename.h"

static gali_packer_report pack_text(const char *text, gali_packer_soft soft, int always, gali_text *out) {
    gali_packer_options options = {.soft = soft, .always = always};
    gali_packer_report report;
    gal_error error = {0};
    gal_status status = gali_packer_run(text, strlen(text), &options, out, &report, &error);
    if (status != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return report;
}

/* The chapter's example, R = A + B + C: in its own order of dependences, three packets against more. */
static void soft_dependences_save_packets(void **state) {
    static const char text[] = "f:\n"
                               "\tv1 = vmem(r0++#1)\n\tv2 = vmem(r1++#1)\n\tv5:4.h = vadd(v1.ub,v2.ub)\n"
                               "\tv3 = vmem(r2++#1)\n\tv5:4.h += vadd(v3.ub,v0.ub)\n\tvmem(r3++#1) = v4\n"
                               "\tvmem(r3++#1) = v5\n";
    (void)state;
    gali_text out[3] = {{0}};
    gali_packer_report report[3];
    for (int soft = 0; soft < 3; soft++) {
        report[soft] = pack_text(text, (gali_packer_soft)soft, 1, &out[soft]);
        assert_int_equal(report[soft].blocks, 1);
    }
    assert_int_equal(report[GALI_PACKER_SOFT_PAPER].packets_before, 7);
    assert_int_equal(report[GALI_PACKER_SOFT_PAPER].packets_after, 5);
    assert_int_equal(report[GALI_PACKER_SOFT_NONE].packets_after, 5);
    assert_int_equal(report[GALI_PACKER_SOFT_HARD].packets_after, 6);
    assert_non_null(strstr(out[0].bytes, "v3.cur = vmem(r2++#1)"));
    assert_null(strstr(out[1].bytes, ".cur"));
    for (int soft = 0; soft < 3; soft++) {
        gali_text_release(&out[soft]);
        gali_packer_report_release(&report[soft]);
    }
}

/* A store's condition and its value may both be of its packet. */
static void a_store_takes_both_its_forms(void **state) {
    static const char text[] = "f:\n\tp2 = r2\n\tr6 = add(r4,#4)\n\tif (p2) memb(r8+#0) = r6\n";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_string_equal(
        out.bytes, "f:\n\t{\n\t\tp2 = r2\n\t\tr6 = add(r4,#4)\n\t\tif (p2.new) memb(r8+#0) = r6.new\n\t}\n");
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

/* Stores to one place keep their packets, however many empty ones lie between: not only in which of 65,536 they are counts. */
static void stores_far_apart_are_not_together(void **state) {
    enum { APART = 65536 };
    static const char empty[] = "\t{\n\t}\n";
    (void)state;
    gali_text text = {0}, out = {0};
    gali_text_add(&text, "f:\n\tmemw(r0+#0) = r1\n");
    for (int i = 1; i < APART; i++) {
        gali_text_add(&text, "%s", empty);
    }
    gali_text_add(&text, "\tmemw(r0+#0) = r2\n");
    assert_false(text.failed);
    gali_packer_report report = pack_text(text.bytes, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_int_equal(report.packets_before, APART + 1);
    assert_int_equal(report.packets_after, 2);
    gali_packer_report_release(&report);
    gali_text_release(&text);
    gali_text_release(&out);
}

/* Offsets follow the steps of their base. */
static void an_access_that_moves_keeps_its_address(void **state) {
    static const char text[] = "f:\n\t{\n\t\tr1 = add(r1,#8)\n\t}\n\t{\n\t\tr2 = memw(r1+#4)\n\t}\n";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_int_equal(report.packets_after, 1);
    assert_string_equal(out.bytes, "f:\n\t{\n\t\tr1 = add(r1,#8)\n\t\tr2 = memw(r1+#12)\n\t}\n");
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

/* What is not shorter, or not known, stays byte for byte; so does what stands around. */
static void what_is_no_better_stays(void **state) {
    static const char text[] =
        "\t.text\nf: // a word\n\t{\n\t\tr1 = add(r1,r2)\n\t\tr2 = add(r4,r3)\n\t} // kept\n"
        "\t.p2align 4\n.L:\n\t{\n\t\tallocframe(#8)\n\t}\n\t{\n\t\tr1 = #1\n\t}\n\tjumpr r31";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_string_equal(out.bytes, text);
    assert_int_equal(report.left, 1);
    assert_int_equal(report.packets_before, 4);
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

/* A swap cannot be taken apart; a condition on the packet's own comparison can. */
static void a_packet_is_taken_apart_as_it_ran(void **state) {
    static const char swap[] = "f:\n\t{\n\t\tr1 = r2\n\t\tr2 = r1\n\t}\n\t{\n\t\tr3 = #1\n\t}\n";
    static const char old[] = "f:\n\t{\n\t\tr1 = #1\n\t\tmemw(r0+#0) = r1\n\t}\n\t{\n\t\tr3 = #1\n\t}\n";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(swap, GALI_PACKER_SOFT_PAPER, 1, &out);
    assert_string_equal(out.bytes, swap);
    assert_int_equal(report.left, 1);
    gali_packer_report_release(&report);
    gali_text_release(&out);
    report = pack_text(old, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_string_equal(out.bytes, "f:\n\t{\n\t\tmemw(r0+#0) = r1\n\t\tr1 = #1\n\t\tr3 = #1\n\t}\n");
    gali_packer_report_release(&report);
    gali_text_release(&out);
}

static void errors_have_their_line(void **state) {
    static const struct {
        const char *text, *message;
    } rows[] = {{"f:\n\t{\n\t\tr1 = #1\n", "line 2: a packet without its end"},
                {"\t{\n\t{\n", "line 2: a packet in the packet of line 1"},
                {"# Gallop\n\nGallop runs controllers", "line 3: no Hexagon assembly: Gallop runs controllers"},
                {"\tnop\n\tpushq %rbp\n", "line 2: no Hexagon assembly: pushq %rbp"},
                {"\t{\n\t\t- a point\n\t}\n", "line 2: no Hexagon assembly: - a point"},
                {"", "line 1: no Hexagon assembly: nothing at all"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gali_text out = {0};
        gali_packer_options options = {.always = 0};
        gali_packer_report report;
        gal_error error = {0};
        assert_int_equal(gali_packer_run(rows[i].text, strlen(rows[i].text), &options, &out, &report, &error),
                         GAL_BAD_DATA);
        assert_string_equal(error.message, rows[i].message);
        gali_text_release(&out);
        gali_packer_report_release(&report);
    }
}

/* ---- alignments ---- */

/* Two loads may share a word where they share a packet; two vectors' sums never do. */
#define LOADS "\t{\n\t\tr1 = memw(r0+#0)\n\t}\n\t{\n\t\tr2 = memw(r3+#0)\n\t}\n"
#define LOOP "\t{\n\t\tr1 = memw(r0+#0)\n\t}\n\t{\n\t\tr2 = memw(r3+#0)\n\t} :endloop0\n"
#define SUMS "\t{\n\t\tv1.w = vadd(v2.w,v3.w)\n\t}\n\t{\n\t\tv4.w = vadd(v5.w,v6.w)\n\t}\n"
#define FRAME "\t{\n\t\tallocframe(#8)\n\t}\n"
#define JUMP "\t{\n\t\tjump .Lx\n\t}\n"
#define TEST "\t{\n\t\tif (p0) jump:nt .Lx\n\t}\n"
#define ALIGNED "\t.p2align 4\n.Lb:\n" FRAME

/* A shorter block is kept where no alignment may cost more than it saves: stretch by stretch, each by its reason. */
static void alignments_are_paid_for(void **state) {
    static const struct {
        const char *text;
        uint32_t fewer, unpaid;
    } rows[] = {
        {"f:\n" LOADS ".La:\n" FRAME, 1, 0},                            /* nothing is aligned */
        {"f:\n" LOADS ".La:\n" FRAME ALIGNED, 0, 1},                    /* .La may be jumped to */
        {"f:\n" LOADS FRAME ALIGNED, 0, 0},                             /* one block, which is not known */
        {"f:\n" LOADS TEST FRAME ALIGNED, 1, 0},                        /* all that arrives was shorter */
        {"f:\n" LOADS ".La:\n" FRAME JUMP ALIGNED, 1, 0},               /* nothing arrives */
        {"f:\n" LOADS ".La:\n" FRAME TEST ALIGNED, 0, 1},               /* something may */
        {"f:\n" SUMS ".La:\n" FRAME ALIGNED, 1, 0},                     /* nothing moves */
        {"f:\n" SUMS ".La:\n" LOADS ".Lc:\n" FRAME ALIGNED, 1, 1},      /* one moves */
        {"f:\n" LOADS TEST FRAME ALIGNED "\t.p2align 5\n.Lc:\n", 0, 1}, /* paid for once, not twice */
        {"f:\n" LOADS "// %bb.1:\n" FRAME "\t.p2align 4\n", 1, 0},
        {"f:\n" LOADS "// %bb.1:\n" FRAME "\t.p2align 5\n", 0, 1}, /* one packet, and two may be lost */
        {"f:\n.Li: // Depth=2\n" LOADS ".La: // Depth=1\n" FRAME ALIGNED, 1, 0},       /* a loop in the loop */
        {"f:\n.Li: // Depth=2\n" LOADS ".La:\n.Lk: // Depth=1\n" FRAME ALIGNED, 0, 1}, /* in another loop */
        {"f:\n.Li: // Depth=2\n" LOOP ".La:\n.Lk: // Depth=1\n" FRAME ALIGNED, 1,
         0}, /* but a deeper one that turns */
        {"f:\n.Li: // Depth=1\n" LOOP ".La:\n.Lk: // Depth=2\n" FRAME ALIGNED, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gali_text out = {0};
        gali_packer_report report = pack_text(rows[i].text, GALI_PACKER_SOFT_PAPER, 0, &out);
        if (report.fewer != rows[i].fewer || report.unpaid != rows[i].unpaid) {
            fail_msg("row %u: %u shorter, %u not paid for", (unsigned)i, (unsigned)report.fewer,
                     (unsigned)report.unpaid);
        }
        assert_int_equal(report.packets_before > report.packets_after, report.fewer > 0);
        assert_int_equal(strcmp(out.bytes, rows[i].text) != 0, report.fewer > 0);
        gali_text_release(&out);
        gali_packer_report_release(&report);
    }
}

/* The assembler fills up what ends a loop: where that takes a word less than before, a nop takes it. */
static void what_follows_stays_where_it_was(void **state) {
    static const char text[] = "f:\n" SUMS "\t{\n\t\tv8.w = vadd(v9.w,v10.w)\n\t}\n"
                               "\t{\n\t\tv7.w = vadd(v1.w,v4.w)\n\t} :endloop0\n.La:\n" FRAME ALIGNED;
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_int_equal(report.fewer, 1);
    assert_int_equal(report.unpaid, 0);
    assert_non_null(strstr(out.bytes, "\t\tnop\n\t}\n"));
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

/* ---- registers ---- */

static void unused_registers_are_those_that_nobody_means(void **state) {
    static const char text[] = "\tr7 = add(r9,##r8)\n\tv17:16 = vcombine(v30,v31.new)\n.Lv20:";
    (void)state;
    gali_registers unused = gali_find_unused(text, strlen(text));
    assert_true(unused.scalar == (0x1000ffc0u & ~(1u << 7 | 1u << 8 | 1u << 9)));
    assert_true(unused.vector == (0xffff0000u & ~(3u << 16 | 3u << 30)));
}

/* A block gets registers that its function names nowhere, in blocks before it that are not known either. */
static void registers_of_blocks_before_are_used(void **state) {
    static const char text[] = "f:\n\tr6 = unheard(r6)\n.LBB0_1:\n"
                               "\tr3 = memw(r1+#0)\n\tr4 = add(r3,r3)\n\tr5 = add(r4,r4)\n"
                               "\tr3 = memw(r1+#4)\n\tr4 = add(r3,r3)\n\tr9 = add(r4,r4)\n"
                               "\tr3 = #0\n\tr4 = #0\n\tif (p0) jump:nt .LBB0_1\n\tjumpr r31\n\t.size f, 1\n";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_int_equal(report.left, 1);
    assert_non_null(strstr(out.bytes, "\t\tr7 = memw(r1+#0)\n")); /* r6 would be the first */
    assert_null(strstr(out.bytes, "\t\tr6"));
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

/* r3 is made twice and renamed where that is shorter, but not where half of a pair is read, nor where few registers can stand. */
static void some_registers_keep_their_names(void **state) {
    static const struct {
        const char *first, *second, *kept;
        uint32_t packets;
    } cases[] = {
        {"\tr4 = add(r3,r3)\n\tr5 = add(r4,r4)\n", "\tr12 = add(r3,r3)\n\tr9 = add(r12,r12)\n", "r6 = memw", 3},
        {"\tr15:14 = add(r3:2,r3:2)\n\tr5 = add(r14,r6)\n", "\tr13:12 = add(r3:2,r3:2)\n\tr9 = add(r12,r7)\n",
         "\tr3 = memw(r1+#0)", 4},
        {"\tv4.h = vasr(v1.w,v2.w,r3):sat\n\tv5.h = vadd(v4.h,v4.h)\n",
         "\tr12 = add(r3,r7)\n\tr9 = add(r12,r6)\n", "vasr(v1.w,v2.w,r3)", 3}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "f:\n\tr3 = memw(r1+#0)\n%s\tr3 = memw(r1+#4)\n%s\tr3 = #0\n\t.size f, 1\n",
                 cases[i].first, cases[i].second);
        gali_text out = {0};
        gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 1, &out);
        assert_int_equal(report.packets_after, cases[i].packets);
        assert_non_null(strstr(out.bytes, cases[i].kept));
        gali_text_release(&out);
        gali_packer_report_release(&report);
    }
}

/* A block ends where something jumps, not where a name has a jump's letters. */
static void names_do_not_jump(void **state) {
    static const char text[] =
        "f:\n\tr1 = ##vertex\n\tr2 = memw(r3+##callbacks)\n\tr4 = add(r4,#1)\n\tjumpr r31\n";
    (void)state;
    gali_text out = {0};
    gali_packer_report report = pack_text(text, GALI_PACKER_SOFT_PAPER, 0, &out);
    assert_int_equal(report.blocks, 1);
    assert_int_equal(report.packets_after, 2);
    gali_text_release(&out);
    gali_packer_report_release(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_dependences_save_packets),
        cmocka_unit_test(a_store_takes_both_its_forms),
        cmocka_unit_test(stores_far_apart_are_not_together),
        cmocka_unit_test(an_access_that_moves_keeps_its_address),
        cmocka_unit_test(what_is_no_better_stays),
        cmocka_unit_test(a_packet_is_taken_apart_as_it_ran),
        cmocka_unit_test(errors_have_their_line),
        cmocka_unit_test(alignments_are_paid_for),
        cmocka_unit_test(what_follows_stays_where_it_was),
        cmocka_unit_test(unused_registers_are_those_that_nobody_means),
        cmocka_unit_test(registers_of_blocks_before_are_used),
        cmocka_unit_test(some_registers_keep_their_names),
        cmocka_unit_test(names_do_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
