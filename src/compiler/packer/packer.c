/* A text of assembly: blocks of packets are found, taken apart, packed, and written where that is shorter. */
#include "compiler/packer/packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compiler/packer/pack.h"
#include "compiler/packer/rename.h"

enum { PACKET_READ_MAX = 8, SUFFIX_MAX = 40, LINE_MAX_BYTES = 4096 };

const char *const gali_packer_soft_names[GALI_PACKER_SOFT_COUNT] = {"paper", "hard", "none"};

/* The packets between a label, or a jump, and the next. */
typedef struct block {
    const char *begin, *end; /* its text */
    uint32_t line, packets, count;
    int is_known;
    char suffix[SUFFIX_MAX]; /* of its last packet: ":endloop0" */
    gali_instruction *list[GALI_BLOCK_MAX];
} block;

typedef struct run {
    const gali_packer_options *options;
    gali_text *out;
    gali_packer_report *report;
    gal_error *error;
    const char *at, *end, *copied; /* copied: what of the text is in out already */
    uint32_t line;
    char label[48];
    const char *function_end; /* of the function that at is in */
    gali_registers unused;    /* by that function */
    gali_arena arena;         /* of one block */
    block now;
} run;

/* ---- a packet ---- */

typedef struct packet {
    gali_instruction *list[PACKET_READ_MAX];
    uint32_t count;
    int is_known, ends; /* ends: the block, by a jump */
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

static gal_status add_instruction(run *self, packet *to, const char *text, size_t size) {
    if (size == 3 && memcmp(text, "nop", 3) == 0) {
        return GAL_OK;
    }
    gali_instruction *made = gali_arena_take(&self->arena, sizeof *made);
    if (!made) {
        return gali_fail(self->error, GAL_NO_MEMORY, "no memory");
    }
    to->is_known &= gali_instruction_read(text, size, made) && to->count < PACKET_READ_MAX;
    to->ends |= is_jump_word(text, size);
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
} line_text;

static gal_status read_line(run *self, line_text *line) {
    const char *newline = memchr(self->at, '\n', (size_t)(self->end - self->at));
    const char *begin = self->at, *end = newline ? newline : self->end;
    line->next = newline ? newline + 1 : self->end;
    self->line++;
    if (end - begin > LINE_MAX_BYTES) {
        return gali_fail(self->error, GAL_BAD_DATA, "line %u: longer than %d bytes", (unsigned)self->line,
                         LINE_MAX_BYTES);
    }
    for (const char *p = begin; p + 1 < end; p++) {
        if (p[0] == '/' && p[1] == '/') {
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

static void write_block(run *self, const gali_block_graph *graph, const gali_packing *packing) {
    gali_text_add_bytes(self->out, self->copied, (size_t)(self->now.begin - self->copied));
    self->copied = self->now.end;
    for (uint32_t p = packing->packets; p-- > 0;) {
        gali_text_add(self->out, "\t{\n");
        for (uint32_t i = 0; i < graph->count; i++) {
            if (packing->packet[i] == p) {
                gali_text_add(self->out, "\t\t");
                gali_packing_text(graph, packing, i, self->out);
                gali_text_add(self->out, "\n");
            }
        }
        gali_text_add(self->out, "\t}%s%s\n", !p && *self->now.suffix ? " " : "", !p ? self->now.suffix : "");
    }
}

/* Looks for registers that the function of the block does not use; a function ends where its .size stands. */
static void find_unused(run *self) {
    const char *begin = self->function_end ? self->function_end : self->now.begin;
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
        self->now.list[i]->found_at = (uint16_t)(self->now.packets - self->now.list[i]->found_at);
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
    const int shorter = packing.packets < now->packets;
    row->packed = packing.packets;
    row->written = shorter || self->options->always ? packing.packets : now->packets;
    self->report->fewer += (uint32_t)shorter;
    self->report->kept += packing.packets > now->packets;
    self->report->packets_after = self->report->packets_after - now->packets + row->written;
    if (shorter || self->options->always) {
        write_block(self, &graph, &packing);
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
    gali_arena_release(&self->arena);
    now->packets = now->count = 0;
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
    for (uint32_t i = 0; i < read->count; i++) {
        jumps += read->list[i]->is_jump;
    }
    const int ends_loop = suffix_size > 0;
    now->is_known &=
        read->is_known && jumps <= 1 && put_in_order(read) && now->count + read->count <= GALI_BLOCK_MAX;
    now->is_known &= !ends_loop || (suffix_size >= 9 && memcmp(suffix, ":endloop", 8) == 0 && !jumps &&
                                    suffix_size < SUFFIX_MAX && !sets_loop_up(read));
    for (uint32_t i = 0; i < read->count && now->is_known; i++) {
        read->list[i]->found_at = (uint16_t)now->packets; /* from the end, once that is known */
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
    if (!line.size || is_label || *line.text == '.' || *line.text == '#' || line.text == begin) {
        status = end_block(self);
        if (is_label) {
            take_label(self, &line);
        }
        return status;
    }
    packet read = {.is_known = 1};
    status = add_instruction(self, &read, line.text, line.size);
    return status == GAL_OK ? add_packet(self, &read, begin, &line, "", 0) : status;
}

gal_status gali_packer_run(const char *text, size_t size, const gali_packer_options *options, gali_text *out,
                           gali_packer_report *report, gal_error *error) {
    gal_status status = GAL_OK;
    *report = (gali_packer_report){.blocks = 0};
    run *self = calloc(1, sizeof *self);
    if (!self) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory");
    }
    self->options = options;
    self->out = out;
    self->report = report;
    self->error = error;
    self->at = self->copied = text;
    self->end = text + size;
    while (status == GAL_OK && self->at < self->end) {
        status = read_outside(self);
    }
    status = status == GAL_OK ? end_block(self) : status;
    gali_text_add_bytes(out, self->copied, (size_t)(self->end - self->copied));
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
