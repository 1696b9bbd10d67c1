/* gallop inspect --sparsity: which weights are 0, and what the compiler makes of it. */
#include "onnx/inspect_sparsity.h"

#include <stdio.h>

#include "compiler/program/patterns.h"

/* The constant weights of a layer; NULL: it has none. */
static const gali_value *weights_of(const gali_program_node *n) {
    gali_op op = n->node->op;
    if ((op != GALI_OP_Conv && op != GALI_OP_Gemm && op != GALI_OP_MatMul) || n->node->operand_count < 2) {
        return NULL;
    }
    const gali_value *w = &n->graph->values[n->node->operands[1]];
    return w->data && w->type.element == GALI_f32 && w->type.rank >= 2 ? w : NULL;
}

static uint64_t count_zeros(const gali_value *w, uint64_t count) {
    const float *weight = w->data;
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < count; i++) {
        zeros += !(weight[i] < 0 || weight[i] > 0);
    }
    return zeros;
}

/* How a sum's tiles lie. */
static const char *layout_of(const gali_program *p, const gali_patterns *patterns) {
    return p->target && gali_patterns_rotate(patterns, p->target->lanes) ? "FKW, rotated"
           : patterns->fields.lanes > 0                                  ? "FKW, fields"
                                                                         : "FKW";
}

/* Bytes of all integers of the layer's stages; 0: none is by patterns. lies: how its tiles do. */
static uint64_t index_bytes(const gali_program *p, uint32_t node, const char **lies) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        if (!stage->gone && stage->node == node && stage->patterns && !stage->patterns->makes_tiles) {
            bytes += gali_fkw_index_bytes(&stage->patterns->fkw);
            *lies = layout_of(p, stage->patterns);
        }
    }
    return bytes;
}

static void print_layer(const gali_program *p, uint32_t node, const gali_value *w) {
    gali_fkw_patterns patterns = {.count = 0};
    const gali_type *type = &w->type;
    uint64_t count = 1, filters = (uint64_t)type->shape[0];
    for (int d = 0; d < type->rank; d++) {
        count *= (uint64_t)type->shape[d];
    }
    const char *lies = NULL;
    uint64_t zeros = count_zeros(w, count), stored = index_bytes(p, node, &lies);
    int windows = type->rank == 4 && type->shape[2] == 3 && type->shape[3] == 3;
    int follows = windows && gali_fkw_find(&patterns, w->data, filters, (uint64_t)type->shape[1]);
    char found[24] = "-", shape[64];
    size_t at = 0;
    if (follows) {
        snprintf(found, sizeof found, "%u, %.0f%%", patterns.count,
                 100 * (double)patterns.pruned / ((double)filters * (double)type->shape[1]));
    }
    for (int d = 0; d < type->rank && at < sizeof shape; d++) {
        at += (size_t)snprintf(shape + at, sizeof shape - at, d ? "x%lld" : "%lld", (long long)type->shape[d]);
    }
    printf("%-24.24s %-16s %5.1f%%  %-12s ", p->nodes[node].node->name, shape,
           100 * (double)zeros / (double)(count ? count : 1), found);
    if (stored) {
        uint64_t csr = gali_csr_index_bytes(filters, count - zeros);
        printf("%-13s %10llu of %llu, %.1f%%\n", lies, (unsigned long long)stored, (unsigned long long)csr,
               100 * (double)stored / (double)csr);
    } else {
        printf("dense\n");
    }
}

void gali_inspect_sparsity(const gali_program *p) {
    printf("\n%-24s %-16s %6s  %-12s %-14s%s\n", "layer", "weights", "zeros", "patterns", "stored",
           "integers' bytes, of CSR's");
    for (uint32_t i = 0; i < p->node_count; i++) {
        const gali_value *w = weights_of(&p->nodes[i]);
        if (w) {
            print_layer(p, i, w);
        }
    }
    printf(
        "patterns: how many, and the share of kernels that are pruned whole; how tiles lie: on this machine\n");
}
