/*
 * Extents: whole numbers that may not be known before a graph runs. An extent is a number, or an expression of symbols:
 *
 *     batch        4*batch*length + 2        quotient(length + 1, 2)        min(length, 512)
 *
 * A number is itself. Expressions are kept once each, in one form (a sum of products of atoms; an atom is a symbol, a
 * quotient rounded down, a minimum or a maximum; a quotient by a number has a number from 0 to below that in it, and no
 * quotient by a number alone), so two extents are the same exactly if their handles are equal.
 * What is not known even as an expression is GALI_EXTENT_UNKNOWN, and all that is made from it is too; so is what has
 * too many terms. A number past 2^60 is GALI_EXTENT_BAD, which sticks in the same way: an error of the graph.
 */
#ifndef GALI_GRAPH_EXTENT_H
#define GALI_GRAPH_EXTENT_H

#include <stdint.h>

#include "graph/arena.h"
#include "graph/text.h"

typedef int64_t gali_extent;

#define GALI_EXTENT_LARGEST ((gali_extent)1 << 60)
#define GALI_EXTENT_UNKNOWN (INT64_MIN + 1)
#define GALI_EXTENT_BAD INT64_MIN

/* The expressions of a graph and its bodies. In its arena. */
typedef struct gali_extents gali_extents;

/* NULL (and the arena failed) without memory. */
gali_extents *gali_extents_make(gali_arena *arena);

/* The symbol of that name, made if there is none; 0 <= least <= most <= GALI_EXTENT_LARGEST is its range. The name is copied. */
gali_extent gali_extent_symbol(gali_extents *extents, const char *name, int64_t least, int64_t most);

/* A new symbol, named of the stem and a number: a size that only running tells. */
gali_extent gali_extent_fresh(gali_extents *extents, const char *stem, int64_t least, int64_t most);

/*
 * What is said of a size before its symbol is made, by the name that it will have: its range ends there at the latest. The
 * name is copied.
 */
void gali_extent_ask(gali_extents *extents, const char *name, int64_t most);

/*
 * Sets the range of a symbol. What has been made of it keeps the range that it was made with: so nothing has been yet, or the
 * new range is within the old one.
 */
void gali_extent_set_range(gali_extents *extents, gali_extent symbol, int64_t least, int64_t most);

/*
 * What a symbol that only running tells is at most: an extent of symbols that are told before it. UNKNOWN where nothing is
 * said: then it is the most of its range.
 */
void gali_extent_set_bound(gali_extents *extents, uint32_t symbol, gali_extent bound);
gali_extent gali_extent_bound(const gali_extents *extents, uint32_t symbol);

int gali_extent_is_number(gali_extent a);

/* An integer of a file as an extent: ONNX says "to the end" by numbers past 2^60, which are cut to it. */
gali_extent gali_extent_of(int64_t number);

gali_extent gali_extent_add(gali_extents *extents, gali_extent a, gali_extent b);
gali_extent gali_extent_sub(gali_extents *extents, gali_extent a, gali_extent b);
gali_extent gali_extent_mul(gali_extents *extents, gali_extent a, gali_extent b);
/* a / b rounded down; GALI_EXTENT_BAD for b = 0. */
gali_extent gali_extent_quotient(gali_extents *extents, gali_extent a, gali_extent b);
gali_extent gali_extent_least(gali_extents *extents, gali_extent a, gali_extent b);
gali_extent gali_extent_most(gali_extents *extents, gali_extent a, gali_extent b);

/* Bounds over all values of the symbols, saturated at +-GALI_EXTENT_LARGEST. Of UNKNOWN: everything. */
void gali_extent_range(const gali_extents *extents, gali_extent a, int64_t *least, int64_t *most);

/* Symbols by their order of making. */
uint32_t gali_extent_symbols(const gali_extents *extents);
const char *gali_extent_symbol_name(const gali_extents *extents, uint32_t symbol);
/* A symbol by its number. */
gali_extent gali_extent_of_symbol(gali_extents *extents, uint32_t symbol);
/* The symbol's number, or -1 if the extent is anything else. */
int gali_extent_as_symbol(const gali_extents *extents, gali_extent a);

/* Whether the symbol is anywhere in the extent. */
int gali_extent_has(const gali_extents *extents, gali_extent a, uint32_t symbol);

/* The value where symbol i has the value symbols[i]; GALI_EXTENT_UNKNOWN or _BAD as above. */
int64_t gali_extent_value(const gali_extents *extents, gali_extent a, const int64_t *symbols);

/* How an expression is made, for those who print it as code: the sum of `count` terms scale * atom * atom ... */
enum { GALI_EXTENT_ATOMS_MAX = 6 };

typedef struct gali_extent_term {
    int64_t scale;
    uint32_t count;
    uint32_t atoms[GALI_EXTENT_ATOMS_MAX];
} gali_extent_term;

typedef enum gali_extent_kind {
    GALI_EXTENT_SYMBOL,
    GALI_EXTENT_QUOTIENT,
    GALI_EXTENT_LEAST,
    GALI_EXTENT_MOST
} gali_extent_kind;

/* Terms of a number or an expression; 0 has none. Those of UNKNOWN and BAD are none, too. */
uint32_t gali_extent_term_count(const gali_extents *extents, gali_extent a);
gali_extent_term gali_extent_term_at(const gali_extents *extents, gali_extent a, uint32_t i);

/* What an atom is: *symbol of a symbol, operand[0] and operand[1] of the others. */
gali_extent_kind gali_extent_atom(const gali_extents *extents, uint32_t atom, uint32_t *symbol,
                                  gali_extent operand[2]);

/* A symbol's range. */
void gali_extent_symbol_range(const gali_extents *extents, uint32_t symbol, int64_t *least, int64_t *most);

/* The text form; an unknown extent is "?". */
void gali_extent_print(const gali_extents *extents, gali_extent a, gali_text *text);

/* Reads one at *at, which is moved past it; GALI_EXTENT_BAD if there is none. New names become symbols 0..LARGEST. */
gali_extent gali_extent_parse(gali_extents *extents, const char **at);

#endif
