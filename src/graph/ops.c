/* The tables of ops.def and scalars.def: declarations of every family's functions, and finding. */
#include <string.h>

#include "graph/evaluate.h"
#include "graph/express.h"
#include "graph/rule.h"

#define OP(name, family, least, most, results_least, results_most, mapping, dynamism, rule, truth, express,    \
           attributes, meaning)                                                                                \
    gal_status gali_rule_##rule(gali_rule *);                                                                  \
    gal_status gali_truth_##truth(gali_run *, const gali_node *, const gali_tensor *const *, gali_tensor *);   \
    void gali_express_##express(gali_express *);
#include "graph/ops.def"
#undef OP

const gali_op_facts gali_op_list[GALI_OP_COUNT] = {
#define OP(name, family, least, most, results_least, results_most, mapping, dynamism, rule, truth, express,    \
           attributes, meaning)                                                                                \
    {#name,                                                                                                    \
     #family,                                                                                                  \
     least,                                                                                                    \
     most,                                                                                                     \
     results_least,                                                                                            \
     results_most,                                                                                             \
     GALI_##mapping,                                                                                           \
     GALI_##dynamism,                                                                                          \
     gali_rule_##rule,                                                                                         \
     gali_truth_##truth,                                                                                       \
     gali_express_##express,                                                                                   \
     attributes,                                                                                               \
     meaning},
#include "graph/ops.def"
#undef OP
};

const gali_scalar_facts gali_scalar_list[GALI_SCALAR_COUNT] = {
#define SCALAR(name, arity, kinds, meaning) {#name, arity, kinds, meaning},
#include "graph/scalars.def"
#undef SCALAR
};

gali_op gali_op_find(const char *name, size_t size) {
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        if (strlen(gali_op_list[op].name) == size && memcmp(gali_op_list[op].name, name, size) == 0) {
            return (gali_op)op;
        }
    }
    return GALI_OP_COUNT;
}
