/* Values as plain C expressions (print_c_parts.h): one number at a time, of any element. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/loop/print_c_parts.h"

static int is_real(gali_element element) {
    return gali_element_list[element].kind == GALI_REAL;
}

static void add_real(gali_text *to, const gali_loop_value *constant) {
    int wide = constant->element == GALI_f64;
    gali_text digits = {0};
    if (!isfinite(constant->real)) {
        gali_text_add(to, "%s", isnan(constant->real) ? "NAN" : constant->real < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    gali_text_add(&digits, "%.*g", wide ? 17 : 9, constant->real);
    const char *bytes = digits.bytes ? digits.bytes : "";
    gali_text_add(to, "%s%s%s", bytes, strpbrk(bytes, ".e") ? "" : ".0", wide ? "" : "f");
    gali_text_end(&digits, to);
}

static void add_whole(gali_text *to, const gali_loop_value *constant) {
    if (constant->element == GALI_u64) {
        gali_text_add(to, "UINT64_C(%" PRIu64 ")", (uint64_t)constant->whole);
    } else if (constant->whole == INT64_MIN) {
        gali_text_add(to, "INT64_MIN");
    } else {
        gali_text_add(to, constant->element == GALI_i64 ? "INT64_C(%" PRId64 ")" : "%" PRId64, constant->whole);
    }
}

/* A load, its storage made what is computed with. */
static void add_load(gali_c_printer *p, gali_text *to, const gali_loop_value *load) {
    gali_element element = load->load.buffer->element;
    int stored = gali_loop_computed(element) != element;
    if (load->load.tested) {
        gali_text_add(to, "(");
        gali_c_inside(to, &load->load);
        gali_text_add(to, " ? ");
    }
    if (stored) {
        gali_text_add(to, "gali_one_f32_of_%s(", gali_element_list[element].word);
    }
    gali_c_item(p, to, &load->load);
    gali_text_add(to, stored ? ")" : "");
    if (load->load.tested) {
        gali_text_add(to, " : ");
        gali_c_plain(p, to, load->operand[0]);
        gali_text_add(to, ")");
    }
}

/* As a truth value, or a real as an integer. */
static void add_whole_of(gali_c_printer *p, gali_text *to, gali_element element, const gali_loop_value *from) {
    int truth = element == GALI_truth;
    if (!truth && element != GALI_i64) {
        gali_text_add(to, "(%s)", gali_element_list[element].c);
    }
    gali_text_add(to, truth ? "(" : "gali_one_i64_of_f64(");
    gali_c_plain(p, to, from);
    gali_text_add(to, truth ? " != 0)" : ")");
}

static void add_cast(gali_c_printer *p, gali_text *to, const gali_loop_value *cast) {
    const gali_loop_value *from = cast->operand[0];
    if (from->element == cast->element) {
        gali_c_plain(p, to, from);
    } else if (cast->element == GALI_truth || (is_real(from->element) && !is_real(cast->element))) {
        add_whole_of(p, to, cast->element, from);
    } else {
        gali_text_add(to, "(%s)", gali_element_list[cast->element].c);
        gali_c_plain(p, to, from);
    }
}

/* a and b with a sign of the language between them; integers wrap as unsigned ones do. */
static void add_between(gali_c_printer *p, gali_text *to, const gali_loop_value *value, const char *sign) {
    gali_element element = value->operand[0]->element;
    int wraps = !is_real(element) && !gali_loop_ops[value->op].truth;
    const char *cast = element == GALI_truth && value->op != GALI_VALUE_EQUAL
                           ? "(int)" /* both are meant to be read */
                       : !wraps                                ? ""
                       : gali_element_list[element].bytes == 8 ? "(uint64_t)"
                                                               : "(uint32_t)";
    if (wraps) {
        gali_text_add(to, "(%s)", gali_element_list[element].c);
    }
    gali_text_add(to, "(");
    for (uint32_t i = 0; i < 2; i++) {
        gali_text_add(to, "%s%s%s%s", i ? " " : "", i ? sign : "", i ? " " : "", cast);
        gali_c_plain(p, to, value->operand[i]);
    }
    gali_text_add(to, ")");
}

