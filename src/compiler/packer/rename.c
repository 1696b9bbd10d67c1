#include "compiler/packer/rename.h"

#include <stdio.h>
#include <string.h>

/* A result from where it is made to where its registers are overwritten. */
typedef struct life {
    uint32_t made, last; /* last: use; made where there is none */
    int is_vector, is_pair;
    int from, to;     /* number of the register; of a pair's even one */
    uint32_t over[2]; /* where each of its registers is overwritten */
} life;

typedef struct renaming {
    const gali_instruction **list;
    uint32_t count;
    gali_registers unused;
    uint32_t busy
        [2]
        [32]; /* r, v: until which instruction a register that was given serves; it may be made there again */
    gali_arena *arena;
} renaming;

gali_registers gali_find_unused(const char *text, size_t size) {
    gali_registers named = {0, 0};
    for (size_t i = 0; i < size; i++) {
        if (!i || !gali_is_name(text[i - 1])) {
            gali_operand found = gali_operand_read(text + i, size - i);
            gali_registers_add(&named, found.bits);
        }
    }
    return (gali_registers){0x1000ffc0u & ~named.scalar, 0xffff0000u & ~named.vector};
}

/* ---- what can be renamed ---- */

/* The text before = (its result) and from there on; a store is all the latter. */
static size_t result_size(const gali_instruction *it) {
    const size_t size = strlen(it->text);
    const char *equals = it->is_store || it->is_jump ? NULL : gali_find_equals(it->text, size);
    return equals ? (size_t)(equals - it->text) : 0;
}

static gali_registers result_of(const gali_instruction *it) {
    const size_t size = result_size(it);
    return size && !it->is_conditional ? gali_operand_read(it->text, size).bits : (gali_registers){0, 0};
}

/* Whether the result is its own operand with a step added: accesses follow that one. */
static int steps_result(const gali_instruction *it) {
    return it->step_register >= 0 && !it->is_load && !it->is_store;
}

/* Whether it makes the register wholly anew. */
static int makes(const gali_instruction *it, const life *self, int number) {
    return !it->is_update && !steps_result(it) && gali_registers_hold(result_of(it), self->is_vector, number);
}

/* Some of the vectors' operations have room for r0 to r7 alone; add(#4,asl(r1,#2)) for its own result. */
static int takes_few(const gali_instruction *it) {
    return (it->unit >= GALI_PACKER_vector_shift && it->unit <= GALI_PACKER_vector_shift_permute) ||
           (it->unit == GALI_PACKER_long_alu && strstr(it->text, "(#"));
}

/* The registers of the life that instruction j, which is behind its making, still reads from it. */
static gali_registers lives_at(const life *self, uint32_t j) {
    gali_registers bits = {0, 0};
    for (int half = 0; half <= self->is_pair; half++) {
        if (j <= self->over[half]) {
            *(self->is_vector ? &bits.vector : &bits.scalar) |= (uint64_t)1 << (self->from + half);
        }
    }
    return bits;
}

/* Finds the life of instruction i's result. Returns 0 where it leaves the block, or is no register's. */
static int find_life(const renaming *self, uint32_t i, life *found) {
    const gali_instruction *it = self->list[i];
    const gali_operand result = gali_operand_read(it->text, result_size(it));
    if (it->is_conditional || it->is_update || !result.kind || !strchr("rdvw", result.kind) ||
        steps_result(it) || (!it->is_vector && takes_few(it))) {
        return 0;
    }
    *found = (life){.made = i, .last = i, .is_vector = strchr("vw", result.kind) != NULL};
    found->is_pair = result.kind == 'd' || result.kind == 'w';
    found->from = found->is_pair ? result.number & ~1 : result.number;
    for (int half = 0; half <= found->is_pair; half++) {
        uint32_t k = i + 1;
        while (k < self->count &&
               !gali_registers_hold(self->list[k]->writes, found->is_vector, found->from + half)) {
            k++;
        }
        if (k == self->count || !makes(self->list[k], found, found->from + half)) {
            return 0;
        }
        found->over[half] = k;
    }
    for (uint32_t j = i + 1; j < self->count; j++) {
        if (gali_registers_meet(self->list[j]->reads, lives_at(found, j))) {
            if (self->list[j]->is_jump || (!found->is_vector && takes_few(self->list[j]))) {
                return 0;
            }
            found->last = j;
        }
    }
    return 1;
}

/* ---- the new register ---- */

static int is_idle(const renaming *self, const life *it, int number) {
    return gali_registers_hold(self->unused, it->is_vector, number) &&
           self->busy[it->is_vector][number] <= it->made;
}

