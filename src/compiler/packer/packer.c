/* A text of assembly: blocks of packets are found, taken apart, packed, and written where that is shorter. */
#include "compiler/packer/packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/packer/changes.h"
#include "compiler/packer/pack.h"
#include "compiler/packer/rename.h"
#include "compiler/packer/words.h"

enum { PACKET_READ_MAX = 8, SUFFIX_MAX = 40, LINE_MAX_BYTES = 1 << 24 /* clang writes an array as one line */ };

const char *const gali_packer_soft_names[GALI_PACKER_SOFT_COUNT] = {"paper", "hard", "none"};

/* The packets between a label, or a jump, and the next. */
typedef struct block {
    const char *begin, *end; /* its text */
    uint32_t line, packets, count;
    int is_known, leaves;    /* leaves: ends with a jump that has no condition */
    char suffix[SUFFIX_MAX]; /* of its last packet: ":endloop0" */
    gali_instruction *list[GALI_BLOCK_MAX];
} block;

typedef struct run {
    const gali_packer_options *options;
    gali_packer_report *report;
    gal_error *error;
    const char *at, *end;
    uint32_t line;
    char label[48];
    const char
        *function_end;     /* of the function that was looked through last; the text's begin before the first */
    gali_registers unused; /* by that function */
    gali_arena arena;      /* of one block */
    gali_changes changes;
    block now;
} run;

/* ---- a packet ---- */

typedef struct packet {
    gali_instruction *list[PACKET_READ_MAX];
    uint32_t count;
    int is_known, ends, leaves; /* ends: the block, by a jump; leaves: by one that has no condition */
} packet;

/* Whether, one after the other, a must come before b: b takes its value from a here, a its own from before b. */
static int comes_before(const gali_instruction *a, const gali_instruction *b) {
    const gali_registers shared = {a->writes.scalar & b->reads.scalar, a->writes.vector & b->reads.vector};
    const gali_registers current = {0, a->is_current ? a->writes.vector : 0};
    const gali_registers other = {b->writes.scalar & a->reads.scalar, b->writes.vector & a->reads.vector};
    const gali_registers other_current = {0, b->is_current ? b->writes.vector : 0};
    const gali_registers taken = {shared.scalar & b->new_reads.scalar,
                                  shared.vector & (b->new_reads.vector | current.vector)};
    const gali_registers kept = {other.scalar & ~a->new_reads.scalar,
                                 other.vector & ~(a->new_reads.vector | other_current.vector)};
    return (taken.scalar | taken.vector | kept.scalar | kept.vector) || (a->is_load && b->is_store) ||
           (!a->is_jump && b->is_jump);
}

/* Puts a packet's instructions into an order in which they could run one by one. Returns 0 where there is none. */
static int put_in_order(packet *self) {
    gali_instruction *ordered[PACKET_READ_MAX];
    int is_done[PACKET_READ_MAX] = {0};
    for (uint32_t n = 0; n < self->count; n++) {
        uint32_t next = 0;
        for (int is_first = 0; next < self->count && !is_first; next += !is_first) {
            is_first = !is_done[next];
            for (uint32_t k = 0; k < self->count && is_first; k++) {
                is_first = k == next || is_done[k] || !comes_before(self->list[k], self->list[next]);
            }
        }
        if (next == self->count) {
            return 0;
        }
        is_done[next] = 1;
        ordered[n] = self->list[next];
    }
    memcpy(self->list, ordered, sizeof ordered);
    return 1;
}

