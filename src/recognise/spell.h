/* Graphs into linear form (form.h), node by node: each operator is spelled by those of the form, or stays as it is. */
#ifndef GALI_RECOGNISE_SPELL_H
#define GALI_RECOGNISE_SPELL_H

#include "recognise/form.h"

/* Rows of the graph's inputs: *batch as it fixes them, or 0 where any number will do. 0 if it failed. */
int gali_spell_batch(gali_allowance *allowance, const gali_graph *graph, uint32_t *batch);

/* Makes *form of a verified, inferred graph, with `batch` rows where that leaves them free. Numbers of constants stay in
 * the graph, which must outlive the form. 0 if it failed. */
int gali_spell_graph(gali_form *form, gali_allowance *allowance, gali_arena *arena, const gali_graph *graph,
                     uint32_t batch);

/* ---- one node (spell.c, and spell_move.c for those that move numbers) ---- */

typedef struct gali_spelling {
    gali_form *form;
    const gali_node *node;    /* of the source */
    const uint32_t *operands; /* [node->operand_count] in the form; GALI_NONE where it is not given */
    uint32_t *results;        /* [node->result_count] to be filled */
} gali_spelling;

/* The form's value of operand i, GALI_NONE where it is not given. */
uint32_t gali_spelling_operand(const gali_spelling *s, uint32_t i);

/* The node in the form's operators, or as it is. */
int gali_spell_node(gali_spelling *s);

/* The node as it is. */
int gali_spell_kept(gali_spelling *s);

/* Each fills results[0] at least; 0 if it failed. */
int gali_spell_reshape(gali_spelling *s);
int gali_spell_transpose(gali_spelling *s);
int gali_spell_expand(gali_spelling *s);
int gali_spell_tile(gali_spelling *s);
int gali_spell_concat(gali_spelling *s);
int gali_spell_split(gali_spelling *s);
int gali_spell_slice(gali_spelling *s);
int gali_spell_gather(gali_spelling *s);
int gali_spell_gather_nd(gali_spelling *s);

#endif