/* The register, or aligned pair, that has been idle longest. Returns 0 where none is. */
static int choose_register(const renaming *self, life *it) {
    uint32_t longest = UINT32_MAX;
    const int step = 1 + it->is_pair;
    for (int number = 0; number < 32; number += step) {
        const uint32_t until = self->busy[it->is_vector][number];
        if (is_idle(self, it, number) && (!it->is_pair || is_idle(self, it, number + 1)) && until < longest) {
            longest = until;
            it->to = number;
        }
    }
    return longest != UINT32_MAX;
}

/* Writes text with the registers of `bits` moved from the life's to its new ones. Returns 0 where one stands with another. */
static int rewrite(const life *self, gali_registers bits, const char *text, size_t size, char *to,
                   size_t room) {
    size_t at = 0;
    int in_number = 0; /* from # to what ends an operand */
    for (size_t i = 0; i < size;) {
        in_number = text[i] == '#' || (in_number && text[i] != ',' && text[i] != ')');
        const int begins = !in_number && (!i || !gali_is_name(text[i - 1]));
        const gali_operand found = begins ? gali_operand_read(text + i, size - i) : (gali_operand){.kind = 0};
        const int is_pair = found.kind == 'd' || found.kind == 'w';
        if (at + 16 >= room) {
            return 0;
        }
        if (!found.kind || !gali_registers_meet(found.bits, bits)) {
            to[at++] = text[i++];
            continue;
        }
        if ((found.bits.scalar & ~bits.scalar) || (found.bits.vector & ~bits.vector)) {
            return 0;
        }
        const int number = self->to + (found.number - self->from);
        const size_t spelled = 1 + strspn(text + i + 1, "0123456789:");
        const int written = is_pair ? snprintf(to + at, 16, "%c%d:%d", text[i], number, number - 1)
                                    : snprintf(to + at, 16, "%c%d", text[i], number);
        at += (size_t)written;
        i += spelled;
    }
    to[at] = 0;
    return 1;
}

/* The instruction with its result (is_made) or its operands moved; NULL where that cannot be. */
static const gali_instruction *move_in(renaming *self, const life *it, uint32_t j, int is_made) {
    const gali_instruction *old = self->list[j];
    const size_t size = strlen(old->text), head = result_size(old);
    char text[2 * GALI_PACKER_TEXT_MAX];
    gali_registers bits = is_made ? result_of(old) : lives_at(it, j);
    gali_instruction *made = gali_arena_take(self->arena, sizeof *made);
    if (!made) {
        return NULL;
    }
    if (is_made) {
        if (!rewrite(it, bits, old->text, head, text, GALI_PACKER_TEXT_MAX)) {
            return NULL;
        }
        strcat(text, old->text + head);
    } else {
        memcpy(text, old->text, head);
        if (!rewrite(it, bits, old->text + head, size - head, text + head, GALI_PACKER_TEXT_MAX)) {
            return NULL;
        }
    }
    const int is_same = gali_instruction_read(text, strlen(text), made) && made->unit == old->unit;
    made->found_at = old->found_at;
    return is_same ? made : NULL;
}

/* Moves a life to its new registers, or leaves it whole. */
static void move_life(renaming *self, const life *it) {
    const gali_instruction **old = gali_arena_take(self->arena, (it->last - it->made + 1) * sizeof(void *));
    int done = old != NULL;
    for (uint32_t j = it->made; j <= it->last && done; j++) {
        old[j - it->made] = self->list[j];
    }
    for (uint32_t j = it->made; j <= it->last && done; j++) {
        if (j == it->made || gali_registers_meet(self->list[j]->reads, lives_at(it, j))) {
            const gali_instruction *moved = move_in(self, it, j, j == it->made);
            done = moved != NULL;
            self->list[j] = done ? moved : self->list[j];
        }
    }
    for (uint32_t j = it->made; j <= it->last && !done && old; j++) {
        self->list[j] = old[j - it->made];
    }
    for (int half = 0; half <= it->is_pair && done; half++) {
        self->busy[it->is_vector][it->to + half] = it->last + 1;
    }
}

int gali_rename(const gali_instruction **list, uint32_t count, gali_registers unused, gali_arena *arena) {
    renaming self = {.list = list, .count = count, .unused = unused, .arena = arena};
    for (uint32_t i = 0; i < count; i++) {
        life found;
        if (find_life(&self, i, &found) && choose_register(&self, &found)) {
            move_life(&self, &found);
        }
    }
    return !arena->failed;
}