/* gali_one_<plain>_<element>(..): of integers the functions of 64 bits, whose result is cut. */
static void add_call(gali_c_printer *p, gali_text *to, const gali_loop_value *value) {
    const char *plain = gali_loop_ops[value->op].plain;
    const gali_element_facts *facts = &gali_element_list[value->operand[0]->element];
    const char *word = facts->kind == GALI_REAL                 ? facts->word
                       : value->operand[0]->element == GALI_u64 ? "u64"
                                                                : "i64";
    if (strncmp(plain, "gali_", 5) == 0) {
        gali_text_add(to, "gali_one_%s(", plain + sizeof "gali_" - 1);
    } else {
        int cut = facts->kind != GALI_REAL && facts->bytes < 8;
        gali_text_add(to, "%s%s%sgali_one_%s_%s(", cut ? "(" : "", cut ? facts->c : "", cut ? ")" : "", plain,
                      word);
    }
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        gali_text_add(to, i ? ", " : "");
        gali_c_plain(p, to, value->operand[i]);
    }
    gali_text_add(to, ")");
}

static void add_operation(gali_c_printer *p, gali_text *to, const gali_loop_value *value) {
    const char *plain = gali_loop_ops[value->op].plain;
    int letter = *plain >= 'a' && *plain <= 'z', real = is_real(value->operand[0]->element);
    if (value->op == GALI_VALUE_DIV && real) {
        add_between(p, to, value, "/");
    } else if (!letter && gali_loop_ops[value->op].arity == 2) {
        add_between(p, to, value, plain);
    } else if (!letter || (value->op == GALI_VALUE_NEG && real)) {
        if (value->op == GALI_VALUE_BIT_NOT) {
            gali_text_add(to, "(%s)", gali_element_list[value->element].c);
        }
        gali_text_add(to, "%s(", letter ? "-" : plain);
        gali_c_plain(p, to, value->operand[0]);
        gali_text_add(to, ")");
    } else {
        add_call(p, to, value);
    }
}

void gali_c_plain(gali_c_printer *p, gali_text *to, const gali_loop_value *value) {
    if (p->lanes > 1 && !p->function->dense && is_real(value->element)) {
        p->why = "reals in the definition of an integer: print it as plain C";
    }
    switch (value->op) {
    case GALI_VALUE_CONSTANT:
        if (is_real(value->element)) {
            add_real(to, value);
        } else {
            add_whole(to, value);
        }
        break;
    case GALI_VALUE_LOAD:
        add_load(p, to, value);
        break;
    case GALI_VALUE_AT:
        gali_text_add(to, "(int64_t)("); /* of a product all is cast, not its first factor */
        gali_c_signed_index(to, &value->at);
        gali_text_add(to, ")");
        break;
    case GALI_VALUE_CAST:
        add_cast(p, to, value);
        break;
    case GALI_VALUE_SELECT:
        for (uint32_t i = 0; i < 3; i++) {
            gali_text_add(to, "%s", i == 0 ? "(" : i == 1 ? " ? " : " : ");
            gali_c_plain(p, to, value->operand[i]);
        }
        gali_text_add(to, ")");
        break;
    default:
        add_operation(p, to, value);
    }
}

void gali_c_plain_stored(gali_c_printer *p, gali_text *to, const gali_loop_value *value, gali_element element) {
    int narrow = gali_element_list[element].kind == GALI_TRUTH && value->op != GALI_VALUE_LOAD;
    if (gali_loop_computed(element) != element) {
        gali_text_add(to, "gali_one_%s_of_f32(", gali_element_list[element].word);
        gali_c_plain(p, to, value);
        gali_text_add(to, ")");
        return;
    }
    gali_text_add(to, narrow ? "(uint8_t)" : "");
    gali_c_plain(p, to, value);
}