/* Whether a word that jumps is in a text that is not known: also in a name, which may end a block too early. */
static int is_jump_word(const char *text, size_t size) {
    for (size_t i = 0; i + 4 <= size; i++) {
        if (memcmp(text + i, "jump", 4) == 0 || memcmp(text + i, "call", 4) == 0 ||
            memcmp(text + i, "retu", 4) == 0 || memcmp(text + i, "rte", 3) == 0 ||
            memcmp(text + i, "trap", 4) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a text may be an instruction, known or not: it gives something a value, calls, or is one small word. */
static int may_be_instruction(const char *text, size_t size) {
    size_t word = 0;
    while (word < size && ((text[word] >= 'a' && text[word] <= 'z') || strchr("0123456789_:.", text[word]))) {
        word++;
    }
    return word && (word == size || memchr(text, '=', size) || memchr(text, '(', size) ||
                    (word >= 4 && is_jump_word(text, word)));
}

static gal_status refuse(const run *self, const char *text, size_t size) {
    return gali_fail(self->error, GAL_BAD_DATA, "line %u: no Hexagon assembly: %.*s", (unsigned)self->line,
                     size < 40 ? (int)size : 40, text);
}

static gal_status add_instruction(run *self, packet *to, const char *text, size_t size) {
    if (size == 3 && memcmp(text, "nop", 3) == 0) {
        return GAL_OK;
    }
    if (!may_be_instruction(text, size)) {
        return refuse(self, text, size);
    }
    gali_instruction *made = gali_arena_take(&self->arena, sizeof *made);
    if (!made) {
        return gali_fail(self->error, GAL_NO_MEMORY, "no memory");
    }
    const int is_known = gali_instruction_read(text, size, made);
    to->is_known &= is_known && to->count < PACKET_READ_MAX;
    to->ends |= is_known ? made->is_jump : is_jump_word(text, size);
    to->leaves |= size > 4 && memcmp(text, "jump", 4) == 0;
    to->leaves |= size > 22 && memcmp(text, "r31:30 = dealloc_return", 23) == 0;
    if (to->count < PACKET_READ_MAX) {
        to->list[to->count++] = made;
    }
    return GAL_OK;
}

/* ---- lines ---- */

typedef struct line_text {
    const char *text; /* without blanks around it and comment */
    size_t size;
    const char *next; /* line */
    uint32_t depth;   /* of loops, that clang's comment names; 0 where it names none */
} line_text;

/* The last "Depth=" of a line's comment. */
static uint32_t read_depth(const char *comment, const char *end) {
    static const char word[] = "Depth=";
    const size_t size = sizeof word - 1;
    uint32_t depth = 0;
    for (const char *at = comment; (size_t)(end - at) > size; at++) {
        const int is_here = memcmp(at, word, size) == 0 && at[size] >= '0' && at[size] <= '9';
        depth = is_here ? (uint32_t)(at[size] - '0') : depth;
    }
    return depth;
}

static gal_status read_line(run *self, line_text *line) {
    const char *newline = memchr(self->at, '\n', (size_t)(self->end - self->at));
    const char *begin = self->at, *end = newline ? newline : self->end;
    line->next = newline ? newline + 1 : self->end;
    self->line++;
    if (end - begin > LINE_MAX_BYTES) {
        return gali_fail(self->error, GAL_BAD_DATA, "line %u: longer than %d bytes", (unsigned)self->line,
                         LINE_MAX_BYTES);
    }
    line->depth = 0;
    for (const char *p = begin; p + 1 < end; p++) {
        if (p[0] == '/' && p[1] == '/') {
            line->depth = read_depth(p, end);
            end = p;
        }
    }
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (begin < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    line->text = begin;
    line->size = (size_t)(end - begin);
    return GAL_OK;
}

/* ---- a block ---- */

static gali_packer_block *report_block(run *self, const block *now) {
    gali_packer_report *report = self->report;
    if (report->listed == report->room) {
        const uint32_t room = report->room ? 2 * report->room : 64;
        gali_packer_block *larger = realloc(report->list, room * sizeof *larger);
        if (!larger) {
            return NULL;
        }
        report->list = larger;
        report->room = room;
    }
    gali_packer_block *made = &report->list[report->listed++];
    *made = (gali_packer_block){.line = now->line, .instructions = now->count, .before = now->packets};
    memcpy(made->label, self->label, sizeof made->label);
    made->is_loop = strncmp(now->suffix, ":endloop0", 9) == 0;
    return made;
}

/* nops: to put where there is room for them, so that what follows stays where it was. Returns how many had none. */
static int32_t write_packets(run *self, const gali_block_graph *graph, const gali_packing *packing,
                             int32_t nops) {
    gali_text *out = &self->changes.text;
    for (uint32_t p = packing->packets; p-- > 0;) {
        gali_text_add(out, "\t{\n");
        for (uint32_t i = 0; i < graph->count; i++) {
            if (packing->packet[i] == p) {
                gali_text_add(out, "\t\t");
                gali_packing_text(graph, packing, i, out);
                gali_text_add(out, "\n");
            }
        }
        for (int32_t n = gali_packet_room(graph, packing, p); p && n > 0 && nops > 0; n--, nops--) {
            gali_text_add(out, "\t\tnop\n");
        }
        gali_text_add(out, "\t}%s%s\n", !p && *self->now.suffix ? " " : "", !p ? self->now.suffix : "");
    }
    return nops;
}

/* The block as it is packed, as a change that is written at the end; 0 where memory ran out. */
static int add_change(run *self, const gali_block_graph *graph, const gali_packing *packing) {
    const block *now = &self->now;
    const int32_t ends = !*now->suffix ? 0 : strcmp(now->suffix, ":endloop0") == 0 ? 2 : 3;
    const int32_t before = gali_count_words(graph, NULL, now->packets, ends);
    const int32_t after = gali_count_words(graph, packing, packing->packets, ends);
    const int is_sure = before >= 0 && after >= 0;
    const size_t begin = self->changes.text.size;
    const int32_t left = write_packets(self, graph, packing, is_sure && before > after ? before - after : 0);
    const gali_change change = {
        .begin = now->begin,
        .end = now->end,
        .text = begin,
        .size = self->changes.text.size - begin,
        .row = self->report->listed - 1,
        .is_loop = strcmp(now->suffix, ":endloop0") == 0,
        .saved = now->packets > packing->packets ? now->packets - packing->packets : 0,
        .moved = !is_sure         ? GALI_CHANGE_NOT_SURE
                 : after > before ? after - before
                                  : -left,
    };
    return gali_changes_add(&self->changes, &change);
}

/* Looks for registers that the function of the block does not use; a function ends where its .size stands. */
static void find_unused(run *self) {
    const char *begin = self->function_end;
    static const char size_word[] = "\t.size";
    const size_t length = sizeof size_word - 1;
    if (self->now.begin < begin) {
        return;
    }
    const char *end = self->now.end;
    while (end < self->end && ((size_t)(self->end - end) < length || memcmp(end, size_word, length) != 0)) {
        end++;
    }
    self->function_end = end;
    self->unused = gali_find_unused(begin, (size_t)(end - begin));
}

/* Packs the instructions as they are, or with results in registers of their own; those are in the list then. */
static int pack_list(run *self, const gali_instruction **list, int rename, gali_block_graph *graph,
                     gali_packing *packing) {
    const gali_packer_soft soft = self->options->soft;
    return (!rename || gali_rename(list, self->now.count, self->unused, &self->arena)) &&
           gali_block_graph_make(graph, list, self->now.count, soft, &self->arena) &&
           gali_pack_best(graph, soft == GALI_PACKER_SOFT_PAPER, packing, &self->arena);
}

/* The shorter one of both. */
static int pack_both(run *self, gali_block_graph *graph, gali_packing *packing) {
    gali_block_graph renamed_graph;
    gali_packing renamed;
    const gali_instruction **list = gali_arena_take(&self->arena, (self->now.count + 1) * sizeof *list);
    const gali_instruction **as_found = gali_arena_take(&self->arena, (self->now.count + 1) * sizeof *list);
    if (!list || !as_found) {
        return 0;
    }
    for (uint32_t i = 0; i < self->now.count; i++) {
        self->now.list[i]->found_at = self->now.packets - self->now.list[i]->found_at;
        list[i] = as_found[i] = self->now.list[i];
    }
    if (!pack_list(self, as_found, 0, graph, packing)) {
        return 0;
    }
    if (self->options->keep_registers) {
        return 1;
    }
    if (!pack_list(self, list, 1, &renamed_graph, &renamed)) {
        return 0;
    }
    if (renamed.packets < packing->packets) {
        *graph = renamed_graph;
        *packing = renamed;
    }
    return 1;
}

static gal_status pack_block(run *self) {
    block *now = &self->now;
    gali_block_graph graph;
    gali_packing packing = {.packets = 0};
    gali_packer_block *row = report_block(self, now);
    find_unused(self);
    if (!row || !pack_both(self, &graph, &packing) || !gali_pack_bound(&graph, &self->arena, &row->bound)) {
        return gali_fail(self->error, GAL_NO_MEMORY, "no memory for a block of %u instructions",
                         (unsigned)now->count);
    }
    row->packed = packing.packets;
    row->written = now->packets;
    self->report->kept += packing.packets > now->packets;
    if ((packing.packets < now->packets || self->options->always) && !add_change(self, &graph, &packing)) {
        return gali_fail(self->error, GAL_NO_MEMORY, "no memory");
    }
    return GAL_OK;
}

/* The block is over, where one was begun. */
static gal_status end_block(run *self) {
    block *now = &self->now;
    gal_status status = GAL_OK;
    if (now->packets) {
        self->report->blocks++;
        self->report->packets_before += now->packets;
        self->report->packets_after += now->packets;
        if (!now->is_known) {
            self->report->left++;
        } else if (now->count) {
            status = pack_block(self);
        }
    }
    if (now->packets && now->leaves) {
        gali_changes_leave(&self->changes);
    }
    gali_arena_release(&self->arena);
    now->packets = now->count = 0;
    now->leaves = 0;
    now->suffix[0] = 0;
    return status;
}

/* Whether a loop is set up where one ends: only a compiler knows which packets may hold both. */
static int sets_loop_up(const packet *read) {
    int found = 0;
    for (uint32_t i = 0; i < read->count; i++) {
        found |= read->list[i]->unit == GALI_PACKER_loop;
    }
    return found;
}

/* Adds a packet whose text begins at `begin` and whose last line `last` is. */
static gal_status add_packet(run *self, packet *read, const char *begin, const line_text *last,
                             const char *suffix, size_t suffix_size) {
    block *now = &self->now;
    uint32_t jumps = 0;
    while (suffix_size && (*suffix == ' ' || *suffix == '\t')) {
        suffix++, suffix_size--;
    }
    if (!now->packets) {
        now->begin = begin;
        now->line = self->line;
        now->is_known = 1;
    }
    now->packets++;
    now->end = last->next;
    now->leaves |= read->leaves;
    for (uint32_t i = 0; i < read->count; i++) {
        jumps += read->list[i]->is_jump;
    }
    const int ends_loop = suffix_size > 0;
    now->is_known &=
        read->is_known && jumps <= 1 && put_in_order(read) && now->count + read->count <= GALI_BLOCK_MAX;
    now->is_known &= !ends_loop || (suffix_size >= 9 && memcmp(suffix, ":endloop", 8) == 0 && !jumps &&
                                    suffix_size < SUFFIX_MAX && !sets_loop_up(read));
    for (uint32_t i = 0; i < read->count && now->is_known; i++) {
        read->list[i]->found_at = now->packets; /* from the end, once that is known */
        now->list[now->count++] = read->list[i];
    }
    if (ends_loop && now->is_known) {
        memcpy(now->suffix, suffix, suffix_size);
        now->suffix[suffix_size] = 0;
    }
    return ends_loop || read->ends ? end_block(self) : GAL_OK;
}

/* From the brace to the one that closes it; an instruction may stand beside either. */
static gal_status read_packet(run *self, const char *begin, line_text line) {
    packet read = {.is_known = 1};
    const uint32_t first = self->line;
    gal_status status = GAL_OK;
    line.text++, line.size--;
    for (;;) {
        const char *brace = memchr(line.text, '}', line.size);
        size_t size = brace ? (size_t)(brace - line.text) : line.size;
        while (size && (*line.text == ' ' || *line.text == '\t')) {
            line.text++, line.size--, size--;
        }
        if (memchr(line.text, '{', size)) {
            return gali_fail(self->error, GAL_BAD_DATA, "line %u: a packet in the packet of line %u",
                             (unsigned)self->line, (unsigned)first);
        }
        if (size) {
            size_t kept = size;
            while (kept && (line.text[kept - 1] == ' ' || line.text[kept - 1] == '\t')) {
                kept--;
            }
            status = add_instruction(self, &read, line.text, kept);
        }
        self->at = line.next;
        if (brace && status == GAL_OK) {
            return add_packet(self, &read, begin, &line, brace + 1, line.size - size - 1);
        }
        if (status == GAL_OK && self->at >= self->end) {
            return gali_fail(self->error, GAL_BAD_DATA, "line %u: a packet without its end", (unsigned)first);
        }
        status = status == GAL_OK ? read_line(self, &line) : status;
        if (status != GAL_OK) {
            return status;
        }
    }
}

static void take_label(run *self, const line_text *line) {
    const size_t size = line->size - 1 < sizeof self->label - 1 ? line->size - 1 : sizeof self->label - 1;
    memcpy(self->label, line->text, size);
    self->label[size] = 0;
}

/* The power of two by whose bytes a line aligns what follows; 0 where it does not, or by no more than a word. */
static uint32_t read_alignment(const line_text *line) {
    static const char word[] = ".p2align";
    const size_t size = sizeof word - 1;
    if (line->size <= size || memcmp(line->text, word, size) != 0) {
        return 0;
    }
    const char *digit = line->text + size, *end = line->text + line->size;
    while (digit < end && (*digit == ' ' || *digit == '\t')) {
        digit++;
    }
    const int power = digit < end && *digit >= '0' && *digit <= '9' ? *digit - '0' : 0;
    return power > 2 ? (uint32_t)power : 0;
}

/* A line outside packets: a packet's begin, an instruction alone, or what ends a block. */
static gal_status read_outside(run *self) {
    line_text line;
    const char *begin = self->at;
    gal_status status = read_line(self, &line);
    if (status != GAL_OK) {
        return status;
    }
    if (line.size && *line.text == '{') {
        return read_packet(self, begin, line);
    }
    self->at = line.next;
    const int is_label = line.size && line.text[line.size - 1] == ':';
    if (!line.size || is_label || *line.text == '.' || *line.text == '#') {
        status = end_block(self);
        if (is_label || line.depth) {
            gali_changes_enter(&self->changes, line.depth);
        }
        if (is_label) {
            take_label(self, &line);
            gali_changes_label(&self->changes);
        } else if (!self->options->always && read_alignment(&line)) {
            gali_changes_align(&self->changes, read_alignment(&line));
        }
        return status;
    }
    packet read = {.is_known = 1};
    status = add_instruction(self, &read, line.text, line.size);
    return status == GAL_OK ? add_packet(self, &read, begin, &line, "", 0) : status;
}

static void report_changes(const gali_changes *changes, gali_packer_report *report) {
    for (uint32_t i = 0; i < changes->count; i++) {
        const gali_change *it = &changes->list[i];
        gali_packer_block *row = &report->list[it->row];
        row->written = it->is_undone ? row->before : row->packed;
        report->fewer += it->saved && !it->is_undone;
        report->unpaid += (uint32_t)it->is_undone;
        report->packets_after = report->packets_after - row->before + row->written;
    }
}

gal_status gali_packer_run(const char *text, size_t size, const gali_packer_options *options, gali_text *out,
                           gali_packer_report *report, gal_error *error) {
    gal_status status = GAL_OK;
    *report = (gali_packer_report){.blocks = 0};
    if (!size) {
        return gali_fail(error, GAL_BAD_DATA, "line 1: no Hexagon assembly: nothing at all");
    }
    run *self = calloc(1, sizeof *self);
    if (!self) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory");
    }
    self->options = options;
    self->report = report;
    self->error = error;
    self->at = self->function_end = text;
    self->end = text + size;
    while (status == GAL_OK && self->at < self->end) {
        status = read_outside(self);
    }
    status = status == GAL_OK ? end_block(self) : status;
    gali_changes_write(&self->changes, text, self->end, out);
    report_changes(&self->changes, report);
    gali_changes_release(&self->changes);
    if (status == GAL_OK && out->failed) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for the text");
    }
    gali_arena_release(&self->arena);
    free(self);
    return status;
}

void gali_packer_report_release(gali_packer_report *report) {
    free(report->list);
    report->list = NULL;
    report->listed = report->room = 0;
}
